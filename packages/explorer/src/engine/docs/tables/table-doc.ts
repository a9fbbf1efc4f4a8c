/** A table with a key: the current rows of a table store, a row set or a tablet. */
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteDirectory } from "@cfile/io";
import type { RowScanOptions, RowSetSchema } from "@cfile/rowset";
import { openTableStore } from "@cfile/rowset/store";
import type { Fact } from "../../../protocol.js";
import { columnView, countText, fact, rowsOfBatches } from "../../cells.js";
import { streamedRows } from "../../export/streamed-rows.js";
import { type ChildDoc, type Doc, describe } from "../doc.js";
import { fileChild } from "../open-file.js";

export interface Table {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly schema: RowSetSchema;
  /** `undefined` if unknown. */
  readonly rowCount: number | undefined;
  readonly scan: (options: RowScanOptions) => AsyncGenerator<TableBatch, void, void>;
  readonly children: () => Promise<readonly ChildDoc[]>;
}

const BATCH_ROWS = 2048;

export function tableDoc(table: Table): Doc {
  const { title, facts, schema, rowCount, scan, children } = table;
  const { columns } = schema;
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  return {
    view: describe({
      title,
      kind: "table",
      facts: [
        ...(rowCount === undefined ? [] : [fact("Rows", rowCount)]),
        fact("Columns", columns.length),
        fact("Key", key.join(", ")),
        ...facts,
      ],
      tabs: ["data", "profile"],
      rowCount,
      columns: columns.map(columnView),
      hasChildren: true,
    }),
    children,
    rows: streamedRows<readonly CellValue[]>((from) => readRows(table, from), rowCount),
    profile: async ({ column }, work) => {
      const { columnAt, profileBatches } = await import("../../profile/profile.js");
      const chosen = columnAt(columns, column);
      const batches = scan({ columns: [chosen.name], signal: work.signal });
      return profileBatches(firstColumns(batches), chosen.type, rowCount ?? 0, work);
    },
    export: async (request, work) => {
      const { exportTable } = await import("../../export/export.js");
      const rows = scan({ signal: work.signal });
      return exportTable({ columns, rows, rowsTotal: rowCount ?? 0 }, title, request, work);
    },
  };
}

/** Rows starting at a key. The stream can be restarted at the first key of each batch. */
async function* readRows({ schema, scan }: Table, key: readonly CellValue[] | undefined) {
  const names = schema.columns.map(({ name }) => name);
  const keys = key && { from: key };
  for await (const { columns, length } of scan({ columns: names, keys, batchRows: BATCH_ROWS })) {
    const position = schema.columns.flatMap(({ isKey }, i) =>
      isKey ? [columns[i]?.get(0, { strings: "bytes" }) ?? null] : [],
    );
    if (length > 0) {
      yield { rows: rowsOfBatches(columns, schema.columns), position };
    }
  }
}

async function* firstColumns(batches: AsyncIterable<TableBatch>): AsyncGenerator<ColumnBatch, void, void> {
  for await (const { columns } of batches) {
    yield* columns.slice(0, 1);
  }
}

export async function openTableStoreDoc(directory: ByteDirectory, title: string): Promise<Doc> {
  const store = await openTableStore(directory);
  return tableDoc({
    title,
    schema: store.schema,
    rowCount: undefined,
    facts: [fact("Row sets", store.rowSets.length), fact("Last write", String(store.lastTimestamp))],
    scan: (options) => store.scan(options),
    children: async () =>
      store.files
        .flat()
        .map(({ file, bytes }) =>
          fileChild(file, `${countText(bytes)} bytes`, () => directory.openSource(file)),
        ),
  });
}
