/** `/protection`: what all clients share. */
import { mountProtection } from '../load/section';
import { boot } from '../shell/boot';

void boot([['protection-body', (root, { store, slow }) => mountProtection(root, store, slow), 'now']]);
