/** Columns of a damaged row set that are rebuilt in memory: a damaged column with fillers for lost rows, and a key of row numbers. */
import { type CellValue, DATA_TYPES, FixedBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RecoverableFile } from "@cfile/format/recover";
import { CFileWriter } from "@cfile/format/write";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";

import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { encodeRowKey } from "@cfile/rowset";
import type { LostRows } from "./lost-rows.js";

const STEP = 16384;

/**
 * Rebuilds a damaged column with as many rows as `lost`, and adds the filled rows to `lost`.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` if the file has changed
 */
export async function filledColumn(
  survey: RecoverableFile,
  column: RowSetColumn,
  lost: LostRows,
): Promise<ByteSource> {
  const { rows } = lost;
  const { encoding, compression } = survey.ledger.column;
  const { type, nullable, array } = column;
  const sink = memorySink();
  const writer = new CFileWriter(sink, { type, nullable, array, encoding, compression });
  let row = 0;
  const fill = async (to: number): Promise<void> => {
    lost.add(row, to);
    while (row < to) {
      const length = Math.min(STEP, to - row);
      await writer.append(batchFromValues(column, new Array<CellValue>(length).fill(fillerOf(column))));
      row += length;
    }
  };
  for await (const { entry, batch } of survey.entries()) {
    if (batch !== undefined) {
      await writer.append(batch);
      row += batch.length;
    } else {
      await fill(Math.min(rows, row + (entry.rows ?? rows)));
    }
  }
  await fill(rows);
  await writer.finish();
  return memorySource(sink.bytes(), survey.ledger.path);
}

const FILLERS: Readonly<Record<string, CellValue>> = {
  BOOL: false,
  BINARY: /* @__PURE__ */ new Uint8Array(0),
  INT64: 0n,
  UINT64: 0n,
  INT128: 0n,
};

function fillerOf({ type, nullable, array }: RowSetColumn): CellValue {
  if (nullable) {
    return null;
  }
  return array ? [] : (FILLERS[DATA_TYPES[type].physical] ?? 0);
}

/** A key column of row numbers. It differs in name and ID from all columns of the schema. */
export async function rowNumbers(
  { columns }: RowSetSchema,
  rows: number,
): Promise<{ readonly column: RowSetColumn; readonly source: ByteSource }> {
  const id = columns.reduce((max, other) => Math.max(max, other.id), 0) + 1;
  let name = "row number";
  while (columns.some((other) => other.name === name)) {
    name += " ";
  }
  const column: RowSetColumn = { id, name, type: "INT64", isKey: true, nullable: false, array: false };
  const sink = memorySink();
  const writer = new CFileWriter(sink, { type: "INT64", validx: true });
  const schema = { columns: [column] };
  if (rows > 0) {
    writer.addMetadata("min_key", encodeRowKey(schema, [0n]));
    writer.addMetadata("max_key", encodeRowKey(schema, [BigInt(rows - 1)]));
  }
  for (let from = 0; from < rows; from += STEP) {
    const length = Math.min(STEP, rows - from);
    const values = BigInt64Array.from({ length }, (_, i) => BigInt(from + i));
    const batch = { type: "INT64", length, firstRow: from, validity: undefined, nullCount: 0 } as const;
    await writer.append(new FixedBatch(batch, "INT64", values));
  }
  await writer.finish();
  return { column, source: memorySource(sink.bytes(), "row numbers") };
}
