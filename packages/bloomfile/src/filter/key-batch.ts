/**
 * Batches of encoded primary keys:
 *
 * | form | key `i` |
 * | --- | --- |
 * | variable width | `data[offsets[i] .. offsets[i + 1])`, as in a batch of a BINARY column |
 * | fixed width | `data[i * width .. (i + 1) * width)` |
 *
 * If a batch declares its keys as ascending (not checked), they are looked up block by block.
 */
import { compareWithin, invalidArgument, invalidOption } from "@cfile/bytes";

/** Contiguous keys of any length, laid out as strings in Arrow. */
export interface VariableWidthKeys {
  /** Key count + 1 offsets in `data`, never decreasing; the first need not be 0. */
  readonly offsets: Int32Array | Uint32Array;
  readonly data: Uint8Array;
  /** Whether the keys ascend (repeats allowed). Default: unknown. */
  readonly isAscending?: boolean | undefined;
}

/** Contiguous keys of one width. */
export interface FixedWidthKeys {
  /** Bytes per key, at least 1. */
  readonly width: number;
  /** A multiple of `width` bytes. */
  readonly data: Uint8Array;
  /** Whether the keys ascend (repeats allowed). Default: unknown. */
  readonly isAscending?: boolean | undefined;
}

/** A batch of encoded keys. */
export type KeyBatch = VariableWidthKeys | FixedWidthKeys;

/** A batch whose keys lie inside its data. */
export class CheckedKeys {
  readonly data: Uint8Array;
  /** Number of keys. */
  readonly length: number;
  /** `undefined` for keys of one width. */
  readonly offsets: Int32Array | Uint32Array | undefined;
  /** 0 for keys of variable width. */
  readonly width: number;
  readonly isAscending: boolean;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid batch */
  constructor(keys: KeyBatch) {
    this.data = keys.data;
    this.isAscending = keys.isAscending === true;
    if ("offsets" in keys) {
      checkOffsets(keys);
      this.offsets = keys.offsets;
      this.width = 0;
      this.length = keys.offsets.length - 1;
    } else {
      checkWidth(keys);
      this.offsets = undefined;
      this.width = keys.width;
      this.length = keys.data.length / keys.width;
    }
  }

  start(index: number): number {
    return this.offsets === undefined ? index * this.width : (this.offsets[index] as number);
  }

  end(index: number): number {
    return this.start(index + 1);
  }

  /** A copy of a key. */
  copy(index: number): Uint8Array {
    return this.data.slice(this.start(index), this.end(index));
  }

  /** Index of the first key that is less than its predecessor. */
  findDescent(): number | undefined {
    for (let i = 1; i < this.length; i++) {
      if (compareWithin(this.data, this.start(i - 1), this.end(i - 1), this.start(i), this.end(i)) > 0) {
        return i;
      }
    }
    return undefined;
  }
}

function checkOffsets({ offsets, data }: VariableWidthKeys): void {
  if (offsets.length === 0) {
    throw invalidOption("offsets", "", "key count + 1 numbers");
  }
  let previous = 0;
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i] as number;
    if (offset < previous || offset > data.length) {
      const reason = `invalid offset ${i}: ${offset} (must be ${previous} to ${data.length})`;
      throw invalidArgument(reason, { field: "offsets", actual: offset });
    }
    previous = offset;
  }
}

function checkWidth({ width, data }: FixedWidthKeys): void {
  if (!(Number.isSafeInteger(width) && width >= 1 && data.length % width === 0)) {
    throw invalidOption("width", width, `a divisor of the ${data.length} bytes of data`);
  }
}
