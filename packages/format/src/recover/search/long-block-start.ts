/** Finds positions at which a long block can start, by the first bytes of its header, without decoding it. */
import type { BlockLocation, Limits } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { groupVarintLength } from "@cfile/varint/group-varint";
import type { BlockWrapping } from "../../blocks/block-wrapper.js";
import type { BlockColumn } from "../../blocks/data-block.js";

/** Bytes read after a position. A longer header is not ruled out. */
export const START_LENGTH = 64;
/** Streams of an array header: element bitmap, element numbers, row bitmap. */
const ARRAY_STREAMS = 3;

/** Whether a stored block of at least `minSize` bytes may start at `at`. May be wrongly true, but never wrongly false. */
export type MayStart = (bytes: Uint8Array, at: number, minSize: number) => boolean;

/** Criteria for recognizing blocks. */
export interface BlockSearch<T> {
  /** Classifies a block with a valid checksum by its stored bytes; `undefined` if it is not recognized. */
  readonly classify: (block: BlockLocation, stored: Uint8Array) => T | undefined;
  readonly mayStart: MayStart;
}

/** The test for blocks of a column. Blocks beyond the limits are ruled out. */
export function longBlockStart(
  column: BlockColumn,
  { codec, version }: BlockWrapping,
  limits: Limits,
): MayStart {
  if (codec !== undefined) {
    const sizeAt = version === 1 ? 4 : 0;
    return (bytes, at, minSize) => {
      const size = wordAt(bytes, at + sizeAt);
      // Compressed blocks are never much longer: version 2 stores such blocks uncompressed.
      return size >= minSize / 2 && size <= limits.maxBlockSize;
    };
  }
  const mayStart = column.array || column.nullable ? mayStartRows : mayStartValues;
  return (bytes, at) => mayStart(bytes, at, column, limits);
}

function mayStartRows(bytes: Uint8Array, at: number, column: BlockColumn, limits: Limits): boolean {
  const header = new VarintCursor(bytes, at);
  const elements = column.array ? header.next() : 0;
  const rows = header.next();
  if (!(rows >= 1 && rows <= limits.maxBlockRows && elements <= limits.maxBlockRows)) {
    return false;
  }
  for (let stream = 0; stream < (column.array ? ARRAY_STREAMS : 1); stream++) {
    const length = header.next();
    if (length > limits.maxBlockSize) {
      return false;
    }
    header.position += length;
  }
  return (
    header.position + START_LENGTH > bytes.length || mayStartValues(bytes, header.position, column, limits)
  );
}

function mayStartValues(
  bytes: Uint8Array,
  at: number,
  { type, encoding }: BlockColumn,
  { maxBlockRows, maxBlockSize }: Limits,
): boolean {
  const { physical, width } = DATA_TYPES[type];
  switch (encoding) {
    case "BIT_SHUFFLE":
      return (
        wordAt(bytes, at + 16) === width &&
        wordAt(bytes, at + 12) === 8 * Math.ceil(wordAt(bytes, at + 4) / 8)
      );
    case "RLE":
      return wordAt(bytes, at) <= maxBlockRows;
    case "PREFIX_ENCODING":
      return mayStartPrefixes(bytes, at);
    default: {
      const maxOffset = wordAt(bytes, at + 8);
      const isPlainBinary = maxOffset >= 12 && maxOffset <= maxBlockSize;
      const first = wordAt(bytes, at);
      // With a dictionary: codes, plain values, or the dictionary itself.
      return encoding === "DICT_ENCODING"
        ? first === 1 || first === 2 || isPlainBinary
        : physical === "BINARY"
          ? isPlainBinary
          : first <= (physical === "BOOL" ? maxBlockRows : maxBlockSize / width);
    }
  }
}

/** In a prefix block, the last number of the header is 0, and the first value shares no bytes. */
function mayStartPrefixes(bytes: Uint8Array, at: number): boolean {
  const selector = bytes[at] as number;
  const end = at + groupVarintLength(selector);
  return (selector & 3) === 0 && bytes[end - 1] === 0 && bytes[end] === 0;
}

/** The little-endian number in four bytes, without creating a view per position. */
function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
  return low + (bytes[at + 3] as number) * 2 ** 24;
}

/** Reads varints without errors: a malformed one is `NaN`, which no comparison accepts. */
class VarintCursor {
  position: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, position: number) {
    this.bytes = bytes;
    this.position = position;
  }

  next(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) {
        // Beyond the bytes read, anything is possible.
        return 1;
      }
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        return value;
      }
    }
    return Number.NaN;
  }
}
