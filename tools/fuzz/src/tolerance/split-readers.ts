/** Readers of splits, with and without `recover`: of CFiles, table stores, Kudu's row sets and tablets, and HBase's regions. */
import type { TableBatch } from "@cfile/encodings/batches";
import { openHBaseRoot } from "@cfile/hbase";
import { memorySource, memoryTree } from "@cfile/io";
import { openKuduDir } from "@cfile/kudu-dir";
import { parseManifest } from "@cfile/rowset/store";
import type { Split } from "@cfile/splits";
import {
  planFiles,
  planKudu,
  planRegions,
  planRowSets,
  planTablets,
  tableOfManifest,
} from "@cfile/splits/plan";
import { type ReadSplitOptions, readSplit, writeSplit } from "@cfile/splits/run";
import { goldenFiles } from "../files/golden-file.js";
import type { Subject } from "../harness.js";
import { TABLET } from "./kudu-readers.js";
import { filesOfStore, hbaseStoreFiles, storedCells, tableOf } from "./table-readers.js";
import {
  type FileOfTable,
  type Files,
  linesOf,
  type Rows,
  type TableCommands,
  type TableReading,
  type TolerantReader,
  type Tolerated,
  tableReader,
} from "./tolerant-reader.js";

/** Splits, and how to read them. */
interface Planned {
  readonly splits: readonly Split[];
  readonly options: ReadSplitOptions;
  /** Default: a line per row. */
  readonly linesOf?: (batches: AsyncIterable<TableBatch>) => Promise<string[]>;
}

type Plan<S extends FileOfTable> = <T>(
  files: Files,
  subject: S,
  use: (planned: Planned) => Promise<T>,
) => Promise<T>;

/** A reader of all splits of a plan. */
function splitReader<S extends FileOfTable>(
  plan: Plan<S>,
  reading: Omit<TableReading<S>, "strict" | "tolerant">,
): TolerantReader {
  return tableReader({
    ...reading,
    strict: (files, subject) => plan(files, subject, readAll),
    tolerant: (files, subject) => plan(files, subject, recoverAll),
  });
}

async function readAll({ splits, options, linesOf: textOf = linesOf }: Planned): Promise<Rows> {
  const rows: string[] = [];
  for (const split of splits) {
    rows.push(...(await textOf(readSplit(split, options))));
  }
  return rows;
}

async function recoverAll({ splits, options, linesOf: textOf = linesOf }: Planned): Promise<Tolerated> {
  const rows: string[] = [];
  let complete = true;
  for (const split of splits) {
    const result = await writeSplit(split, { ...options, recover: true }, (table) => textOf(table.rows));
    rows.push(...result.written);
    complete &&= result.complete;
  }
  return { rows, lost: undefined, complete };
}

const LARGEST = 6000;
const SMALL_SPLIT = 1000;

function sourceOf(files: Files) {
  return async (path: string) => memorySource(files.get(path) ?? new Uint8Array(0), path);
}

const DAMAGED = "damaged.cfile";

/** The commands that plan splits of a folder and run them. */
const planned = (...options: readonly string[]): TableCommands => {
  const args = (folder: string): readonly string[] => ["splits", folder, ...options];
  return { strict: args, tolerant: args, arePlanned: true };
};

/** Two files of one column, so that the undamaged file still shows the type. */
async function columnFiles(): Promise<FileOfTable[]> {
  const golden = await goldenFiles(LARGEST);
  return golden
    .filter(({ checksums, footer }) => checksums && footer.rowCount > 0)
    .map(({ name, bytes }) => ({
      name,
      bytes,
      path: DAMAGED,
      files: new Map([
        [DAMAGED, bytes],
        ["other.cfile", bytes],
      ]),
    }));
}

const columns = splitReader(
  async (files, _subject, use) => {
    const open = sourceOf(files);
    const parts = [...files.keys()].map((path) => ({ files: [path], columns: ["c"] }));
    const splits = await planFiles({ columns: ["c"], parts }, { open, targetBytes: SMALL_SPLIT });
    return use({ splits, options: { open } });
  },
  { name: "splits of CFiles", load: columnFiles, commands: planned("--target", `${SMALL_SPLIT}`) },
);

