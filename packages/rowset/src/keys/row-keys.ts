/**
 * The encoded primary keys of many rows in one buffer (docs/spec/diskrowset.md#5-comparable-key-encoding): the key columns of
 * each row in order.
 *
 * | column | encoding |
 * | --- | --- |
 * | signed integer | big-endian, sign bit flipped |
 * | unsigned integer | big-endian |
 * | string, not the last column | each `00` as `00 01`, then `00 00` |
 * | string, last column | the bytes themselves |
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ColumnBatch, physicalWidth } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";

const AT_KEY_COLUMNS = { field: "key columns" } as const;

/** Key `i` is `data[offsets[i] .. offsets[i + 1])`. */
export interface RowKeys {
  readonly length: number;
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
  /** Bytes per key, if all keys are known to have the same length. */
  readonly width?: number | undefined;
}

/** The part of one column in all keys. Columns are encoded one after the other, so that each loop sees one kind of cells. */
interface KeyPart {
  /** Adds the length of each row's part to `lengths[row + 1]`. */
  measure(lengths: Int32Array): void;
  /** Writes each row's part at its position in `target`, and advances the position. */
  write(target: Uint8Array, positions: Int32Array): void;
}

/**
 * Encodes the keys of all rows.
 *
 * @param columns the key columns, of equal length, without nulls
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a column with nulls, arrays or a type without order, and for columns of
 *   different lengths; `E_LIMIT` above 2 GiB
 */
export function encodeRowKeys(columns: readonly ColumnBatch[]): RowKeys {
  const length = columns[0]?.length ?? 0;
  const parts = columns.map((batch, i) => {
    if (batch.length !== length) {
      throw invalidArgument(`key column ${i} has ${batch.length} rows (expected ${length})`, AT_KEY_COLUMNS);
    }
    return keyPart(batch, i === columns.length - 1);
  });
  const offsets = new Int32Array(length + 1);
  for (const part of parts) {
    part.measure(offsets);
  }
  let end = 0;
  for (let row = 1; row <= length; row++) {
    end += offsets[row] as number;
    offsets[row] = end;
  }
  if (end > 0x7fffffff) {
    throw new CFileError("E_LIMIT", `keys take ${end} bytes (maximum 2 GiB)`, {
      ...AT_KEY_COLUMNS,
      actual: end,
    });
  }
  const data = new Uint8Array(end);
  const positions = offsets.slice(0, length);
  for (const part of parts) {
    part.write(data, positions);
  }
  return { length, offsets, data };
}

/** A copy of a key. */
export function keyAt({ offsets, data }: RowKeys, row: number): Uint8Array {
  return data.slice(offsets[row], offsets[row + 1]);
}

/** Order of two keys: negative, zero or positive. Creates no views. */
export function compareKeys(left: RowKeys, leftRow: number, right: RowKeys, rightRow: number): number {
  const a = left.data;
  const b = right.data;
  let i = left.offsets[leftRow] as number;
  let j = right.offsets[rightRow] as number;
  const iEnd = left.offsets[leftRow + 1] as number;
  const jEnd = right.offsets[rightRow + 1] as number;
  while (i < iEnd && j < jEnd) {
    const difference = (a[i++] as number) - (b[j++] as number);
    if (difference !== 0) {
      return difference;
    }
  }
  return iEnd - i - (jEnd - j);
}

function keyPart(batch: ColumnBatch, isLast: boolean): KeyPart {
  const { length } = batch;
  if (batch.nullCount > 0) {
    throw invalidArgument("a key column has nulls", AT_KEY_COLUMNS);
  }
  switch (batch.kind) {
    case "fixed": {
      const { physical } = batch;
      if (physical !== "FLOAT" && physical !== "DOUBLE") {
        const flip = physical.startsWith("UINT") ? 0 : 0x80;
        return integerPart(bytesOf(batch.values), length, physicalWidth(physical), flip);
      }
      break;
    }
    case "binary":
      return stringPart(batch.offsets, batch.data, undefined, length, isLast);
    case "dictionary":
      return stringPart(batch.dictionary.offsets, batch.dictionary.data, batch.codes, length, isLast);
  }
  throw invalidArgument(
    `a key column cannot be ${batch.kind === "array" ? "an array" : batch.type}`,
    AT_KEY_COLUMNS,
  );
}

function integerPart(bytes: Uint8Array, length: number, width: number, flip: number): KeyPart {
  return {
    measure(lengths) {
      for (let row = 1; row <= length; row++) {
        lengths[row] = (lengths[row] as number) + width;
      }
    },
    write(target, positions) {
      for (let row = 0; row < length; row++) {
        let from = (row + 1) * width;
        let position = positions[row] as number;
        const end = position + width;
        target[position++] = (bytes[--from] as number) ^ flip;
        while (position < end) {
          target[position++] = bytes[--from] as number;
        }
        positions[row] = end;
      }
    },
  };
}

function stringPart(
  offsets: Int32Array,
  data: Uint8Array,
  codes: Int32Array | undefined,
  length: number,
  isLast: boolean,
): KeyPart {
  return {
    measure(lengths) {
      for (let row = 0; row < length; row++) {
        const index = codes === undefined ? row : (codes[row] as number);
        const start = offsets[index] as number;
        const end = offsets[index + 1] as number;
        let size = end - start;
        if (!isLast) {
          size += 2;
          for (let i = start; i < end; i++) {
            size += data[i] === 0 ? 1 : 0;
          }
        }
        lengths[row + 1] = (lengths[row + 1] as number) + size;
      }
    },
    write(target, positions) {
      for (let row = 0; row < length; row++) {
        const index = codes === undefined ? row : (codes[row] as number);
        const end = offsets[index + 1] as number;
        let position = positions[row] as number;
        for (let i = offsets[index] as number; i < end; i++) {
          const byte = data[i] as number;
          target[position++] = byte;
          if (byte === 0 && !isLast) {
            target[position++] = 1;
          }
        }
        // Strings before the last column end with two zeros, which the new buffer already contains.
        positions[row] = isLast ? position : position + 2;
      }
    },
  };
}
