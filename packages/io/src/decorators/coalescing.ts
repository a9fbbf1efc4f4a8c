/**
 * Reads that are near each other become one: over a network a request costs more than the bytes between two ranges. Reads of
 * the same tick, and the ranges of `readMany`, are taken together.
 */
import { invalidArgument } from "@cfile/bytes";
import {
  type ByteRange,
  type ByteSource,
  checkRead,
  type ReadOptions,
  sourceError,
} from "../source/byte-source.js";
import { SharedRequest } from "../source/shared-request.js";
import { delegate } from "./delegate-source.js";

/** Which reads are joined. */
export interface CoalescingOptions {
  /** Maximum gap in bytes between two ranges that are joined; the bytes between are read and dropped. Default 64 KiB. */
  readonly maxGap?: number | undefined;
  /** Maximum bytes of a joined read. Default 8 MiB. */
  readonly maxSpan?: number | undefined;
}

const DEFAULT_GAP = 64 * 1024;
const DEFAULT_SPAN = 8 * 1024 * 1024;
/** A range that makes up less of a joined read is copied, so that it does not keep the rest in memory. */
const WORTH_KEEPING = 1 / 2;

/**
 * The source, with near reads joined. A caller that aborts leaves the others of a joined read undisturbed; the read itself is
 * aborted when all of them have.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `maxGap` and `maxSpan` are numbers ≥ 0
 */
export function withCoalescing(source: ByteSource, options: CoalescingOptions = {}): ByteSource {
  const { maxGap = DEFAULT_GAP, maxSpan = DEFAULT_SPAN } = options;
  for (const [field, value] of Object.entries({ maxGap, maxSpan })) {
    if (!(value >= 0)) {
      throw invalidArgument(`${field} must be a number of bytes ≥ 0: ${value}`, { field });
    }
  }
  const queue = new ReadQueue(source, maxGap, maxSpan);
  const read = (offset: number, length: number, readOptions?: ReadOptions): Promise<Uint8Array> =>
    queue.read(offset, length, readOptions?.signal);
  return {
    ...delegate(source),
    read,
    readMany: (ranges, readOptions) =>
      Promise.all(ranges.map(({ offset, length }) => read(offset, length, readOptions))),
  };
}

interface Waiting extends ByteRange {
  readonly signal: AbortSignal | undefined;
  readonly resolve: (bytes: Promise<Uint8Array>) => void;
}

class ReadQueue {
  private readonly source: ByteSource;
  private readonly maxGap: number;
  private readonly maxSpan: number;
  private waiting: Waiting[] = [];

  constructor(source: ByteSource, maxGap: number, maxSpan: number) {
    this.source = source;
    this.maxGap = maxGap;
    this.maxSpan = maxSpan;
  }

  async read(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    checkRead(offset, length, signal);
    return new Promise((resolve) => {
      if (this.waiting.length === 0) {
        setTimeout(() => this.send(), 0);
      }
      this.waiting.push({ offset, length, signal, resolve });
    });
  }

  private send(): void {
    const sorted = this.waiting.sort((a, b) => a.offset - b.offset || a.length - b.length);
    this.waiting = [];
    let group: Waiting[] = [];
    let end = 0;
    for (const read of sorted) {
      if (read.signal?.aborted === true) {
        read.resolve(Promise.reject(read.signal.reason));
        continue;
      }
      const start = group[0]?.offset ?? read.offset;
      const readEnd = read.offset + read.length;
      const isNear = read.offset - end <= this.maxGap;
      const isInside = readEnd <= end;
      if (group.length > 0 && !(isInside || (isNear && readEnd - start <= this.maxSpan))) {
        this.sendGroup(group, start, end);
        group = [];
        end = 0;
      }
      group.push(read);
      end = Math.max(end, readEnd);
    }
    const [first] = group;
    if (first !== undefined) {
      this.sendGroup(group, first.offset, end);
    }
  }

  private sendGroup(group: readonly Waiting[], start: number, end: number): void {
    const joint = new SharedRequest(async (signal) => {
      try {
        return await this.source.read(start, end - start, { signal });
      } catch (error) {
        throw sourceError(error, this.source.name, signal);
      }
    });
    for (const { offset, length, signal, resolve } of group) {
      resolve(joint.answer(signal).then((bytes) => part(bytes, offset - start, length)));
    }
  }
}

function part(bytes: Uint8Array, start: number, length: number): Uint8Array {
  const view = bytes.subarray(start, start + length);
  return view.length < bytes.length * WORTH_KEEPING ? view.slice() : view;
}