const stores = splitReader(
  async (files, _subject, use) => {
    const open = sourceOf(new Map([...files].map(([name, bytes]) => [`t/${name}`, bytes])));
    const manifest = parseManifest(files.get("rowset.json") ?? new Uint8Array(0), "rowset.json");
    const splits = await planRowSets(tableOfManifest(manifest, "t"), { open, targetBytes: SMALL_SPLIT });
    return use({ splits, options: { open } });
  },
  {
    name: "splits of a table store",
    load: async () => (await filesOfStore()).filter(({ name }) => name.endsWith(".cfile")),
    commands: planned("--target", `${SMALL_SPLIT}`),
  },
);

const noFile = async (path: string) => memorySource(new Uint8Array(0), path);

function kuduSplits(plan: "row sets" | "tablets"): Plan<FileOfTable> {
  return async (files, _subject, use) => {
    await using dir = await openKuduDir(memoryTree(files, "server"));
    const tablets = await dir.tablets();
    const [damaged] = await dir.damagedTablets();
    if (damaged !== undefined) {
      throw damaged.error;
    }
    const settings = { dirs: ["server"], withLog: plan === "tablets" };
    const splits = await (plan === "row sets"
      ? planKudu(dir, tablets, { ...settings, targetBytes: SMALL_SPLIT })
      : planTablets(tablets, settings));
    return use({ splits, options: { open: noFile, dir } });
  };
}

const rowSets = splitReader(kuduSplits("row sets"), {
  ...TABLET,
  name: "splits of Kudu's row sets",
  commands: planned("--target", `${SMALL_SPLIT}`),
});
const tablets = splitReader(kuduSplits("tablets"), { ...TABLET, name: "splits of Kudu's tablets" });

const NOW = 1_795_332_590_000;
/** Bytes as `String` writes them. */
const cellOf = (row: string, qualifier: string, value: string): string => `${row} ${qualifier} ${value}`;

/** One line per cell: where a cell is lost, an older one may reappear. */
async function cellLines(batches: AsyncIterable<TableBatch>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { columns: batch, length, names } of batches) {
    const [keys = [], ...cells] = batch.map((column) => column.toArray().map(String));
    for (let row = 0; row < length; row++) {
      for (const [i, column] of cells.entries()) {
        const qualifier = names[i + 1]?.split(":").at(-1) ?? "";
        if (column[row] !== "null") {
          lines.push(cellOf(keys[row] ?? "", qualifier, column[row] ?? ""));
        }
      }
    }
  }
  return lines;
}

/** Columns of the family in the path of a store file. */
function cellsOf(path: string): string {
  const family = path.split("/").at(-2) ?? "";
  return `row:binary,${family}:q0:binary,${family}:q1:binary`;
}

function regionSplits(folder: string, { name }: Subject): readonly string[] {
  const path = name.slice(name.indexOf("/") + 1);
  return [
    ...["hbase", "splits", folder, "--table", tableOf(path)],
    ...["--schema", cellsOf(path), "--now", `${NOW}`],
  ];
}

const regions = splitReader(
  async (files, { path = "" }, use) => {
    const root = await openHBaseRoot(memoryTree(files, "root"));
    await using table = await root.openTable(tableOf(path));
    const cells = cellsOf(path);
    const splits = await planRegions(table, { root: "root", cells, withLog: true, now: NOW });
    return await use({ splits, options: { open: noFile, table }, linesOf: cellLines });
  },
  {
    name: "splits of HBase's regions",
    load: hbaseStoreFiles,
    commands: {
      ...{ strict: regionSplits, tolerant: regionSplits, arePlanned: true },
      countOf: (cells) => new Set(cells.map((cell) => cell.slice(0, cell.indexOf(" ")))).size,
    },
    stored: async ({ name }) => {
      const { files = new Map() } = hbaseStoreFiles().find((one) => one.name === name) ?? {};
      return (await storedCells(files)).map(({ row, qualifier, value }) => cellOf(row, qualifier, value));
    },
  },
);

/** All kinds of splits that can be recovered. */
export const SPLIT_READERS: readonly TolerantReader[] = [columns, stores, rowSets, tablets, regions];
