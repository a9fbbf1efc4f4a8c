/** Several ranges of a source at once. */
import { CFileError } from "@cfile/bytes";
import {
  type ByteRange,
  type ByteSource,
  checkRead,
  type ExactReadOptions,
  type ReadOptions,
  readExactly,
  sourceError,
} from "./byte-source.js";

/** Reads of a source without `readMany` that run at the same time. */
const PARALLEL_READS = 8;

/**
 * Reads exactly these ranges; what the source answers is not believed.
 *
 * @throws CFileError as `readExactly` does
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
  let parts: readonly Uint8Array[];
  try {
    parts = await source.readMany(ranges, { signal });
  } catch (error) {
    throw sourceError(error, source.name, signal);
  }
  return ranges.map(({ offset, length }, i) => {
    const part: unknown = parts[i];
    if (!(part instanceof Uint8Array)) {
      throw new CFileError("E_IO", "the source gave something else than a Uint8Array", {
        path: source.name,
        offset,
        field,
      });
    }
    if (part.length !== length) {
      throw new CFileError(
        part.length < length ? "E_TRUNCATED" : "E_IO",
        `the source gave ${part.length} bytes where ${length} were asked for`,
        { path: source.name, offset, field, expected: length, actual: part.length },
      );
    }
    return part;
  });
}

/** The ranges as the source gives them: for decorators. */
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

/** A few reads at a time; none is begun after one failed. */
async function readInTurn(
  ranges: readonly ByteRange[],
  read: (range: ByteRange) => Promise<Uint8Array>,
): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let next = 0;
  let failed = false;
  const reader = async (): Promise<void> => {
    while (next < ranges.length && !failed) {
      const i = next++;
      try {
        parts[i] = await read(ranges[i] as ByteRange);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_READS, ranges.length) }, reader));
  return parts;
}
