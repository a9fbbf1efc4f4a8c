/**
 * The encoded primary keys of many rows in one piece of memory (specification diskrowset, 5): of each row, its key columns in
 * order.
 *
 * | column | coding |
 * | --- | --- |
 * | signed integer | big-endian, sign bit flipped |
 * | unsigned integer | big-endian |
 * | string, not the last column | each `00` as `00 01`, then `00 00` |
 * | string, last column | the bytes themselves |
 */
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import { bytesOf, type ColumnBatch, physicalWidth } from "@cfile/encodings";

/** Key `i` is `data[offsets[i] .. offsets[i + 1])`. */
export interface RowKeys {
  readonly length: number;
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

interface KeyPart {
  /** Bytes that the column adds to a key at most. */
  size(row: number): number;
  /** Writes the column's part of a key; returns where the next begins. */
  write(row: number, target: Uint8Array, position: number): number;
}

/**
 * The keys of all rows of the batches.
 *
 * @param columns the key columns, equally long, without nulls
 * @throws CFileError `E_INVALID_ARGUMENT` for a column with nulls, arrays, or of a type without order, and for columns of
 *   different lengths
 */
export function encodeRowKeys(columns: readonly ColumnBatch[]): RowKeys {
  const length = columns[0]?.length ?? 0;
  const parts = columns.map((batch, position) => {
    if (batch.length !== length) {
      throw invalidArgument(`${batch.length} rows in key column ${position}, ${length} in the first`, {
        field: "key columns",
      });
    }
    return keyPart(batch, position === columns.length - 1);
  });
  const offsets = new Int32Array(length + 1);
  const out = new ByteBuilder(16 * length);
  for (let row = 0; row < length; row++) {
    let size = 0;
    for (const part of parts) {
      size += part.size(row);
    }
    const target = out.reserve(size);
    let position = out.length;
    for (const part of parts) {
      position = part.write(row, target, position);
    }
    out.length = position;
    offsets[row + 1] = position;
  }
  return { length, offsets, data: out.view8() };
}

/** A copy of a key. */
export function keyAt({ offsets, data }: RowKeys, row: number): Uint8Array {
  return data.slice(offsets[row], offsets[row + 1]);
}

/** Order of two keys: negative, zero or positive. No view is made. */
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
  if (batch.nullCount > 0) {
    throw invalidArgument("a key column has nulls", { field: "key columns" });
  }
  switch (batch.kind) {
    case "fixed": {
      const { physical } = batch;
      if (physical !== "FLOAT" && physical !== "DOUBLE") {
        const flip = physical.startsWith("UINT") ? 0 : 0x80;
        return integerPart(bytesOf(batch.values), physicalWidth(physical), flip);
      }
      break;
    }
    case "binary":
      return stringPart(batch.offsets, batch.data, undefined, isLast);
    case "dictionary":
      return stringPart(batch.dictionary.offsets, batch.dictionary.data, batch.codes, isLast);
  }
  throw invalidArgument(`${batch.kind === "array" ? "arrays" : batch.type} cannot be keys`, {
    field: "key columns",
  });
}

function integerPart(bytes: Uint8Array, width: number, flip: number): KeyPart {
  return {
    size: () => width,
    write(row, target, position) {
      let from = (row + 1) * width;
      const end = position + width;
      target[position++] = (bytes[--from] as number) ^ flip;
      while (position < end) {
        target[position++] = bytes[--from] as number;
      }
      return position;
    },
  };
}

function stringPart(
  offsets: Int32Array,
  data: Uint8Array,
  codes: Int32Array | undefined,
  isLast: boolean,
): KeyPart {
  const indexOf = (row: number): number => (codes === undefined ? row : (codes[row] as number));
  const lengthOf = (index: number): number => (offsets[index + 1] as number) - (offsets[index] as number);
  return {
    size: (row) => (isLast ? lengthOf(indexOf(row)) : 2 * lengthOf(indexOf(row)) + 2),
    write(row, target, position) {
      const index = indexOf(row);
      const end = offsets[index + 1] as number;
      for (let i = offsets[index] as number; i < end; i++) {
        const byte = data[i] as number;
        target[position++] = byte;
        if (byte === 0 && !isLast) {
          target[position++] = 1;
        }
      }
      if (!isLast) {
        target[position++] = 0;
        target[position++] = 0;
      }
      return position;
    },
  };
}
