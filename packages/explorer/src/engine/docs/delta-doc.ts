/** A delta file: its entries as rows. Columns appear as IDs, because their names are in the tablet's superblock. */
import { toHex } from "@cfile/bytes";
import { changeTypeName, MutationCursor } from "@cfile/deltafile";
import { type DeltaFileReader, guessDeltaKind, openDeltaFile } from "@cfile/deltafile/read";
import type { CFileReader } from "@cfile/format";
import { countText, fact } from "../cells.js";
import { cfileDoc } from "../cfile/cfile-doc.js";
import { columnFacts } from "../cfile/column-facts.js";
import { streamedRows } from "../export/streamed-rows.js";
import type { Doc } from "./doc.js";

const COLUMNS = [
  { name: "Changed row", type: "", align: "right" },
  { name: "Timestamp", type: "", align: "right" },
  { name: "Change", type: "", align: "left" },
  { name: "Columns and stored values", type: "", align: "left" },
] as const;

export async function openDeltaDoc(file: CFileReader, title: string): Promise<Doc> {
  const reader = await openDeltaFile(file.source);
  const kind = (await guessDeltaKind(reader))?.kind;
  const { minTimestamp, maxTimestamp, deleteCount, reinsertCount } = reader.statistics;
  const counts = [deleteCount, reinsertCount].map((count) => countText(Number(count)));
  const facts = [
    fact("Kind", kind === undefined ? "REDO or UNDO" : `${kind.toUpperCase()}, judging by its entries`),
    ...columnFacts(file),
    fact("Timestamps", `${minTimestamp} to ${maxTimestamp}`),
    fact("Deleted, reinserted", counts.join(", ")),
  ];
  return {
    ...cfileDoc(file, title, { facts, rowCount: reader.entryCount, columns: COLUMNS }),
    rows: streamedRows<never>(() => entryRows(reader), reader.entryCount),
  };
}

async function* entryRows(reader: DeltaFileReader): AsyncGenerator<{ rows: string[][] }, void, void> {
  const cursor = new MutationCursor();
  for await (const batch of reader.entries()) {
    const rows = Array.from({ length: batch.length }, (_, i) => {
      const changes: string[] = [];
      for (cursor.reset(batch, i); cursor.next(); ) {
        const { columnId, isNull, data, start, end } = cursor;
        const value = isNull ? "null" : `0x${toHex(data.subarray(start, Math.min(end, start + 32)))}`;
        changes.push(`${columnId} = ${value}`);
      }
      const type = changeTypeName(batch.types[i] ?? 0) ?? "";
      return [String(batch.rows[i]), String(batch.timestamps[i]), type, changes.join(", ")];
    });
    yield { rows };
  }
}
