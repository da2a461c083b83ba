// @ts-check
export {
  awsSdk2020,
  awsSdk2026,
  awsSdk2026Throttling,
  cenkalti,
  goRetryableHttp,
  goRetryableHttpRetryOn,
  googleHttpClient,
  grpc,
  jpillora,
  pRetry,
  pRetryRandomized,
  polly,
  truncatedBinary,
} from '../presets/index.js';
