/** Changes values in the same way in files and in the text of the driver. */
import { MutationBuilder, MutationCursor } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import { BinaryBatch, BoolBatch, type ColumnBatch, DATA_TYPES, FixedBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";

/** Decimals and dates stay unchanged: other values might be out of range for their columns. */
export function isChangeable({ type, isKey, array }: KuduColumn): boolean {
  return !isKey && !array && type !== "DATE" && !type.startsWith("DECIMAL");
}

/** A stored value: integers differ in the last bit, floats in the sign, strings in some letters. */
function changeBytes(type: KuduColumn["type"], bytes: Uint8Array, from: number, to: number): void {
  const { physical } = DATA_TYPES[type];
  if (physical === "BINARY") {
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      bytes[i] = byte === 0 || byte === 1 ? byte ^ 1 : byte === 0x61 || byte === 0x62 ? byte ^ 3 : byte;
    }
  } else if (physical === "FLOAT" || physical === "DOUBLE") {
    bytes[to - 1] = (bytes[to - 1] as number) ^ 0x80;
  } else {
    bytes[from] = (bytes[from] as number) ^ 1;
  }
}

/** A cell in the text format of the driver. */
export function changeText(type: KuduColumn["type"], cell: string): string {
  if (cell === "~") {
    return cell;
  }
  const { physical } = DATA_TYPES[type];
  if (physical === "BINARY") {
    const bytes = new Uint8Array(Buffer.from(cell.slice(1), "hex"));
    changeBytes(type, bytes, 0, bytes.length);
    return `x${Buffer.from(bytes).toString("hex")}`;
  }
  if (physical === "FLOAT" || physical === "DOUBLE") {
    return (Number.parseInt(cell[0] ?? "0", 16) ^ 8).toString(16) + cell.slice(1);
  }
  return String(BigInt(cell) ^ 1n);
}

export function changeBatch(batch: ColumnBatch): ColumnBatch {
  const { type, length, firstRow, validity, nullCount } = batch;
  const rows = { type, length, firstRow, validity, nullCount };
  if (batch.kind === "binary") {
    const data = batch.data.slice();
    changeBytes(type, data, 0, data.length);
    return new BinaryBatch(rows, batch.offsets, data);
  }
  if (batch.kind === "fixed") {
    const values = batch.values.slice();
    const bytes = bytesOf(values);
    const width = bytes.length / Math.max(1, values.length);
    for (let at = 0; at < bytes.length; at += width) {
      changeBytes(type, bytes, at, at + width);
    }
    return new FixedBatch(rows, batch.physical, values);
  }
  if (batch.kind === "bool") {
    return new BoolBatch(
      rows,
      batch.values.map((bits) => bits ^ 0xff),
    );
  }
  return batch;
}

/** All mutations of an entry, with those of the given columns changed. */
export function changeMutations(
  batch: DeltaBatch,
  entry: number,
  columns: ReadonlyMap<number, KuduColumn>,
): Uint8Array {
  const cursor = new MutationCursor();
  const mutations = new MutationBuilder();
  for (cursor.reset(batch, entry); cursor.next(); ) {
    const column = columns.get(cursor.columnId);
    if (cursor.isNull) {
      mutations.set(cursor.columnId, null);
      continue;
    }
    const value = cursor.data.slice(cursor.start, cursor.end);
    if (column !== undefined) {
      changeBytes(column.type, value, 0, value.length);
    }
    mutations.set(cursor.columnId, value);
  }
  return mutations.finish();
}
