import { type AvroObject, readAvroContainer } from "@cfile/avro";
import { writeAvroContainer } from "@cfile/avro/write";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import { type FileTree, memorySource } from "@cfile/io";
import { exportParquet } from "@cfile/parquet/write";
import { describe, expect, test } from "vitest";
import {
  type IcebergTable,
  openIcebergTable,
  readSnapshot,
  type Snapshot,
  snapshotAt,
} from "../src/index.js";
import { manifestEntrySchema } from "../src/manifest/manifest-schema.js";
import {
  listedManifests,
  manifestBytes,
  manifestEntry,
  manifestListBytes,
} from "../src/manifest/write-manifest.js";
import { readWhole, writeWhole } from "../src/metadata/table-folders.js";
import { FIRST, firstSnapshot, memoryFolders, type Row, SECOND, secondSnapshot } from "./made-table.js";

async function rowsOf(table: IcebergTable, snapshot?: Snapshot): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of (await readSnapshot(table, snapshot)).files) {
    for await (const { columns, length } of file.rows()) {
      const [ids = [], words = []] = columns.map((column) => column.toArray());
      for (let row = 0; row < length; row++) {
        rows.push([BigInt(Number(ids[row])), words[row] === null ? null : String(words[row])]);
      }
    }
  }
  return rows.sort(([a], [b]) => Number(a - b));
}

const LOCATION = "/warehouse/t";
const DELETES: readonly TableColumn[] = [
  { name: "file_path", type: "STRING", nullable: false, array: false },
  { name: "pos", type: "INT64", nullable: false, array: false },
];

/** The table with its current snapshot's manifest list replaced: an additional manifest has position deletes. */
async function withPositionDeletes(
  table: IcebergTable,
  positions: readonly bigint[],
  change: (dataFile: AvroObject) => AvroObject = (file) => file,
): Promise<IcebergTable> {
  const { folders, metadata } = table;
  const { current, schema } = metadata;
  const list = current?.manifestList.split("/").at(-1) ?? "";
  const cells = [positions.map(() => `${LOCATION}/data/first.parquet`), positions];
  async function* rows() {
    const columns = DELETES.map((column, i) => batchFromValues(column, cells[i] ?? []));
    yield { names: ["file_path", "pos"], columns, length: positions.length, firstRow: 0 };
  }
  const name = "positions.parquet";
  await exportParquet(await folders.data.createSink(name), { columns: DELETES, rows: rows() });
  const file = { name, rows: positions.length, bytes: 1, columns: [], groupOffsets: [], sortOrderId: null };
  const manifest = {
    path: `${LOCATION}/metadata/positions.avro`,
    content: "deletes",
    files: [file],
    snapshotId: current?.id ?? 0n,
    sequenceNumber: metadata.lastSequenceNumber,
    spec: { id: metadata.plainSpecId ?? 0, fields: [] },
  } as const;
  const bytes = await manifestBytes(manifest, schema, () => `${LOCATION}/data/${name}`);
  const entries = (await readAvroContainer(bytes)).map((entry) => {
    const { data_file: dataFile, ...rest } = entry as AvroObject;
    return { ...rest, data_file: change({ ...(dataFile as AvroObject), content: 1 }) };
  });
  const written = await writeAvroContainer(manifestEntrySchema([]), entries);
  await writeWhole(folders.metadata, "positions.avro", written);
  const listed = await listedManifests(await readWhole(folders.metadata, list));
  const numbers = {
    snapshotId: manifest.snapshotId,
    parentId: undefined,
    sequenceNumber: manifest.sequenceNumber,
  };
  const all = [...listed, manifestEntry(manifest, written.length, schema)];
  await writeWhole(folders.metadata, list, await manifestListBytes(all, numbers));
  return table;
}

