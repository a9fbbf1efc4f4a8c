/**
 * The readers that tolerate damage when callers ask for it, each beside the reader that does not: `recoverCFile`,
 * `recoverHFile`, `recoverParquet`, tables of HBase with `recover`. Those of other tables are in `table-readers`, whole directories of
 * Kudu's servers in `directories`.
 */
import { toHex } from "@cfile/bytes";
import { openHBaseRoot } from "@cfile/hbase";
import { type CellBatch, openHFile } from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import { memorySource, memoryTree } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { recoverParquet } from "@cfile/parquet/recover";
import { memorySink, openCFile } from "cfile";
import { recoverCFile } from "cfile/recover";
import { goldenSubjects } from "../files/golden-data.js";
import { goldenFiles } from "../files/golden-file.js";
import { smallHFiles } from "../files/small-hfile.js";
import type { Subject } from "../harness.js";
import { filesOfRoots } from "../harnesses/hbase-files.js";

/** Rows as text, in order. */
export type Rows = readonly string[];

/** What a tolerant reader reports. */
export interface Tolerated {
  readonly rows: Rows;
  /** Number of lost rows; `undefined` if the reader says that it does not know. */
  readonly lost: number | undefined;
  /** Whether the reader claims that nothing is lost. */
  readonly complete: boolean;
}

export interface TolerantReader {
  readonly name: string;
  readonly load: () => readonly Subject[] | Promise<readonly Subject[]>;
  /** @throws {CFileError} for damage */
  readonly strict: (bytes: Uint8Array, subject: Subject) => Promise<Rows>;
  /** Without it, there is no reader that tolerates damage. @throws {CFileError} if nothing can be read */
  readonly tolerant?: ((bytes: Uint8Array, subject: Subject) => Promise<Tolerated>) | undefined;
  /** Rows that may come back when others are lost, with the rows of the table; by default only those, in their order. */
  readonly stored?: (subject: Subject) => Promise<Rows>;
  /** Extension of the file, if `cfile recover` writes it. */
  readonly extension?: string;
  /** Whether the file that `cfile recover` writes has exactly the rows of `tolerant`. */
  readonly keepsRows?: boolean;
  /** Whether checksums cover all bytes that decide about rows. If not, single bits and bytes are not damaged. */
  readonly checksums: boolean;
}

const LARGEST = 6000;

const scanColumn = async (bytes: Uint8Array): Promise<Rows> => {
  const rows: string[] = [];
  for await (const batch of (await openCFile(memorySource(bytes))).scan()) {
    rows.push(...batch.toArray().map(String));
  }
  return rows;
};

const columns: TolerantReader = {
  name: "CFile",
  extension: ".cfile",
  keepsRows: true,
  checksums: true,
  load: async () =>
    (await goldenFiles(LARGEST)).filter(({ checksums, footer }) => checksums && footer.rowCount > 0),
  strict: scanColumn,
  tolerant: async (bytes) => {
    const sink = memorySink();
    const { ledger } = await recoverCFile(memorySource(bytes), sink);
    const lost = ledger.rowsTotal === undefined ? undefined : ledger.rowsLost;
    return { rows: await scanColumn(sink.bytes()), lost, complete: ledger.complete };
  },
};

function cellLines(batch: CellBatch): string[] {
  return Array.from({ length: batch.length }, (_, i) => `${toHex(batch.row(i))} ${toHex(batch.value(i))}`);
}

const hfiles: TolerantReader = {
  name: "HFile",
  extension: ".hfile",
  keepsRows: true,
  checksums: true,
  load: async () => (await smallHFiles()).filter(({ name }) => name.startsWith("hbase")),
  strict: async (bytes) => {
    const rows: string[] = [];
    for await (const batch of (await openHFile(memorySource(bytes))).scan()) {
      rows.push(...cellLines(batch));
    }
    return rows;
  },
  tolerant: async (bytes) => {
    const file = await recoverHFile(memorySource(bytes));
    const rows: string[] = [];
    for await (const batch of file.batches()) {
      rows.push(...cellLines(batch));
    }
    return { rows, lost: undefined, complete: file.lost.length === 0 };
  },
};

