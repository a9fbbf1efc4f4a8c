/**
 * Many keys in one piece of memory, the encoded primary keys of rows:
 *
 * | form | key `i` |
 * | --- | --- |
 * | variable width | `data[offsets[i] .. offsets[i + 1])`, as in a batch of a BINARY column |
 * | fixed width | `data[i * width .. (i + 1) * width)` |
 *
 * A batch may say that its keys are in order, which is believed: they are then looked for block by block.
 */
import { compareWithin, invalidArgument } from "@cfile/bytes";

/** Keys of any length, back to back, as Arrow keeps strings. */
export interface VariableWidthKeys {
  /** One more than there are keys, never decreasing; the first need not be 0. */
  readonly offsets: Int32Array | Uint32Array;
  readonly data: Uint8Array;
  /** Whether no key is before the one before it. Default: not known. */
  readonly isAscending?: boolean | undefined;
}

/** Keys of one width, back to back. */
export interface FixedWidthKeys {
  /** Bytes of a key, at least 1. */
  readonly width: number;
  /** A multiple of `width` bytes. */
  readonly data: Uint8Array;
  /** Whether no key is before the one before it. Default: not known. */
  readonly isAscending?: boolean | undefined;
}

/** Many keys in one piece of memory. */
export type KeyBatch = VariableWidthKeys | FixedWidthKeys;

/** A batch whose keys have been found to lie inside its data. */
export class CheckedKeys {
  readonly data: Uint8Array;
  /** Number of keys. */
  readonly length: number;
  /** Of keys that differ in length. */
  readonly offsets: Int32Array | Uint32Array | undefined;
  /** Of keys that do not; else 0. */
  readonly width: number;
  /** Whether the batch says that its keys are in order. */
  readonly isAscending: boolean;

  /** @throws CFileError `E_INVALID_ARGUMENT` for a batch that is none */
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

  /** The first key that is before the key before it. */
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
    throw invalidArgument("keys need one offset more than there are keys", { field: "offsets", actual: 0 });
  }
  let previous = 0;
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i] as number;
    if (offset < previous || offset > data.length) {
      throw invalidArgument(`offset ${i} is ${offset}, ${previous} to ${data.length} is expected`, {
        field: "offsets",
        actual: offset,
      });
    }
    previous = offset;
  }
}

function checkWidth({ width, data }: FixedWidthKeys): void {
  if (!(Number.isSafeInteger(width) && width >= 1 && data.length % width === 0)) {
    throw invalidArgument(`${data.length} bytes are no keys of ${width} bytes each`, {
      field: "width",
      actual: String(width),
    });
  }
}
