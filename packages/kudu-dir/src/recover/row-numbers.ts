/** A key column of row numbers, for row sets with a damaged key. */
import { FixedBatch } from "@cfile/encodings";
import { CFileWriter } from "@cfile/format/write";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";

import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { encodeRowKey } from "@cfile/rowset";

const STEP = 65536;

/** The column differs in name and ID from all columns of the schema. */
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
  for (let from = 0; from < rows; from += STEP) {
    const length = Math.min(STEP, rows - from);
    const values = BigInt64Array.from({ length }, (_, i) => BigInt(from + i));
    const batch = { type: "INT64", length, firstRow: from, validity: undefined, nullCount: 0 } as const;
    await writer.append(new FixedBatch(batch, "INT64", values));
  }
  const schema = { columns: [column] };
  if (rows > 0) {
    writer.addMetadata("min_key", encodeRowKey(schema, [0n]));
    writer.addMetadata("max_key", encodeRowKey(schema, [BigInt(rows - 1)]));
  }
  await writer.finish();
  return { column, source: memorySource(sink.bytes(), "row numbers") };
}
