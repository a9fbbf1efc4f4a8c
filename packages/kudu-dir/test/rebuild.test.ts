import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileTree } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import { pathToGolden } from "@cfile-tools/testkit";
import { afterAll, describe, expect, it } from "vitest";
import type { RowSetBlocks } from "../src/catalog.js";
import {
  type ChosenOwner,
  type KnownTable,
  type KuduDir,
  type KuduDirInput,
  openKuduCluster,
  openKuduDir,
  type RebuildChoices,
  type RebuildOptions,
  type RebuiltDir,
  type RebuiltRowSet,
  rebuildKuduDir,
  tableOfColumns,
  tablesOfCluster,
  writeRebuiltMetadata,
} from "../src/index.js";
import { clusterPath, clusterTables } from "./cluster.js";
import { collectRows } from "./json-rows.js";
import { clientTables, filesIn, type ServerName, serverFiles, serverPath, treeOf } from "./servers.js";

const folder = mkdtempSync(join(tmpdir(), "rebuild-"));
afterAll(() => rm(folder, { recursive: true }));

/** Directories with known superblocks, and other sources of information about their tables. */
interface Case {
  readonly name: string;
  readonly server: string;
  readonly known: readonly string[];
  /** Whether the write-ahead logs still exist. */
  readonly withLogs?: boolean;
}

const four = (known: string, ...servers: string[]): Case[] =>
  ["ts0", "ts1", "ts2", "ts3"].map((name) => ({
    name: `four/${name}, ${known}`,
    server: clusterPath(name),
    known: servers.filter((other) => other !== name).map(clusterPath),
  }));

const WITHOUT_LOGS: readonly Case[] = [
  ...(["log", "file", "encrypted"] as const).flatMap((name) => {
    const server = pathToGolden(`servers/${name}/ts`);
    return [
      { name: `${name}, catalog`, server, known: [pathToGolden(`server-masters/${name}`)] },
      { name: `${name}, nothing`, server, known: [] },
    ];
  }),
  ...four("catalog", "master"),
  ...four("other servers", "ts0", "ts1", "ts2", "ts3"),
  ...four("nothing"),
  ...["1.9.0", "1.12.0"].map((version) => ({
    name: `${version}, nothing`,
    server: pathToGolden(`kudu-versions/${version}/ts`),
    known: [],
  })),
  { name: "copied, nothing", server: pathToGolden("kudu-cluster/copied/ts"), known: [] },
  { name: "interleaved, nothing", server: pathToGolden("kudu-cluster/interleaved/ts"), known: [] },
  ...["ts2", "ts3"].flatMap((name) => {
    const server = pathToGolden(`kudu-cluster/flushed-together/${name}`);
    return [
      {
        name: `together/${name}, catalog`,
        server,
        known: [pathToGolden("kudu-cluster/flushed-together/m0")],
      },
      { name: `together/${name}, nothing`, server, known: [] },
    ];
  }),
  { name: "delta between, nothing", server: pathToGolden("kudu-cluster/flushed-together/ts3b"), known: [] },
  { name: "restarted, nothing", server: pathToGolden("kudu-cluster/restarted/ts"), known: [] },
];

const CASES: readonly Case[] = [
  ...WITHOUT_LOGS,
  ...WITHOUT_LOGS.filter(({ name }) => !/other servers|copied|interleaved/.test(name)).map((one) => ({
    ...one,
    name: `${one.name.replace("nothing", "only")} logs`,
    withLogs: true,
  })),
];

async function knownTables(paths: readonly string[]): Promise<readonly KnownTable[]> {
  if (paths.length === 0) {
    return [];
  }
  await using cluster = await openKuduCluster(paths);
  return await tablesOfCluster(cluster);
}

/** The data directories of a server, without its metadata. */
function dataRoots(server: KuduDir): string[] {
  return server.roots.dataFolders.map(({ tree, path }) => `${tree.name}/${path}`.replace(/\/data$/, ""));
}

/** All directories of a server without superblocks and Raft configurations: the disk of `--fs_metadata_dir` is lost. */
function withoutMetadata(server: KuduDir): FileTree[] {
  const lost = new Set(["tablet-meta", "consensus-meta"]);
  const { dataFolders, logFolders } = server.roots;
  return [...new Set([...dataFolders, ...logFolders].map(({ tree }) => tree))].map((tree) => ({
    name: tree.name,
    list: async (path) => (await tree.list(path)).filter(({ name }) => !lost.has(name)),
    openSource: (path) => tree.openSource(path),
  }));
}

