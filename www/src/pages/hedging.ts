/** The article "When hedging kills". */
import { mountHedging } from '../hedging/section';
import { boot } from '../shell/boot';

void boot([['hedging-body', (root, { store, slow }) => mountHedging(root, store, slow), 'now']]);
