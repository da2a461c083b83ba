export { telemetry } from '../otel/index.js';
