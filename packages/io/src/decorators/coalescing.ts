/**
 * Joins reads that are close to each other: over a network, a request costs more than the bytes between them. Applies to the reads of
 * one tick and to the ranges of `readMany`.
 */
import { type ByteRange, type ByteSource, checkOption, checkRead, guarded } from "../source/byte-source.js";
import { sharedRequest } from "../source/shared-request.js";
import { delegate } from "./delegate-source.js";

/** Which reads are joined. */
export interface CoalescingOptions {
  /** Maximum gap between two joined ranges, in bytes; the gap is read and dropped. Default 64 KiB. */
  readonly maxGap?: number | undefined;
  /** Maximum length of a joined read, in bytes. Default 8 MiB. */
  readonly maxSpan?: number | undefined;
}

interface Waiting extends ByteRange {
  readonly signal: AbortSignal | undefined;
  readonly resolve: (bytes: Promise<Uint8Array>) => void;
}

/**
 * The source, with nearby reads joined. A joined read is aborted when all its callers have aborted.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `maxGap` and `maxSpan` are numbers >= 0
 */
export function withCoalescing(source: ByteSource, options: CoalescingOptions = {}): ByteSource {
  const { maxGap = 64 * 1024, maxSpan = 8 * 1024 * 1024 } = options;
  checkOption("maxGap", maxGap, 0);
  checkOption("maxSpan", maxSpan, 0);
  let waiting: Waiting[] = [];
  const send = (): void => {
    const sorted = waiting.sort((a, b) => a.offset - b.offset || a.length - b.length);
    waiting = [];
    let group: Waiting[] = [];
    let start = 0;
    let end = 0;
    for (const read of sorted) {
      if (read.signal?.aborted === true) {
        read.resolve(Promise.reject(read.signal.reason));
        continue;
      }
      const readEnd = read.offset + read.length;
      const fits = readEnd <= end || (read.offset - end <= maxGap && readEnd - start <= maxSpan);
      if (group.length === 0 || !fits) {
        sendGroup(source, group, start, end);
        group = [];
        start = read.offset;
        end = 0;
      }
      group.push(read);
      end = Math.max(end, readEnd);
    }
    sendGroup(source, group, start, end);
  };
  return delegate(source, async (offset, length, { signal } = {}) => {
    checkRead(offset, length, signal);
    return new Promise((resolve) => {
      if (waiting.length === 0) {
        setTimeout(send, 0);
      }
      waiting.push({ offset, length, signal, resolve });
    });
  });
}

function sendGroup(source: ByteSource, group: readonly Waiting[], start: number, end: number): void {
  const joined = sharedRequest((signal) =>
    guarded(source.name, signal, () => source.read(start, end - start, { signal })),
  );
  for (const { offset, length, signal, resolve } of group) {
    resolve(joined(signal).then((bytes) => part(bytes, offset - start, length)));
  }
}

function part(bytes: Uint8Array, start: number, length: number): Uint8Array {
  const view = bytes.subarray(start, start + length);
  // A view of a small part would retain the rest.
  return view.length < bytes.length / 2 ? view.slice() : view;
}
