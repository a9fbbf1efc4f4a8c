import { batchFromValues } from "@cfile/encodings/batches";
import { serveFiles } from "@cfile-tools/testkit";
import { icebergMetadata, icebergRead } from "icebird";
import { expect, test } from "vitest";
import { createIcebergTable, icebergSchema, type SourceColumn, writeIcebergFile } from "../src/index.js";
import { FIRST, firstSnapshot, memoryFolders, type Row, SECOND, secondSnapshot } from "./made-table.js";

test("icebird reads both snapshots, with the deletes applied", async () => {
  const server = await serveFiles({});
  const tableUrl = server.url.replace(/\/$/, "");
  const folders = memoryFolders(undefined, undefined, tableUrl);
  const rowsOfIcebird = async (metadataFileName?: string): Promise<Row[]> => {
    for (const kind of ["data", "metadata"] as const) {
      for (const [name, body] of folders[kind].snapshot()) {
        server.files.set(`${kind}/${name}`, { body });
      }
    }
    const metadata = await icebergMetadata({ tableUrl, metadataFileName });
    const rows = await icebergRead({ tableUrl, metadata });
    return rows.map(({ id, word }): Row => [id, word ?? null]).sort(([a], [b]) => Number(a - b));
  };
  const first = await firstSnapshot(folders);
  expect(await rowsOfIcebird()).toEqual(FIRST);
  await secondSnapshot(first);
  expect(await rowsOfIcebird()).toEqual(SECOND);
  expect(await rowsOfIcebird("v1.metadata.json")).toEqual(FIRST);
});

test("icebird reads lists", async () => {
  const columns: readonly SourceColumn[] = [
    { id: 1, name: "id", type: "INT32", nullable: false, array: false, isKey: true },
    { id: 2, name: "words", type: "STRING", nullable: true, array: true },
    { id: 3, name: "numbers", type: "DOUBLE", nullable: true, array: true },
  ];
  const cells = [
    [1, 2, 3],
    [["a", null], [], null],
    [[0.5], null, [1, -2.5]],
  ];
  async function* rows() {
    const batches = columns.map((column, i) => batchFromValues(column, cells[i] ?? []));
    yield { names: columns.map(({ name }) => name), columns: batches, firstRow: 0, length: 3 };
  }
  const server = await serveFiles({});
  const tableUrl = server.url.replace(/\/$/, "");
  const folders = memoryFolders(undefined, undefined, tableUrl);
  const schema = icebergSchema(columns);
  const sink = await folders.data.createSink("a.parquet");
  const file = await writeIcebergFile(sink, "a.parquet", { columns, rows: rows() }, { schema });
  await createIcebergTable(folders, { schema, sortedBy: [], properties: {} }, { dataFiles: [file] });
  for (const kind of ["data", "metadata"] as const) {
    for (const [name, body] of folders[kind].snapshot()) {
      server.files.set(`${kind}/${name}`, { body });
    }
  }
  const found = await icebergRead({ tableUrl, metadata: await icebergMetadata({ tableUrl }) });
  expect(found.map(({ id, words, numbers }) => [id, words ?? null, numbers ?? null])).toEqual([
    [1, ["a", null], [0.5]],
    [2, [], null],
    [3, null, [1, -2.5]],
  ]);
});
