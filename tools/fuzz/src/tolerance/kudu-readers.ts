/**
 * Readers of Kudu's tablets and tables, of one server and of a cluster: with the row sets that can be opened, with the rows that can be
 * recovered, and from other replicas.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryTree } from "@cfile/io";
import {
  CATALOG_TABLET,
  type KuduTablet,
  openKuduCluster,
  openKuduDir,
  type UnreadablePart,
} from "@cfile/kudu-dir";
import { rolesOf } from "@cfile/kudu-dir/catalog";
import { recoveredDiff, type TabletLedger } from "@cfile/kudu-dir/recover";
import { smallestTablet } from "../files/server-files.js";
import type { Subject } from "../harness.js";
import {
  type FileOfTable,
  type Files,
  linesOf,
  type Rows,
  type TableCommands,
  type TolerantReader,
  type Tolerated,
  tableReader,
} from "./tolerant-reader.js";

const golden = fileURLToPath(new URL("../../../../fixtures/golden/", import.meta.url));

/** All files below a folder in `fixtures/golden`, by path in it. */
function filesBelow(folder: string): ReadonlyMap<string, Uint8Array> {
  const root = join(golden, folder);
  return new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1).replaceAll("\\", "/"), new Uint8Array(readFileSync(path))]),
  );
}

