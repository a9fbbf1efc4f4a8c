/**
 * Readers of tables with one damaged file: splits with `recover`, and tablets of a Kudu server. Tables of Iceberg have no reader that
 * tolerates damage: theirs must return all rows or throw.
 */
import type { TableBatch } from "@cfile/encodings/batches";
import { memorySource, memoryTree } from "@cfile/io";
import { type KuduTablet, openKuduDir } from "@cfile/kudu-dir";
import type { TabletLedger } from "@cfile/kudu-dir/recover";
import { planFiles } from "@cfile/splits/plan";
import { readSplit, writeSplit } from "@cfile/splits/run";
import { goldenFiles } from "../files/golden-file.js";
import { smallestTablet } from "../files/server-files.js";
import type { Subject } from "../harness.js";
import { filesOfIceberg, icebergRows } from "./iceberg-table.js";
import type { Rows, TolerantReader, Tolerated } from "./tolerant-readers.js";

/** Files by path. */
type Files = ReadonlyMap<string, Uint8Array>;

interface FileOfTable extends Subject {
  readonly files: Files;
}

async function linesOf(batches: AsyncIterable<TableBatch>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { columns, length } of batches) {
    const cells = columns.map((column) => column.toArray().map(String));
    for (let row = 0; row < length; row++) {
      lines.push(cells.map((column) => column[row]).join("\t"));
    }
  }
  return lines;
}

const LARGEST_SPLIT_FILE = 6000;
const SMALL_SPLIT = 1000;

async function splitsOf(bytes: Uint8Array) {
  const open = async () => memorySource(bytes, "column.cfile");
  const files = { columns: ["c"], parts: [{ files: ["column.cfile"], columns: ["c"] }] };
  return { open, splits: await planFiles(files, { open, targetBytes: SMALL_SPLIT }) };
}

const splits: TolerantReader = {
  name: "splits of a CFile",
  checksums: true,
  load: async () =>
    (await goldenFiles(LARGEST_SPLIT_FILE)).filter(
      ({ checksums, footer }) => checksums && footer.rowCount > 0,
    ),
  strict: async (bytes) => {
    const { open, splits: all } = await splitsOf(bytes);
    const rows: string[] = [];
    for (const split of all) {
      rows.push(...(await linesOf(readSplit(split, { open }))));
    }
    return rows;
  },
  tolerant: async (bytes) => {
    const { open, splits: all } = await splitsOf(bytes);
    const rows: string[] = [];
    let lost = 0;
    for (const split of all) {
      const options = { open, recover: true };
      const result = await writeSplit(split, options, async (table) => linesOf(table.rows));
      rows.push(...result.written);
      lost += result.rowsLost;
    }
    return { rows, lost, complete: lost === 0 };
  },
};

/** Reads a table of several files with a single damaged one. */
function tableReader(
  name: string,
  load: () => Promise<readonly FileOfTable[]>,
  strict: (files: Files) => Promise<Rows>,
  tolerant: ((files: Files) => Promise<Tolerated>) | undefined,
): TolerantReader {
  let loaded: Promise<readonly FileOfTable[]> | undefined;
  const all = (): Promise<readonly FileOfTable[]> => {
    loaded ??= load();
    return loaded;
  };
  const filesWith = async (bytes: Uint8Array, subject: Subject): Promise<Files> => {
    const { files = new Map<string, Uint8Array>() } =
      (await all()).find((one) => one.name === subject.name) ?? {};
    return new Map(files).set(subject.name, bytes);
  };
  return {
    name,
    checksums: true,
    load: all,
    strict: async (bytes, subject) => strict(await filesWith(bytes, subject)),
    tolerant: tolerant && (async (bytes, subject) => tolerant(await filesWith(bytes, subject))),
  };
}

/** @throws {CFileError} for a tablet whose superblock cannot be read */
async function withTablet<T>(files: Files, use: (tablet: KuduTablet) => Promise<T>): Promise<T> {
  await using dir = await openKuduDir(memoryTree(files, "server"));
  const [tablet] = await dir.tablets();
  const [damaged] = await dir.damagedTablets();
  if (tablet === undefined) {
    throw damaged?.error ?? new TypeError("the tablet is neither there nor damaged");
  }
  return use(tablet);
}

async function recovered(tablet: KuduTablet): Promise<Tolerated> {
  const ledgers: TabletLedger[] = [];
  const rows = await linesOf(
    tablet.recover(
      { withLog: true },
      () => undefined,
      (ledger) => ledgers.push(ledger),
    ),
  );
  return { rows, lost: undefined, complete: ledgers.every(({ complete }) => complete) };
}

/** A log that was cut looks like one that was shorter: logs are damaged with whole directories. */
const NO_LOG = /\/data\d*\/|tablet-meta\//;

const tablets = tableReader(
  "Kudu tablet",
  async () => (await smallestTablet()).filter(({ name, bytes }) => NO_LOG.test(name) && bytes.length > 0),
  (files) => withTablet(files, (tablet) => linesOf(tablet.scan({ withLog: true }))),
  (files) => withTablet(files, recovered),
);

const iceberg = tableReader("Iceberg table", filesOfIceberg, icebergRows, undefined);

export const TABLE_READERS: readonly TolerantReader[] = [splits, tablets, iceberg];
