/**
 * Readers of tables of HBase, Iceberg and Hudi and of table stores with one damaged file. Those of Iceberg, Hudi and table stores do not
 * tolerate damage: they must return all rows or throw.
 */
import { gunzipSync } from "node:zlib";
import { toHex } from "@cfile/bytes";
import { openHBaseRoot, type TableCells, type TableScanOptions } from "@cfile/hbase";
import { openHFile } from "@cfile/hfile";
import { flatColumns, flatRows, openHudiTable, scanColumns, scanRows } from "@cfile/hudi";
import { MemoryDirectory, memorySource, memoryTree } from "@cfile/io";
import { openTableStore } from "@cfile/rowset/store";
import { unpackTar } from "@cfile-tools/testkit/tar";
import { goldenBytes } from "../files/golden-data.js";
import { smallRowSet } from "../files/small-row-set.js";
import type { Subject } from "../harness.js";
import { type FileOfRoot, filesOfRoots } from "../harnesses/hbase-files.js";
import { filesOfIceberg, icebergRows } from "./iceberg-table.js";
import {
  type FileOfTable,
  type Files,
  linesOf,
  type Rows,
  type TolerantReader,
  type Tolerated,
  tableReader,
  undamagedOf,
} from "./tolerant-reader.js";

function cellLine(row: Uint8Array, qualifier: Uint8Array, timestamp: bigint, value: Uint8Array): string {
  return `${toHex(row)} ${toHex(qualifier)} ${timestamp} ${toHex(value)}`;
}

/** A cell of a store file. */
interface StoredCell {
  readonly line: string;
  /** As `String` writes bytes. */
  readonly row: string;
  readonly qualifier: string;
  readonly value: string;
}

/** The cells of all store files, including hidden ones. */
export async function storedCells(files: Files): Promise<readonly StoredCell[]> {
  const cells: StoredCell[] = [];
  for (const [path, bytes] of files) {
    if (/\/[0-9a-f]{32}(?:_SeqId_\d+_)?$/.test(path)) {
      for await (const batch of (await openHFile(memorySource(bytes))).scan()) {
        for (let i = 0; i < batch.length; i++) {
          const { row, qualifier, timestamp } = batch.cell(i);
          const value = batch.value(i);
          cells.push({
            line: cellLine(row, qualifier, timestamp, value),
            row: String(row),
            qualifier: new TextDecoder().decode(qualifier),
            value: String(value),
          });
        }
      }
    }
  }
  return cells;
}

const NOW = 1_795_332_590_000;

/** `NAMESPACE:TABLE`, from the path of a store file. */
export function tableOf(path: string): string {
  const [, namespace = "", name = ""] = /data\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  return `${namespace}:${name}`;
}

function cellLines(cells: TableCells): string[] {
  return Array.from({ length: cells.length }, (_, i) =>
    cellLine(cells.row(i), cells.qualifier(i), cells.timestamp(i), cells.value(i)),
  );
}

async function hbaseCells(
  files: Files,
  table: string,
  recover: boolean,
  options: TableScanOptions = {},
): Promise<{ readonly rows: Rows; readonly losses: number }> {
  const root = await openHBaseRoot(memoryTree(files, "root"));
  await using opened = await root.openTable(table, { recover });
  const rows: string[] = [];
  for await (const batch of opened.scan({ versions: "all", raw: true, now: NOW, ...options })) {
    rows.push(...cellLines(batch));
  }
  return { rows, losses: opened.losses.length };
}

/** Every Nth file, so that each table is represented. */
const EVERY = 5;

/** Some store files of several tables, whose cells are stored only once, each with the files of its table, the archive and the logs. */
export function hbaseStoreFiles(): readonly FileOfRoot[] {
  storeFiles ??= filesOfRoots()
    .filter(({ name }) => /^hbase-table\/data\/(?!default\/(?:mob|walled)|hbase).*\/[0-9a-f]{32}$/.test(name))
    .filter((_, i) => i % EVERY === 0)
    .map((file) => {
      const [folder = ""] = /^data\/[^/]+\/[^/]+\//.exec(file.path) ?? [];
      const kept = [...file.files].filter(([path]) => !path.startsWith("data/") || path.startsWith(folder));
      return { ...file, files: new Map(kept) };
    });
  return storeFiles;
}
let storeFiles: readonly FileOfRoot[] | undefined;

async function storedLines({ name }: Subject): Promise<Rows> {
  const { files = new Map() } = hbaseStoreFiles().find((one) => one.name === name) ?? {};
  return (await storedCells(files)).map(({ line }) => line);
}

const ROWS = 8;

/** The newest cells of some rows, each looked up separately. */
async function hbaseRows(files: Files, table: string, recover: boolean): Promise<Tolerated> {
  const root = await openHBaseRoot(memoryTree(files, "root"));
  await using opened = await root.openTable(table, { recover });
  const rows: string[] = [];
  for (let i = 0; i < ROWS; i++) {
    rows.push(...cellLines(await opened.get(`row${String(i * i * ROWS).padStart(5, "0")}`, { now: NOW })));
  }
  return { rows, lost: undefined, complete: opened.losses.length === 0 };
}