describe("readSnapshot", () => {
  test("reads both snapshots, with equality deletes applied to earlier rows only", async () => {
    const first = await firstSnapshot(memoryFolders());
    const second = await secondSnapshot(first);
    expect(await rowsOf(second)).toEqual(SECOND);
    const [earlier] = second.metadata.snapshots;
    expect(await rowsOf(second, earlier)).toEqual(FIRST);
    const { columns, keyNames, files } = await readSnapshot(second);
    expect(columns.map(({ name, type, nullable }) => [name, type, nullable])).toEqual([
      ["id", "INT64", false],
      ["word", "STRING", true],
    ]);
    expect([keyNames, files.map(({ name }) => name)]).toEqual([["id"], ["first.parquet", "second.parquet"]]);
  });

  test("applies position deletes", async () => {
    const table = await withPositionDeletes(await firstSnapshot(memoryFolders()), [0n, 2n]);
    expect(await rowsOf(table)).toEqual([FIRST[1]]);
  });

  const [PATH, POSITION] = DELETES as [TableColumn, TableColumn];
  test.each<[string, readonly TableColumn[], readonly (readonly CellValue[])[], string]>([
    ["without positions", [PATH], [["x"]], "pos"],
    ["whose positions are text", [PATH, { ...POSITION, type: "STRING" }], [["x"], ["0"]], "pos"],
    ["whose paths are lists", [{ ...PATH, array: true }, POSITION], [[["x"]], [0n]], "file_path"],
    [
      "with a null",
      [PATH, { ...POSITION, nullable: true }],
      [
        ["x", "x"],
        [0n, null],
      ],
      "pos",
    ],
  ])("refuses position deletes %s", async (_, columns, cells, field) => {
    const table = await withPositionDeletes(await firstSnapshot(memoryFolders()), [0n]);
    async function* rows() {
      const batches = columns.map((column, i) => batchFromValues(column, cells[i] ?? []));
      const length = cells[0]?.length ?? 0;
      yield { names: columns.map(({ name }) => name), columns: batches, length, firstRow: 0 };
    }
    await exportParquet(await table.folders.data.createSink("positions.parquet"), { columns, rows: rows() });
    const error = { code: "E_CORRUPT", field, path: "positions.parquet" };
    await expect(rowsOf(table)).rejects.toMatchObject(error);
  });

  test("position deletes of another file, and empty ones, delete nothing", async () => {
    const table = await withPositionDeletes(await firstSnapshot(memoryFolders()), []);
    expect(await rowsOf(table)).toEqual(FIRST);
  });

  test("closes a data file that it cannot read", async () => {
    const folders = memoryFolders();
    const table = await firstSnapshot(folders);
    await writeWhole(folders.data, "first.parquet", new TextEncoder().encode("PAR1 no more PAR1"));
    let open = 0;
    const dataTree: FileTree = {
      name: "data",
      list: async () => [],
      async openSource(name) {
        open++;
        return { ...memorySource(await readWhole(folders.data, name), name), close: async () => void open-- };
      },
    };
    await expect(rowsOf({ ...table, folders: { ...folders, dataTree } })).rejects.toMatchObject({
      code: "E_CORRUPT",
    });
    expect(open).toBe(0);
  });

  test("finds the snapshot of a time", async () => {
    const first = await firstSnapshot(memoryFolders());
    const { metadata } = await secondSnapshot(first);
    const [a, b] = metadata.snapshots;
    const time = (snapshot: Snapshot | undefined): number => snapshot?.time ?? Number.NaN;
    expect(snapshotAt(metadata, time(a) - 1)).toBeUndefined();
    expect(snapshotAt(metadata, time(a))?.id).toBe(a?.id);
    expect(snapshotAt(metadata, time(b) - 1)?.id).toBe(a?.id);
    expect(snapshotAt(metadata, time(b) + 5)?.id).toBe(b?.id);
  });

  test("reads a table whose location has a scheme, and one that was moved", async () => {
    const folders = memoryFolders(undefined, undefined, "file:/warehouse/t");
    expect(await rowsOf(await firstSnapshot(folders))).toEqual(FIRST);
    const moved = await openIcebergTable({ ...folders, location: "/elsewhere" });
    expect(moved && (await rowsOf(moved))).toEqual(FIRST);
  });

  test.each<[string, Record<string, string>, string]>([
    ["outside the table", { file_path: "/elsewhere/x.parquet" }, "E_UNSUPPORTED"],
    ["of another format", { file_format: "ORC" }, "E_UNSUPPORTED"],
    ["that is missing", { file_path: `${LOCATION}/data/gone.parquet` }, "E_NOT_FOUND"],
  ])("refuses a delete file %s", async (_name, change, code) => {
    const table = await withPositionDeletes(await firstSnapshot(memoryFolders()), [0n], (file) => ({
      ...file,
      ...change,
    }));
    await expect(rowsOf(table)).rejects.toMatchObject({ code });
  });
});
