import type { ByteSource } from "../source/byte-source.js";
import { readEach } from "../source/read-ranges.js";
import { delegate } from "./delegate-source.js";

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
  let running = 0;
  let started = 0;
  const metrics = {
    reads: 0,
    bytes: 0,
    milliseconds: 0,
    get requests() {
      return source.traffic?.requests ?? metrics.reads;
    },
    get bytesFetched() {
      return source.traffic?.bytes ?? metrics.bytes;
    },
  };
  const count = async <T>(reads: number, work: () => Promise<T>): Promise<T> => {
    metrics.reads += reads;
    if (running++ === 0) {
      started = performance.now();
    }
    try {
      return await work();
    } finally {
      if (--running === 0) {
        metrics.milliseconds += performance.now() - started;
      }
    }
  };
  return {
    ...delegate(source),
    metrics,
    read: (offset, length, options) =>
      count(1, async () => {
        const bytes = await source.read(offset, length, options);
        metrics.bytes += bytes.length;
        return bytes;
      }),
    readMany: (ranges, options) =>
      count(ranges.length, async () => {
        const parts = await readEach(source, ranges, options);
        for (const { length } of parts) {
          metrics.bytes += length;
        }
        return parts;
      }),
  };
}