const hbaseLookups = tableReader<FileOfRoot>({
  name: "HBase table, rows by key",
  load: hbaseStoreFiles,
  stored: storedLines,
  strict: async (files, subject) => (await hbaseRows(files, tableOf(subject.path), false)).rows,
  tolerant: (files, subject) => hbaseRows(files, tableOf(subject.path), true),
});

/** The first row of the region that the damaged file belongs to. */
const firstRow = async (files: Files, { path }: FileOfRoot): Promise<TableScanOptions> => {
  const root = await openHBaseRoot(memoryTree(files, "root"));
  await using table = await root.openTable(tableOf(path));
  const region = table.regions.find(({ encodedName }) => path.includes(encodedName));
  return { startRow: region?.startKey ?? new Uint8Array(0), limit: 1 };
};

const hbaseStart = tableReader<FileOfRoot>({
  name: "HBase table, with a limit",
  load: hbaseStoreFiles,
  stored: storedLines,
  strict: async (files, subject) =>
    (await hbaseCells(files, tableOf(subject.path), false, await firstRow(files, subject))).rows,
  tolerant: async (files, subject) => {
    const limit = await firstRow(files, subject);
    const { rows, losses } = await hbaseCells(files, tableOf(subject.path), true, limit);
    return { rows, lost: undefined, complete: losses === 0 };
  },
});

const hbase = tableReader<FileOfRoot>({
  name: "HBase table",
  load: hbaseStoreFiles,
  stored: storedLines,
  strict: async (files, subject) => (await hbaseCells(files, tableOf(subject.path), false)).rows,
  tolerant: async (files, subject): Promise<Tolerated> => {
    const { rows, losses } = await hbaseCells(files, tableOf(subject.path), true);
    return { rows, lost: undefined, complete: losses === 0 };
  },
  commands: {
    strict: (folder, subject) => hbaseScan(folder, subject),
    tolerant: (folder, subject) => [...hbaseScan(folder, subject), "--recover"],
  },
});

function hbaseScan(folder: string, { name }: { readonly name: string }): readonly string[] {
  const path = name.slice(name.indexOf("/") + 1);
  const table = tableOf(path);
  return [
    "hbase",
    "scan",
    folder,
    "--table",
    table,
    "--versions",
    "all",
    "--raw",
    "--now",
    `${NOW}`,
    "--ndjson",
  ];
}

const iceberg = tableReader({
  name: "Iceberg table",
  canMiss: () => true,
  load: filesOfIceberg,
  strict: icebergRows,
  commands: { strict: (folder) => ["compare", folder, undamagedOf(folder)], compares: true },
});

const HUDI_TABLES = ["mor_v9", "mor_v6_h015", "late_rows"];
const LARGEST_HUDI = 100_000;

interface FileOfHudi extends FileOfTable {
  readonly path: string;
}

/** The data files and the timeline of the tables, without files that only speed up reading. */
function filesOfHudi(): FileOfHudi[] {
  return HUDI_TABLES.flatMap((table) => {
    const { files } = unpackTar(gunzipSync(goldenBytes(`hudi-table/${table}.tar.gz`)));
    return [...files]
      .filter(([path, { length }]) => length > 0 && length <= LARGEST_HUDI && DATA_OF_HUDI.test(path))
      .map(([path, bytes]) => ({ name: `${table}/${path}`, bytes, files, path }));
  });
}

const DATA_OF_HUDI = /^(?!\.hoodie\/)(?:.*\/)?(?!\.hoodie)[^/]+\.(?:parquet|log)[^/]*$/;

/** The rows of all columns, sorted, since slices have no order. */
async function hudiRows(files: Files): Promise<Rows> {
  await using table = await openHudiTable(memoryTree(files));
  const columns = flatColumns(await scanColumns(table, { baseOnly: false })).map(({ name }) => name);
  return (await linesOf(flatRows(scanRows(table, { columns })))).sort();
}

const hudi = tableReader({
  name: "Hudi table",
  checksums: false,
  canMiss: () => true,
  load: filesOfHudi,
  strict: hudiRows,
  commands: { strict: (folder) => ["hudi", "scan", folder, "--ndjson"] },
});

async function storeRows(files: Files, asOf?: bigint): Promise<Rows> {
  await using table = await openTableStore(new MemoryDirectory("store", { files: new Map(files) }));
  // Awaited here: the table is closed on return.
  return await linesOf(table.scan({ asOf }));
}

export async function filesOfStore(): Promise<FileOfTable[]> {
  const { files } = await smallRowSet();
  return [...files].map(([name, bytes]) => ({ name, bytes, files }));
}

const STORE = {
  canMiss: () => true,
  load: async () => (await filesOfStore()).filter(({ name }) => name.endsWith(".cfile")),
};

const stores = tableReader({
  ...STORE,
  name: "table store",
  strict: (files) => storeRows(files),
  commands: { strict: (folder) => ["scan", folder, "--ndjson"] },
});

const snapshots = tableReader({
  ...STORE,
  name: "table store, earlier",
  strict: (files) => storeRows(files, 35n),
  commands: { strict: (folder) => ["scan", folder, "--as-of", "35", "--ndjson"] },
});

/** Tables of HBase, Iceberg and Hudi, and table stores. */
export const TABLE_READERS: readonly TolerantReader[] = [
  hbase,
  hbaseLookups,
  hbaseStart,
  iceberg,
  hudi,
  stores,
  snapshots,
];
