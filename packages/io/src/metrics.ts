import type { ByteRange, ByteSource } from "./byte-source.js";
import { delegate } from "./delegate-source.js";
import { readEach } from "./read-ranges.js";

/** What was asked of a source so far. */
export interface SourceMetrics {
  /** Ranges asked for. */
  readonly reads: number;
  /** Bytes given. */
  readonly bytes: number;
  /** The time in which something was being read. */
  readonly milliseconds: number;
  /** Requests that the source made of it; where it is no source over a network, the same as `reads`. */
  readonly requests: number;
  /** Bytes that came over the network; where it is no source over a network, the same as `bytes`. */
  readonly bytesFetched: number;
}

/** The source, counting its reads: for benchmarks, tests and progress. */
export function withMetrics(source: ByteSource): ByteSource & { readonly metrics: SourceMetrics } {
  const metrics = new Metrics(source);
  return {
    ...delegate(source),
    metrics,
    read: (offset, length, options) =>
      metrics.count(1, async () => {
        const bytes = await source.read(offset, length, options);
        metrics.bytes += bytes.length;
        return bytes;
      }),
    readMany: (ranges: readonly ByteRange[], options) =>
      metrics.count(ranges.length, async () => {
        const parts = await readEach(source, ranges, options);
        for (const { length } of parts) {
          metrics.bytes += length;
        }
        return parts;
      }),
  };
}

class Metrics implements SourceMetrics {
  reads = 0;
  bytes = 0;
  milliseconds = 0;
  private readonly source: ByteSource;
  private running = 0;
  private started = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  get requests(): number {
    return this.source.traffic?.requests ?? this.reads;
  }

  get bytesFetched(): number {
    return this.source.traffic?.bytes ?? this.bytes;
  }

  async count<T>(reads: number, work: () => Promise<T>): Promise<T> {
    this.reads += reads;
    if (this.running++ === 0) {
      this.started = performance.now();
    }
    try {
      return await work();
    } finally {
      if (--this.running === 0) {
        this.milliseconds += performance.now() - this.started;
      }
    }
  }
}
