/** A table with a key: the rows of a row set or of a tablet as they are now, changes applied. */

import { CFileError } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteDirectory } from "@cfile/io";
import type { RowScanOptions, RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { openTableStore } from "@cfile/rowset/store";
import type { Exported, ExportRequest, Fact, ProfileView, RowsView } from "../../protocol.js";
import { cellsOf, columnView, countText, rowsOfColumns } from "../cells.js";
import { StreamedRows } from "../export/streamed-rows.js";
import { type ChildDoc, Doc, type DocDescription, describe, type Work } from "./doc.js";
import { fileChild } from "./open-file.js";

export interface Table {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly schema: RowSetSchema;
  /** Rows, if somebody counted them. */
  readonly rowCount: number | undefined;
  readonly scan: (options: RowScanOptions) => AsyncGenerator<TableBatch, void, void>;
  readonly children: () => Promise<readonly ChildDoc[]>;
}

/** Rows that are read ahead of those that are shown. */
const BATCH_ROWS = 2048;

export class TableDoc extends Doc {
  readonly view: DocDescription;
  private readonly table: Table;
  private readonly streamed: StreamedRows<readonly CellValue[]>;

  constructor(table: Table) {
    super();
    this.table = table;
    const { title, facts, schema, rowCount } = table;
    this.view = describe({
      title,
      kind: "table",
      facts: [
        ...(rowCount === undefined ? [] : [{ label: "Rows", value: countText(rowCount) }]),
        { label: "Columns", value: String(schema.columns.length) },
        {
          label: "Key",
          value: schema.columns
            .filter(({ isKey }) => isKey)
            .map(({ name }) => name)
            .join(", "),
        },
        ...facts,
      ],
      tabs: ["data", "profile"],
      rowCount,
      columns: schema.columns.map((column) =>
        columnView(column.name, column.type, column.array, column.nullable),
      ),
      hasChildren: true,
    });
    this.streamed = new StreamedRows((key) => this.read(key));
  }

  override children(): Promise<readonly ChildDoc[]> {
    return this.table.children();
  }

  override rows(from: number, to: number, work: Work): Promise<RowsView> {
    return this.streamed.rows(from, to, work, this.table.rowCount);
  }

  override async profile(column: number, work: Work): Promise<ProfileView> {
    const { profileBatches } = await import("../profile/profile.js");
    const chosen = this.table.schema.columns[column];
    if (chosen === undefined) {
      throw new CFileError("E_NOT_FOUND", `no column ${column}`);
    }
    const scan = this.table.scan({ columns: [chosen.name], signal: work.signal });
    return profileBatches(columnOf(scan), chosen.type, this.table.rowCount ?? 0, work);
  }

  override async export(request: ExportRequest, work: Work): Promise<Exported> {
    const { exportTable } = await import("../export/export.js");
    const { schema, title, rowCount = 0 } = this.table;
    const rows = this.table.scan({ signal: work.signal });
    return exportTable({ columns: schema.columns, rows, rowsTotal: rowCount }, title, request, work);
  }

  private async *read(key: readonly CellValue[] | undefined) {
    const { schema, scan } = this.table;
    const names = schema.columns.map(({ name }) => name);
    const keys = key === undefined ? undefined : { from: key };
    for await (const { columns, length } of scan({ columns: names, keys, batchRows: BATCH_ROWS })) {
      const place = keyOf(schema.columns, columns);
      if (length > 0) {
        yield { rows: rowsOfColumns(columns.map(cellsOf)), place };
      }
    }
  }
}

async function* columnOf(batches: AsyncIterable<TableBatch>): AsyncGenerator<ColumnBatch, void, void> {
  for await (const { columns } of batches) {
    const [first] = columns;
    if (first !== undefined) {
      yield first;
    }
  }
}

/** The key cells of the first row. */
function keyOf(columns: readonly RowSetColumn[], batches: readonly ColumnBatch[]): CellValue[] {
  return columns.flatMap(({ isKey }, i) => (isKey ? [batches[i]?.get(0, { strings: "bytes" }) ?? null] : []));
}

/** The row set in a directory of ours. */
export async function openRowSetDoc(directory: ByteDirectory, title: string): Promise<Doc | undefined> {
  const handle = await openTableStore(directory);
  return new TableDoc({
    title,
    schema: handle.schema,
    rowCount: undefined,
    facts: [
      { label: "Row sets", value: String(handle.rowSets.length) },
      { label: "Last write", value: String(handle.lastTimestamp) },
    ],
    scan: (options) => handle.scan(options),
    children: async () =>
      handle.files
        .flat()
        .map(({ file, bytes }) =>
          fileChild(file, `${countText(bytes)} bytes`, () => directory.openSource(file)),
        ),
  });
}