async function rebuild(roots: readonly KuduDirInput[], options: RebuildOptions): Promise<RebuiltDir> {
  await using dir = await openKuduDir(roots);
  return await rebuildKuduDir(dir, options);
}

interface TrueRowSet {
  readonly tablet: string;
  readonly blocks: RowSetBlocks;
}

/** The real row sets by the block of their key file. */
async function trueRowSets(server: KuduDir): Promise<ReadonlyMap<bigint, TrueRowSet>> {
  const found = new Map<bigint, TrueRowSet>();
  for (const { id: tablet, schema, rowSets } of await server.tablets()) {
    for (const { blocks } of rowSets) {
      found.set(blocks.adhocIndex ?? blocks.columns.get(schema.columns[0]?.id ?? -1) ?? -1n, {
        tablet,
        blocks,
      });
    }
  }
  return found;
}

/** The files of a row set; column IDs only if the schema is known. */
function filesOf({ columns, bloom, adhocIndex, undo, redo }: RowSetBlocks, withIds: boolean): unknown {
  const sorted = [...columns].sort(([left], [right]) => left - right);
  return {
    columns: withIds ? sorted : sorted.map(([, id]) => id).sort(),
    ...{ bloom, adhocIndex, undo, redo },
  };
}

/** Each row set must be exactly as in the superblock, or be reported as ambiguous and have only correct files. */
function stateOf(found: RebuiltRowSet, real: TrueRowSet | undefined): "exact" | "ambiguous" | "wrong" {
  if (real === undefined) {
    return "wrong";
  }
  const isKnown = found.places.some(({ table }) => table.origin === "catalog" || table.origin === "log");
  const all = new Set([...real.blocks.columns.values(), ...real.blocks.undo, ...real.blocks.redo]);
  const { columns, undo, redo, bloom, adhocIndex } = found.blocks;
  const isRight =
    [...columns.values(), ...undo, ...redo].every((id) => all.has(id)) &&
    bloom === real.blocks.bloom &&
    adhocIndex === real.blocks.adhocIndex &&
    found.places.some(({ tablet }) => tablet === undefined || tablet === real.tablet);
  if (found.doubts.length > 0 || found.possibleDeltas.length > 0) {
    return isRight || found.places.length === 0 ? "ambiguous" : "wrong";
  }
  const isSame =
    JSON.stringify(filesOf(found.blocks, isKnown), bigints) ===
    JSON.stringify(filesOf(real.blocks, isKnown), bigints);
  return isSame && isRight && found.places.length === 1 ? "exact" : "wrong";
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

describe("row sets without metadata", () => {
  const counts = new Map<string, Record<string, number>>();

  it.each(CASES)("are found again, or named ambiguous: $name", async ({ name, server: path, ...rest }) => {
    const { known, withLogs = false } = rest;
    await using server = await openKuduDir(path);
    const real = await trueRowSets(server);
    const roots = withLogs ? withoutMetadata(server) : dataRoots(server);
    const rebuilt = await rebuild(roots, { tables: await knownTables(known) });
    const count = { exact: 0, ambiguous: 0, wrong: 0 };
    for (const rowSet of rebuilt.rowSets) {
      count[stateOf(rowSet, real.get(rowSet.id))]++;
    }
    counts.set(name, count);
    expect(rebuilt.rowSets.map(({ id }) => id).sort()).toEqual([...real.keys()].sort());
    expect(count.wrong).toBe(0);
  });

  it("are found as often as this table says", () => {
    const lines = [...counts].map(
      ([name, { exact, ambiguous }]) => `${name.padEnd(24)} exact ${exact}, ambiguous ${ambiguous}`,
    );
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "log, catalog             exact 1, ambiguous 39
      log, nothing             exact 3, ambiguous 37
      file, catalog            exact 0, ambiguous 8
      file, nothing            exact 0, ambiguous 8
      encrypted, catalog       exact 2, ambiguous 2
      encrypted, nothing       exact 2, ambiguous 2
      four/ts0, catalog        exact 17, ambiguous 0
      four/ts1, catalog        exact 16, ambiguous 0
      four/ts2, catalog        exact 11, ambiguous 0
      four/ts3, catalog        exact 10, ambiguous 7
      four/ts0, other servers  exact 16, ambiguous 1
      four/ts1, other servers  exact 15, ambiguous 1
      four/ts2, other servers  exact 10, ambiguous 1
      four/ts3, other servers  exact 8, ambiguous 9
      four/ts0, nothing        exact 13, ambiguous 4
      four/ts1, nothing        exact 13, ambiguous 3
      four/ts2, nothing        exact 10, ambiguous 1
      four/ts3, nothing        exact 10, ambiguous 7
      1.9.0, nothing           exact 4, ambiguous 5
      1.12.0, nothing          exact 1, ambiguous 13
      copied, nothing          exact 2, ambiguous 0
      interleaved, nothing     exact 1, ambiguous 3
      together/ts2, catalog    exact 1, ambiguous 2
      together/ts2, nothing    exact 1, ambiguous 2
      together/ts3, catalog    exact 1, ambiguous 2
      together/ts3, nothing    exact 1, ambiguous 2
      delta between, nothing   exact 0, ambiguous 2
      restarted, nothing       exact 7, ambiguous 1
      log, catalog logs        exact 40, ambiguous 0
      log, only logs           exact 39, ambiguous 1
      file, catalog logs       exact 8, ambiguous 0
      file, only logs          exact 8, ambiguous 0
      encrypted, catalog logs  exact 4, ambiguous 0
      encrypted, only logs     exact 4, ambiguous 0
      four/ts0, catalog logs   exact 17, ambiguous 0
      four/ts1, catalog logs   exact 16, ambiguous 0
      four/ts2, catalog logs   exact 11, ambiguous 0
      four/ts3, catalog logs   exact 17, ambiguous 0
      four/ts0, only logs      exact 17, ambiguous 0
      four/ts1, only logs      exact 16, ambiguous 0
      four/ts2, only logs      exact 11, ambiguous 0
      four/ts3, only logs      exact 17, ambiguous 0
      1.9.0, only logs         exact 9, ambiguous 0
      1.12.0, only logs        exact 14, ambiguous 0
      together/ts2, catalog logs exact 1, ambiguous 2
      together/ts2, only logs  exact 1, ambiguous 2
      together/ts3, catalog logs exact 1, ambiguous 2
      together/ts3, only logs  exact 1, ambiguous 2
      delta between, only logs exact 0, ambiguous 2
      restarted, only logs     exact 8, ambiguous 0"
    `);
  });
});

/** Writes metadata for a server's data directories; the rebuilt tablets by ID, and the directories opened with them. */
async function rewritten(path: string, known: readonly string[], withoutPossibleDeltas: boolean) {
  const root = mkdtempSync(join(folder, "root-"));
  await using server = await openKuduDir(path);
  const roots = dataRoots(server);
  await using data = await openKuduDir(roots);
  const rebuilt = await rebuildKuduDir(data, { tables: await knownTables(known) });
  const openFolder = (name: string) => fileDirectory(join(root, name), { create: true, sync: false });
  const { written } = await writeRebuiltMetadata(data, rebuilt, { openFolder, withoutPossibleDeltas });
  return {
    tablets: new Map(written.map((tablet) => [tablet.id, tablet])),
    dir: await openKuduDir([root, ...roots]),
  };
}

const SERVERS = [
  ...(["log", "file", "encrypted"] as const).map((name: ServerName) => ({
    name,
    path: pathToGolden(`servers/${name}/ts`),
    known: [pathToGolden(`server-masters/${name}`)],
    tables: clientTables(name).filter(({ table }) => table !== "unflushed"),
  })),
  ...["ts0", "ts1", "ts2"].map((name) => ({
    name,
    path: clusterPath(name),
    known: [clusterPath("master")],
    // The last writes were only in the logs, and one server had stopped before.
    tables: clusterTables("rows").map((client) => ({ ...client, snapshots: client.snapshots.slice(0, -1) })),
  })),
];

describe.each(SERVERS)("rebuilt metadata of $name", ({ path, known, tables }) => {
  it.each([false, true])(
    "give the rows that Kudu's client read, without the delta files that are ambiguous: %s",
    async (withoutPossibleDeltas) => {
      const { dir, tablets } = await rewritten(path, known, withoutPossibleDeltas);
      let compared = 0;
      for (const { snapshots, columns } of tables) {
        for (const { timestamp, tablets: expected } of snapshots) {
          for (const [id, rows] of Object.entries(expected)) {
            const rebuilt = tablets.get(id);
            const asOf = BigInt(timestamp);
            if (rebuilt === undefined || asOf > (rebuilt.certainUntil ?? asOf)) {
              continue;
            }
            const tablet = await dir.tablet(id);
            const names = columns.map(
              (column) => tablet.schema.columns.find((one) => one.id === column.id)?.name ?? "?",
            );
            expect(await collectRows(tablet.scan({ asOf, columns: names, partialHistory: true }))).toEqual(
              rows,
            );
            compared++;
          }
        }
      }
      await dir.close();
      expect(compared).toBeGreaterThanOrEqual(withoutPossibleDeltas ? 1 : 0);
    },
  );
});

/** Block files of server `file` without its metadata, to be changed. */
function blockFiles(): Map<string, Uint8Array> {
  return new Map([...serverFiles("file")].filter(([path]) => !path.startsWith("ts/wal/")));
}

async function rebuildFiles(files: ReadonlyMap<string, Uint8Array>, options: RebuildOptions = {}) {
  await using dir = await openKuduDir(treeOf(files));
  const tables = await knownTables([pathToGolden("server-masters/file")]);
  return await rebuildKuduDir(dir, { tables, ...options });
}

/** The path of a block's file. */
function pathOf(files: ReadonlyMap<string, Uint8Array>, id: bigint): string {
  return [...files.keys()].find((path) => path.endsWith(`/${String(id).padStart(16, "0")}`)) ?? "";
}

/** The position of a block file among all: the upper bits of its ID are the data directory. */
function orderOf(id: bigint): bigint {
  return BigInt.asUintN(48, id);
}

function ownerOf(owners: ReadonlyMap<bigint, bigint>, block: bigint): ChosenOwner | undefined {
  const rowSet = owners.get(block);
  return rowSet === undefined ? undefined : { rowSet };
}

describe("what the files leave open", () => {
  it("is decided by the user: with the right choices, all row sets are as before", async () => {
    await using server = await openKuduDir(serverPath("file"));
    const real = await trueRowSets(server);
    const files = blockFiles();
    const { ambiguous } = await rebuildFiles(files);
    expect(ambiguous.length).toBeGreaterThan(0);
    const owners = new Map(
      [...real].flatMap(([id, { blocks }]) => blocks.redo.map((block) => [block, id] as const)),
    );
    const blocks = new Map(ambiguous.flatMap((one) => one.blocks.map(({ id }) => [id, ownerOf(owners, id)])));
    const rebuilt = await rebuildFiles(files, { choices: { blocks } });
    expect(rebuilt.ambiguous).toEqual([]);
    expect(rebuilt.leftover).toEqual([]);
    expect(rebuilt.rowSets.map((rowSet) => stateOf(rowSet, real.get(rowSet.id)))).toEqual(
      rebuilt.rowSets.map(() => "exact"),
    );
  });

  it("includes a delta file that the user leaves out", async () => {
    const files = blockFiles();
    const { ambiguous } = await rebuildFiles(files);
    const blocks = new Map(ambiguous.flatMap((one) => one.blocks.map(({ id }) => [id, undefined])));
    const rebuilt = await rebuildFiles(files, { choices: { blocks } });
    expect(rebuilt.ambiguous).toEqual([]);
    expect(rebuilt.leftover.map(({ block }) => block.id).sort()).toEqual([...blocks.keys()].sort());
  });

  it("cannot be given to a row set that does not exist", async () => {
    const files = blockFiles();
    const [first] = (await rebuildFiles(files)).ambiguous;
    const blocks = new Map([[first?.blocks[0]?.id ?? 0n, { rowSet: 7n }]]);
    await expect(rebuildFiles(files, { choices: { blocks } })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("includes a delta file that is damaged", async () => {
    const files = blockFiles();
    const [{ block } = { block: undefined }] = (await rebuildFiles(files)).ambiguous.flatMap(({ blocks }) =>
      blocks.map((one) => ({ block: one })),
    );
    const path = pathOf(files, block?.id ?? 0n);
    files.set(
      path,
      (files.get(path) ?? new Uint8Array()).map((byte, i) => (i === 40 ? byte ^ 0xff : byte)),
    );
    const { ambiguous, rowSets } = await rebuildFiles(files);
    const named = ambiguous.find(({ blocks }) => blocks.some(({ id }) => id === block?.id));
    expect(named?.candidates.length).toBeGreaterThan(0);
    for (const id of named?.candidates ?? []) {
      expect(rowSets.find((one) => one.id === id)?.possibleDeltas.map((one) => one.id)).toContain(block?.id);
    }
  });

  it("includes a damaged block: it may be a delta file of any row set before it", async () => {
    const files = blockFiles();
    const [delta] = (await rebuildFiles(files)).ambiguous.flatMap(({ blocks }) => blocks);
    const path = pathOf(files, delta?.id ?? 0n);
    files.set(path, (files.get(path) ?? new Uint8Array()).slice(0, -1));
    const { rowSets, tablets, leftover } = await rebuildFiles(files);
    expect(leftover.map(({ block }) => block.id)).toContain(delta?.id);
    const doubtful = rowSets.filter(({ possibleDeltas }) =>
      possibleDeltas.some(({ id }) => id === delta?.id),
    );
    expect(doubtful.map(({ id }) => id)).toEqual(
      rowSets.filter(({ id }) => orderOf(id) < orderOf(delta?.id ?? 0n)).map(({ id }) => id),
    );
    for (const { certainUntil } of tablets.filter((tablet) =>
      tablet.rowSets.some((one) => doubtful.includes(one)),
    )) {
      expect(certainUntil).toBe(0n);
    }
  });

  it("is named if an unfinished compaction left two row sets with the same keys", async () => {
    const files = blockFiles();
    const before = await rebuildFiles(files);
    const small = before.tablets.find(({ table }) => table.name === "small");
    const [original] = small?.rowSets ?? [];
    for (const { block } of original?.files ?? []) {
      const path = pathOf(files, block.id);
      files.set(
        path.replace(/\d+$/, String(block.id + 1000n).padStart(16, "0")),
        files.get(path) ?? new Uint8Array(),
      );
    }
    const rebuilt = await rebuildFiles(files);
    const tablet = rebuilt.tablets.find(({ table }) => table.name === "small");
    expect(rebuilt.rowSets.length).toBe(before.rowSets.length + 1);
    expect(tablet?.doubts.join()).toContain("share key");
  });

  it("is nothing if a column is damaged: its file keeps its role", async () => {
    const files = blockFiles();
    const before = await rebuildFiles(files);
    const column = before.rowSets[0]?.blocks.columns.get(1) ?? 0n;
    const path = pathOf(files, column);
    files.set(path, (files.get(path) ?? new Uint8Array()).slice(0, -1));
    const rebuilt = await rebuildFiles(files);
    expect(rebuilt.rowSets[0]?.blocks).toEqual(before.rowSets[0]?.blocks);
    expect(rebuilt.rowSets[0]?.files.find(({ block }) => block.id === column)?.evidence).toContain("damaged");
  });

  it("is a row set whose key file is damaged: the other files are left over", async () => {
    const files = blockFiles();
    const [first] = (await rebuildFiles(files)).rowSets;
    const path = pathOf(files, first?.id ?? 0n);
    files.set(path, (files.get(path) ?? new Uint8Array()).slice(0, -1));
    const rebuilt = await rebuildFiles(files);
    expect(rebuilt.rowSets.map(({ id }) => id)).not.toContain(first?.id);
    const left = rebuilt.leftover.map(({ block }) => block.id);
    expect(left).toContain(first?.id);
    expect(left).toContain(first?.blocks.bloom);
  });
});

describe("a copied replica", () => {
  const root = pathToGolden("kudu-cluster/copied");
  /** In the order of a copy: columns, REDO file, UNDO file, Bloom file, ad-hoc index. */
  const copied = [
    ...[307784506275828n, 26309529565173n, 307784506275830n],
    ...[26309529565175n, 307784506275832n, 26309529565177n, 307784506275834n],
  ];
  const [redo, undo] = [26309529565175n, 307784506275832n];
  const [id, other] = [307784506275834n, 307784506275756n];

  function blockFilesOf(): Map<string, Uint8Array> {
    return new Map([...filesIn(root)].filter(([path]) => !path.startsWith("ts/wal/")));
  }

  async function rebuilt(
    files: ReadonlyMap<string, Uint8Array>,
    tables: readonly KnownTable[] = [],
  ): Promise<RebuiltDir> {
    await using dir = await openKuduDir(treeOf(files));
    return await rebuildKuduDir(dir, { tables });
  }

  it("has UNDO and REDO files by the order of changes in each row", async () => {
    const found = (await rebuilt(blockFilesOf())).rowSets.find((one) => one.id === id);
    expect(found).toMatchObject({ doubts: [], possibleDeltas: [], blocks: { redo: [redo], undo: [undo] } });
  });

  it("has no certain delta files if one of them is missing", async () => {
    const files = blockFilesOf();
    files.delete(pathOf(files, undo));
    const { ambiguous, rowSets } = await rebuilt(files);
    const named = ambiguous.find(({ blocks }) => blocks.some((block) => block.id === redo));
    expect(named?.candidates).toContain(id);
    expect(rowSets.flatMap(({ blocks }) => [...blocks.redo, ...blocks.undo])).not.toContain(redo);
  });

  it("takes no file of another one that was copied at the same time", async () => {
    const files = blockFilesOf();
    await using server = await openKuduDir(root);
    const { columns, redo: redos, undo: undos, bloom } = (await trueRowSets(server)).get(other)?.blocks ?? {};
    const second = [...(columns?.values() ?? []), ...(redos ?? []), ...(undos ?? []), bloom ?? 0n];
    const owners = new Map<bigint, readonly bigint[]>();
    let at = 26309529566000n;
    for (let i = 0; i < second.length; i++) {
      for (const blocks of [copied, second]) {
        const block = blocks[i];
        if (block !== undefined) {
          const path = pathOf(files, block);
          const renamed = ((block >> 48n) << 48n) | at++;
          files.set(
            path.replace(/\d+$/, String(renamed).padStart(16, "0")),
            files.get(path) ?? new Uint8Array(),
          );
          files.delete(path);
          owners.set(renamed, blocks);
        }
      }
    }
    const { rowSets } = await rebuilt(files, await knownTables([root]));
    expect(rowSets.length).toBe(2);
    for (const rowSet of rowSets) {
      const { blocks } = rowSet;
      for (const block of [...blocks.columns.values(), ...blocks.redo, ...blocks.undo, blocks.bloom ?? -1n]) {
        expect(owners.get(block)).toBe(owners.get(rowSet.id));
      }
      const isWhole = [...blocks.redo, ...blocks.undo].length === 2;
      expect(isWhole || rowSet.doubts.length + rowSet.possibleDeltas.length > 0).toBe(true);
    }
  });
});

describe("columns that a compaction made", () => {
  async function rebuiltWith(blocks: RebuildChoices["blocks"]): Promise<RebuiltDir> {
    await using server = await openKuduDir(clusterPath("ts3"));
    const tables = await knownTables([clusterPath("master")]);
    return await rebuild(dataRoots(server), { tables, choices: { blocks } });
  }

  it("can be given to a row set, and to none that has all its columns", async () => {
    const before = await rebuiltWith(new Map());
    const evidenceOf = ({ rowSets }: RebuiltDir, owner: bigint, block: bigint) =>
      rowSets
        .find(({ id }) => id === owner)
        ?.files.find((file) => file.block.id === block && file.role.startsWith("column"))?.evidence;
    const [made] = before.rowSets.flatMap(({ id, files }) =>
      files
        .filter(({ role, evidence }) => role.startsWith("column") && evidence.includes("lacks such a column"))
        .map(({ block, role }) => ({ owner: id, block: block.id, column: Number(role.split(" ")[1]) })),
    );
    const { owner, block, column } = made ?? { owner: 0n, block: 0n, column: 0 };
    expect(evidenceOf(before, owner, block)).toContain("lacks such a column");
    for (const choice of [{ rowSet: owner }, { rowSet: owner, column }]) {
      expect(evidenceOf(await rebuiltWith(new Map([[block, choice]])), owner, block)).toBe("chosen");
    }
    const other = before.rowSets.find(({ id }) => id !== owner)?.id ?? 0n;
    for (const choice of [{ rowSet: other }, { rowSet: owner, column: column + 1000 }]) {
      await expect(rebuiltWith(new Map([[block, choice]]))).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
      });
    }
    const left = await rebuiltWith(new Map([[block, undefined]]));
    expect(left.rowSets.find(({ id }) => id === owner)?.doubts.join()).not.toBe("");
  });
});

describe("a table that the user describes", () => {
  it("has its names and rows", async () => {
    const [client] = clientTables("encrypted").filter(({ table }) => table === "small");
    await using server = await openKuduDir(serverPath("encrypted"));
    const { schema } = await server
      .table("small")
      .then(({ tablets: [tablet] }) => tablet ?? { schema: { columns: [] } });
    const table = await tableOfColumns("mine", schema.columns);
    const rebuilt = await rebuild(dataRoots(server), { tables: [table] });
    const mine = rebuilt.tablets.filter((tablet) => tablet.table.name === "mine");
    expect(client).toBeDefined();
    expect(mine.length).toBe(3);
    expect(mine[0]?.table.schema.columns.map(({ name }) => name)).toEqual(
      schema.columns.map(({ name }) => name),
    );
  });
});
