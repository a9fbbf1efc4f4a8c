/** @module @cfile/io/decorators: wrappers that cache, join, repeat or count the reads of a source. */
export { type CacheOptions, withCache } from "./decorators/cache.js";
export { type CoalescingOptions, withCoalescing } from "./decorators/coalescing.js";
export { type SourceMetrics, withMetrics } from "./decorators/metrics.js";
export { memoryStore, type PageKey, type PageStore } from "./decorators/page-store.js";
export { isTransient, type RetryOptions, withRetry } from "./decorators/retry.js";