function subjectsOf(files: Files): FileOfTable[] {
  return [...files].filter(([, { length }]) => length > 0).map(([name, bytes]) => ({ name, bytes, files }));
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

/** Excludes logs: a cut log looks like an earlier version, so logs are tested with whole directories. */
const NO_LOG = /\/data[-\d]*\/|tablet-meta\//;
/** Blocks, because superblocks list their IDs. */
const canMiss = ({ name }: Subject): boolean => /\/data[-\d]*\/.*(?:\/\d{16}|\.data|\.metadata)$/.test(name);

/** Each file of a tablet, except its log. */
export const TABLET = {
  checksums: true,
  canMiss,
  load: async (): Promise<readonly FileOfTable[]> =>
    (await smallestTablet()).filter(({ name, bytes }) => NO_LOG.test(name) && bytes.length > 0),
};

const kuduScan = (...options: readonly string[]): TableCommands["strict"] => {
  return (folder) => ["kudu", "scan", folder, "--ndjson", ...options];
};

async function withLedgers(
  read: (onLedger: (ledger: TabletLedger) => void) => Promise<Rows>,
): Promise<Tolerated> {
  const ledgers: TabletLedger[] = [];
  const rows = await read((ledger) => ledgers.push(ledger));
  return { rows, lost: undefined, complete: ledgers.every(({ complete }) => complete) };
}

const tablets = tableReader({
  ...TABLET,
  name: "Kudu tablet",
  strict: (files) => withTablet(files, (tablet) => linesOf(tablet.scan({ withLog: true }))),
  tolerant: (files) =>
    withTablet(files, (tablet) =>
      withLedgers((onLedger) => linesOf(tablet.recover({ withLog: true }, () => undefined, onLedger))),
    ),
  commands: {
    strict: kuduScan("--with-log", "--strict"),
    tolerant: kuduScan("--with-log", "--recover"),
  },
});

const conditions = tableReader({
  ...TABLET,
  name: "Kudu tablet, with a condition and a limit",
  stored: async () => {
    const [{ files } = { files: new Map<string, Uint8Array>() }] = await smallestTablet();
    return withTablet(files, (tablet) => linesOf(tablet.scan({ ...selection(tablet), limit: undefined })));
  },
  strict: (files) => withTablet(files, (tablet) => linesOf(tablet.scan(selection(tablet)))),
  tolerant: (files) =>
    withTablet(files, (tablet) =>
      withLedgers((onLedger) => linesOf(tablet.recover(selection(tablet), () => undefined, onLedger))),
    ),
});

const LIMIT = 12;

function selection({ schema: { columns } }: KuduTablet) {
  const names = columns.filter(({ isKey }) => !isKey).map(({ name }) => name);
  const tested = columns.find(({ type, isKey }) => isKey && /^INT(?:8|16|32)$/.test(type));
  const where = tested === undefined ? [] : [{ column: tested.name, op: ">=" as const, value: 3 }];
  return { columns: names.slice(0, 2), where, limit: LIMIT };
}

const KEYS = 40;

/** The first keys of the undamaged tablet, for lookups. */
function lookUps(): Promise<readonly (readonly [string, unknown])[]> {
  keys ??= smallestTablet().then(([{ files } = { files: new Map<string, Uint8Array>() }]) =>
    withTablet(files, async (tablet) => {
      const names = tablet.schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
      const found: (readonly [string, unknown])[] = [];
      for await (const { columns, length } of tablet.scan({ columns: names, limit: KEYS })) {
        const cells = columns.map((column) => column.toArray());
        for (let row = 0; row < length; row++) {
          const key = cells.map((column) => column[row]);
          found.push([String(key), key]);
        }
      }
      return found;
    }),
  );
  return keys;
}
let keys: Promise<readonly (readonly [string, unknown])[]> | undefined;

async function lookedUp(
  tablet: KuduTablet,
  onUnreadable: ((part: UnreadablePart) => void) | undefined,
): Promise<Rows> {
  const rows: string[] = [];
  for (const [name, key] of await lookUps()) {
    const row = await tablet.get(key as Parameters<KuduTablet["get"]>[0], { onUnreadable });
    rows.push(...(row === undefined ? [] : [`${name}: ${Object.values(row).map(String).join("\t")}`]));
  }
  return rows;
}

/** The rows, and whether any part was unreadable. */
async function unlessUnreadable(
  read: (onUnreadable: (part: UnreadablePart) => void) => Promise<Rows>,
): Promise<Tolerated> {
  let complete = true;
  const rows = await read(() => {
    complete = false;
  });
  return { rows, lost: undefined, complete };
}

const lookups = tableReader({
  ...TABLET,
  name: "Kudu tablet, rows by key",
  strict: (files) => withTablet(files, (tablet) => lookedUp(tablet, undefined)),
  tolerant: (files) =>
    withTablet(files, (tablet) => unlessUnreadable((onUnreadable) => lookedUp(tablet, onUnreadable))),
});

const leftOut = tableReader({
  ...TABLET,
  name: "Kudu tablet, row sets left out",
  strict: (files) => withTablet(files, (tablet) => linesOf(tablet.scan())),
  tolerant: (files) =>
    withTablet(files, (tablet) => unlessUnreadable((onUnreadable) => linesOf(tablet.scan({ onUnreadable })))),
  commands: { strict: kuduScan("--strict"), tolerant: kuduScan() },
});

/** Times at which the rows of the tablet changed, from the first one. */
async function changes(tablet: KuduTablet): Promise<{ readonly from: bigint; readonly to: bigint }> {
  const from = await tablet.historyStart();
  return { from: from > 1n ? from : 1n, to: 2n ** 63n };
}

const diffs = tableReader({
  ...TABLET,
  name: "Kudu tablet, changes",
  strict: (files) =>
    withTablet(files, async (tablet) => {
      const { from, to } = await changes(tablet);
      return linesOf(tablet.diff(from, to));
    }),
  tolerant: (files) =>
    withTablet(files, async (tablet) => {
      const { from, to } = await changes(tablet);
      return withLedgers((onLedger) => linesOf(recoveredDiff(tablet, from, to, {}, onLedger)));
    }),
});

/** A server, and a table of several tablets. */
const SERVER = "servers/file";
const SERVER_TABLE = "altered";

async function scanTable(
  files: Files,
  onUnreadable: ((part: UnreadablePart) => void) | undefined,
): Promise<Rows> {
  await using dir = await openKuduDir(memoryTree(files, "server"));
  return linesOf((await dir.table(SERVER_TABLE)).scan({ onUnreadable }));
}

const tables = tableReader({
  name: "Kudu table of a server",
  canMiss,
  load: () => subjectsOf(filesBelow(SERVER)).filter(({ name }) => NO_LOG.test(name)),
  strict: (files) => scanTable(files, undefined),
  tolerant: (files) => unlessUnreadable((onUnreadable) => scanTable(files, onUnreadable)),
  commands: {
    strict: kuduScan("--table", SERVER_TABLE, "--strict"),
    tolerant: kuduScan("--table", SERVER_TABLE),
  },
});

const CLUSTER = "kudu-cluster/four";
const SERVERS = /^(?:master|ts\d)\//;

/** The master and four tablet servers, with the files of one table. */
async function filesOfCluster(table: string): Promise<readonly FileOfTable[]> {
  const all = new Map([...filesBelow(CLUSTER)].filter(([path]) => SERVERS.test(path)));
  const tabletsOfTable = new Set<string>([CATALOG_TABLET]);
  const containers = new Set<string>();
  await using opened = await openKuduCluster(memoryTree(all, "cluster"));
  for (const dir of opened.servers) {
    for (const { id, tableName, rowSets } of await dir.tablets()) {
      if (tableName === table || id === CATALOG_TABLET) {
        tabletsOfTable.add(id);
        for (const { blocks } of rowSets) {
          for (const block of rolesOf(blocks)) {
            const { path = "" } = (await dir.blocks.find(block.id)) ?? {};
            containers.add(path.slice("cluster/".length).replace(/\.data$/, ""));
          }
        }
      }
    }
  }
  const kept = [...all].filter(([path]) => {
    const [, tablet] = /(?:tablet-meta|consensus-meta|wals)\/([0-9a-f]{32})/.exec(path) ?? [];
    const [, container] = /^(.*)\.(?:data|metadata)$/.exec(path) ?? [];
    return container === undefined
      ? tablet === undefined || tabletsOfTable.has(tablet)
      : containers.has(container);
  });
  return subjectsOf(new Map(kept));
}

async function scanCluster(files: Files, table: string): Promise<Rows> {
  await using opened = await openKuduCluster(memoryTree(files, "cluster"));
  return linesOf((await opened.table(table)).scan());
}

async function recoverCluster(files: Files, table: string): Promise<Tolerated> {
  await using opened = await openKuduCluster(memoryTree(files, "cluster"));
  const { tablets: found, missing } = await opened.table(table);
  const tolerated = await withLedgers(async (onLedger) => {
    const rows: string[] = [];
    for (const tablet of found) {
      rows.push(...(await linesOf(tablet.recover({}, () => undefined, onLedger))));
    }
    return rows;
  });
  return { ...tolerated, complete: tolerated.complete && missing.length === 0 };
}

function clusterReader(name: string, table: string): TolerantReader {
  return tableReader({
    name,
    canMiss,
    load: () => filesOfCluster(table),
    strict: (files) => scanCluster(files, table),
    tolerant: (files) => recoverCluster(files, table),
    commands: {
      strict: kuduScan("--table", table, "--strict"),
      tolerant: kuduScan("--table", table, "--recover"),
    },
  });
}

const clusters = clusterReader("Kudu cluster, three replicas", "events");
const lone = clusterReader("Kudu cluster, one replica", "one_copy");

/** Kudu's tablets, tables and clusters. */
export const KUDU_READERS: readonly TolerantReader[] = [
  tablets,
  conditions,
  lookups,
  leftOut,
  diffs,
  tables,
  clusters,
  lone,
];
