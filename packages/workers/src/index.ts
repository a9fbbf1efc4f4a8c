/**
 * @module @cfile/workers: parallel scans of CFiles.
 *
 * `createWorkerPool` is for those who read, `serveScans` for scripts of workers of one's own.
 */
export type { PoolInput } from "./file-input.js";
export { createWorkerPool, WorkerPool, type WorkerPoolOptions } from "./pool.js";
export type { PoolScanOptions } from "./scan-job.js";
export { type ServeOptions, serveScans } from "./serve-scans.js";
export type { MessageEnd, MessageListeners, WorkerLike } from "./worker-like.js";