const parquetFiles: TolerantReader = {
  name: "Parquet",
  extension: ".parquet",
  checksums: false,
  load: () =>
    goldenSubjects("parquet/", "-checksum.parquet", 200_000).filter(({ name }) => !name.includes("corrupt")),
  strict: async (bytes) => {
    await using file = await openParquet(memorySource(bytes));
    const lines: string[] = [];
    for (const { name } of file.columns) {
      for await (const batch of file.column(name)) {
        lines.push(...batch.toArray().map((cell, i) => `${name} ${batch.firstRow + i} ${String(cell)}`));
      }
    }
    return lines;
  },
  tolerant: async (bytes) => {
    const recovered = await recoverParquet(memorySource(bytes));
    try {
      const lines: string[] = [];
      for (const { name, lost } of recovered.columns) {
        const isLost = (row: number): boolean => lost.some(({ from, to }) => row >= from && row < to);
        for await (const batch of recovered.column(name)) {
          for (const [i, cell] of batch.toArray().entries()) {
            const row = batch.firstRow + i;
            if (!isLost(row)) {
              lines.push(`${name} ${row} ${String(cell)}`);
            }
          }
        }
      }
      const lost = recovered.columns.reduce((sum, { rowsLost }) => sum + rowsLost, 0);
      return { rows: lines, lost, complete: lost === 0 };
    } finally {
      await recovered.close();
    }
  },
};

function cellLine(row: Uint8Array, qualifier: Uint8Array, timestamp: bigint, value: Uint8Array): string {
  return `${toHex(row)} ${toHex(qualifier)} ${timestamp} ${toHex(value)}`;
}

/** The cells of all store files, also those that others hide. */
async function storedCells(subject: Subject): Promise<Rows> {
  const files =
    filesOfRoots().find(({ name }) => name === subject.name)?.files ?? new Map<string, Uint8Array>();
  const rows: string[] = [];
  for (const [path, bytes] of files) {
    if (/\/[0-9a-f]{32}(?:_SeqId_\d+_)?$/.test(path)) {
      for await (const batch of (await openHFile(memorySource(bytes))).scan()) {
        for (let i = 0; i < batch.length; i++) {
          const { row, qualifier, timestamp } = batch.cell(i);
          rows.push(cellLine(row, qualifier, timestamp, batch.value(i)));
        }
      }
    }
  }
  return rows;
}

const NOW = 1_795_332_590_000;

/** A table with one damaged store file. */
async function hbaseCells(
  bytes: Uint8Array,
  subject: Subject,
  recover: boolean,
): Promise<{ rows: Rows; losses: number }> {
  const file = filesOfRoots().find(({ name }) => name === subject.name);
  const files = new Map(file?.files).set(file?.path ?? "", bytes);
  const [, namespace = "", name = ""] = /data\/([^/]+)\/([^/]+)\//.exec(file?.path ?? "") ?? [];
  const root = await openHBaseRoot(memoryTree(files, "root"));
  await using table = await root.openTable(`${namespace}:${name}`, { recover });
  const rows: string[] = [];
  for await (const batch of table.scan({ versions: "all", raw: true, now: NOW })) {
    for (let i = 0; i < batch.length; i++) {
      rows.push(cellLine(batch.row(i), batch.qualifier(i), batch.timestamp(i), batch.value(i)));
    }
  }
  return { rows, losses: table.losses.length };
}

const hbaseTables: TolerantReader = {
  name: "HBase table",
  checksums: true,
  load: () =>
    filesOfRoots()
      .filter(({ name }) => /^hbase-table\/data\/.*\/[0-9a-f]{32}$/.test(name))
      .slice(0, 12),
  stored: storedCells,
  strict: async (bytes, subject) => (await hbaseCells(bytes, subject, false)).rows,
  tolerant: async (bytes, subject) => {
    const { rows, losses } = await hbaseCells(bytes, subject, true);
    return { rows, lost: undefined, complete: losses === 0 };
  },
};

/** Readers of one file, and of HBase tables. */
export const FILE_READERS: readonly TolerantReader[] = [columns, hfiles, parquetFiles, hbaseTables];
