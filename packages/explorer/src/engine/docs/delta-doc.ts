/** A delta file: its entries as rows. Columns are numbers: their names stand in the tablet's superblock. */
import { toHex } from "@cfile/bytes";
import { changeTypeName, MutationCursor } from "@cfile/deltafile";
import { type DeltaFileReader, guessDeltaKind, openDeltaFile } from "@cfile/deltafile/read";
import type { CFileReader } from "@cfile/format";
import type { RowsView } from "../../protocol.js";
import { countText } from "../cells.js";
import { CFileDoc } from "../cfile/cfile-doc.js";
import { columnFacts } from "../cfile/column-facts.js";
import { StreamedRows } from "../export/streamed-rows.js";
import type { Work } from "./doc.js";

export async function openDeltaDoc(file: CFileReader, title: string): Promise<DeltaDoc> {
  const reader = await openDeltaFile(file.source);
  const guess = await guessDeltaKind(reader);
  return new DeltaDoc(file, title, reader, guess?.kind);
}

export class DeltaDoc extends CFileDoc {
  private readonly entries: StreamedRows<never>;
  private readonly reader: DeltaFileReader;

  constructor(file: CFileReader, title: string, reader: DeltaFileReader, kind: string | undefined) {
    const { minTimestamp, maxTimestamp, deleteCount, reinsertCount } = reader.statistics;
    super(file, title, {
      facts: [
        {
          label: "Kind",
          value:
            kind === undefined
              ? "REDO or UNDO: the entries do not tell"
              : `${kind.toUpperCase()}, as the entries tell`,
        },
        ...columnFacts(file),
        { label: "Timestamps", value: `${minTimestamp} to ${maxTimestamp}` },
        {
          label: "Deleted, reinserted",
          value: `${countText(Number(deleteCount))}, ${countText(Number(reinsertCount))}`,
        },
      ],
      rowCount: reader.entryCount,
      columns: [
        { name: "Changed row", type: "", align: "right" },
        { name: "Timestamp", type: "", align: "right" },
        { name: "Change", type: "", align: "left" },
        { name: "Columns and stored values", type: "", align: "left" },
      ],
    });
    this.reader = reader;
    this.entries = new StreamedRows(() => this.read());
  }

  override rows(from: number, to: number, work: Work): Promise<RowsView> {
    return this.entries.rows(from, to, work, this.view.rowCount);
  }

  private async *read(): AsyncGenerator<{ rows: string[][] }, void, void> {
    const cursor = new MutationCursor();
    for await (const batch of this.reader.entries()) {
      const rows = Array.from({ length: batch.length }, (_, i) => {
        const changes: string[] = [];
        for (cursor.reset(batch, i); cursor.next(); ) {
          const { columnId, isNull, data, start, end } = cursor;
          changes.push(
            `${columnId} = ${isNull ? "null" : `0x${toHex(data.subarray(start, Math.min(end, start + 32)))}`}`,
          );
        }
        return [
          String(batch.rows[i]),
          String(batch.timestamps[i]),
          changeTypeName(batch.types[i] ?? 0) ?? "",
          changes.join(", "),
        ];
      });
      yield { rows };
    }
  }
}
