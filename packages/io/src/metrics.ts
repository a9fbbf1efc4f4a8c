import type { ByteSource } from "./byte-source.js";

/** What was asked of a source so far. */
export interface SourceMetrics {
  readonly reads: number;
  /** Bytes given. */
  readonly bytes: number;
}

/** The source, counting its reads: for benchmarks, tests and progress. */
export function withMetrics(source: ByteSource): ByteSource & { readonly metrics: SourceMetrics } {
  const metrics = { reads: 0, bytes: 0 };
  return {
    name: source.name,
    metrics,
    size: (options) => source.size(options),
    read: async (offset, length, options) => {
      metrics.reads++;
      const bytes = await source.read(offset, length, options);
      metrics.bytes += bytes.length;
      return bytes;
    },
    close: async () => source.close?.(),
  };
}
