// The hosts of the daily run that are no browsers.

import { testDaily } from './daily.mjs';

testDaily(({ browser }) => browser === undefined);
