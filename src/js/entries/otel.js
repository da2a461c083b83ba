// @ts-check
export { telemetry } from '../otel/index.js';
