/** @module @cfile/workers: parallel scans of CFiles: `createWorkerPool` scans, `serveScans` is for worker scripts of your own. */
export type { PoolInput } from "./pool/file-input.js";
export { createWorkerPool, WorkerPool, type WorkerPoolOptions } from "./pool/pool.js";
export type { PoolScanOptions } from "./pool/scan-job.js";
export type { MessageEnd, MessageListeners, WorkerLike } from "./pool/worker-like.js";
export { type ServeOptions, serveScans } from "./worker/serve-scans.js";
