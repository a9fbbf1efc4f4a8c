/** Reads several ranges of a source at once. */
import {
  type ByteRange,
  type ByteSource,
  checkedBytes,
  checkRead,
  type ExactReadOptions,
  guarded,
  type ReadOptions,
  readExactly,
} from "./byte-source.js";

/** Concurrent reads of a source without `readMany`. */
const PARALLEL_READS = 8;

/**
 * Reads exactly these ranges, in their order.
 *
 * @throws {CFileError} like `readExactly`
 */
export async function readRanges(
  source: ByteSource,
  ranges: readonly ByteRange[],
  options: ExactReadOptions = {},
): Promise<Uint8Array[]> {
  const { signal, field } = options;
  if (source.readMany === undefined || ranges.length < 2) {
    return readInTurn(ranges, ({ offset, length }) => readExactly(source, offset, length, options));
  }
  for (const { offset, length } of ranges) {
    checkRead(offset, length, signal);
  }
  const parts = await guarded(source.name, signal, async () => source.readMany?.(ranges, { signal }) ?? []);
  return ranges.map((range, i) => checkedBytes(parts[i], range, source, field));
}

/** The ranges as the source returns them, unchecked: for decorators. */
export async function readEach(
  source: ByteSource,
  ranges: readonly ByteRange[],
  options: ReadOptions | undefined,
): Promise<Uint8Array[]> {
  return (
    source.readMany?.(ranges, options) ??
    readInTurn(ranges, ({ offset, length }) => source.read(offset, length, options))
  );
}

/** Reads up to {@link PARALLEL_READS} ranges at a time; starts none after a failure. */
async function readInTurn(
  ranges: readonly ByteRange[],
  read: (range: ByteRange) => Promise<Uint8Array>,
): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  const queue = [...ranges.entries()].reverse();
  const reader = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      try {
        parts[next[0]] = await read(next[1]);
      } catch (error) {
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_READS, ranges.length) }, reader));
  return parts;
}
