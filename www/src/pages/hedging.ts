/** The article "When hedging kills". */
import { mountHedging } from '../sections/protection';
import { boot } from '../shell/boot';

void boot([['hedging-body', (root, { store, slow }) => mountHedging(root, store, slow), 'now']]);
