/** For `node --import`. */
import { bePatient } from './patience.mjs';

bePatient();
