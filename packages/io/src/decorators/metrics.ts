import type { ByteSource } from "../source/byte-source.js";
import { readEach } from "../source/read-ranges.js";
import { delegate } from "./delegate-source.js";

/** Reads of a source so far. */
export interface SourceMetrics {
  /** Number of ranges that callers read. */
  readonly reads: number;
  /** Bytes returned to callers. */
  readonly bytes: number;
  /** Time during which at least one read was in progress. */
  readonly milliseconds: number;
  /** Number of network requests; equals `reads` for a source without a network. */
  readonly requests: number;
  /** Bytes received from the network; equals `bytes` for a source without a network. */
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
  const counted = async (reads: number, work: () => Promise<Uint8Array[]>): Promise<Uint8Array[]> => {
    metrics.reads += reads;
    if (running++ === 0) {
      started = performance.now();
    }
    try {
      const parts = await work();
      metrics.bytes += parts.reduce((sum, { length }) => sum + length, 0);
      return parts;
    } finally {
      if (--running === 0) {
        metrics.milliseconds += performance.now() - started;
      }
    }
  };
  const read: ByteSource["read"] = async (offset, length, options) => {
    const [bytes] = await counted(1, async () => [await source.read(offset, length, options)]);
    return bytes ?? new Uint8Array(0);
  };
  return {
    ...delegate(source, read),
    metrics,
    readMany: (ranges, options) => counted(ranges.length, () => readEach(source, ranges, options)),
  };
}
