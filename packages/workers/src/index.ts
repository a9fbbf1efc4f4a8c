/** @module @cfile/workers: parallel scans of CFiles: `createWorkerPool` scans, or calls a function with the batches in its workers; `serveScans` is for worker scripts of your own. */
export { MapError } from "./map-error.js";
export type { PoolInput } from "./pool/file-input.js";
export type { MapArgument, MapFunction, MapTask } from "./pool/map-function.js";
export {
  createWorkerPool,
  type PoolMapOptions,
  type PoolScanOptions,
  WorkerPool,
  type WorkerPoolOptions,
} from "./pool/pool.js";
export type { MessageEnd, MessageListeners, WorkerLike } from "./pool/worker-like.js";
export { type ServeOptions, serveScans } from "./worker/serve-scans.js";
