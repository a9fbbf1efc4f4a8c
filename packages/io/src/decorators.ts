/** @module @cfile/io/decorators: sources around sources, which cache, join, repeat or count reads. */
export { type CacheOptions, withCache } from "./cache.js";
export { type CoalescingOptions, withCoalescing } from "./coalescing.js";
export { type SourceMetrics, withMetrics } from "./metrics.js";
export { memoryStore, type PageKey, type PageStore } from "./page-store.js";
export { isPassing, type RetryOptions, withRetry } from "./retry.js";
