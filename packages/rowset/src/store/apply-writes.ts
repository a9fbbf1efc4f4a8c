/** Writes the new files of a change. Nothing becomes visible before a manifest lists them. */
import { openDeltaFile } from "@cfile/deltafile/read";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ByteSource } from "@cfile/io";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import { batchesOfRows } from "../write/rows-to-batches.js";
import type { ManifestFile, ManifestRowSet } from "./manifest.js";
import type { PlannedWrite } from "./plan-writes.js";
import { StoredDeltaWriter, StoredRowSetWriter } from "./stored-row-set-writer.js";
import type { TableStoreFiles } from "./table-store-files.js";

/** Adds a REDO file to each row set with changes, and a row set of the new rows; returns the new list of row sets. */
export async function applyWrite(
  store: TableStoreFiles,
  { changes, inserts }: PlannedWrite,
  timestamp: bigint,
  options: RowSetWriterOptions,
): Promise<ManifestRowSet[]> {
  const { rowSets, schema } = store.manifest;
  const batches = batchesOfRows(schema, inserts);
  const next: ManifestRowSet[] = [];
  for (const [i, rowSet] of rowSets.entries()) {
    await using writer = new StoredDeltaWriter(store, "redo", options);
    for (const { row, type, mutations } of changes.get(i) ?? []) {
      await writer.append(row, timestamp, type, mutations);
    }
    const files = await writer.finish();
    next.push(files.length === 0 ? rowSet : { ...rowSet, redo: [...rowSet.redo, ...files] });
  }
  if (inserts.length > 0) {
    await using writer = await StoredRowSetWriter.open(store, schema, options);
    await writer.append(batches, timestamp);
    const inserted = await writer.finish();
    next.push(...(inserted === undefined ? [] : [inserted]));
  }
  return next;
}

/** The UNDO file, or a shorter one without the entries before a timestamp; an empty list when no entry remains. */
export async function withoutEntriesBefore(
  store: TableStoreFiles,
  file: ManifestFile,
  source: ByteSource,
  timestamp: bigint,
): Promise<ManifestFile[]> {
  const reader = await openDeltaFile(source);
  const { minTimestamp, maxTimestamp } = reader.statistics;
  if (minTimestamp >= timestamp || maxTimestamp < timestamp) {
    return minTimestamp >= timestamp ? [file] : [];
  }
  const created = await store.createFile("undo");
  await using writer = new DeltaFileWriter(created.sink, { kind: "undo" });
  for await (const batch of reader.entries({ timestamps: { from: timestamp } })) {
    await writer.appendBatch(batch);
  }
  return [{ file: created.file, bytes: (await writer.finish()).bytes }];
}
