import { openCFile } from "@cfile/format";
import { memorySource } from "@cfile/io";
import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it, vi } from "vitest";
import type { RowSetBlocks } from "../src/catalog.js";
import {
  type KuduDir,
  openKuduCluster,
  openKuduDir,
  type RebuildOptions,
  type RebuiltDir,
  rebuildKuduDir,
  type StoredBlock,
  tablesOfCluster,
} from "../src/index.js";
import { clusterPath } from "./cluster.js";
import { serverFiles, serverPath, treeOf } from "./servers.js";

type Files = ReadonlyMap<string, Uint8Array>;

const ALL = serverFiles("file");
const WITHOUT_LOGS = new Map([...ALL].filter(([path]) => !path.startsWith("ts/wal/")));
const WITH_LOGS = new Map([...ALL].filter(([path]) => !/tablet-meta|consensus-meta/.test(path)));

function blocksOf({ columns, undo, redo, bloom, adhocIndex }: RowSetBlocks): Set<bigint> {
  return new Set([...columns.values(), ...undo, ...redo, bloom, adhocIndex].filter((id) => id !== undefined));
}

/** The real blocks of each row set, by the block of its key file. */
async function realRowSets(server: KuduDir): Promise<ReadonlyMap<bigint, RowSetBlocks>> {
  return new Map(
    (await server.tablets()).flatMap(({ rowSets, schema }) =>
      rowSets.map(({ blocks }) => {
        const [key] = schema.columns;
        return [blocks.adhocIndex ?? blocks.columns.get(key?.id ?? -1) ?? -1n, blocks] as const;
      }),
    ),
  );
}

async function rebuilt(files: Files, options: RebuildOptions): Promise<RebuiltDir> {
  await using dir = await openKuduDir(treeOf(files));
  return await rebuildKuduDir(dir, options);
}

async function catalog(): Promise<RebuildOptions> {
  await using cluster = await openKuduCluster([pathToGolden("server-masters/file")]);
  return { tables: await tablesOfCluster(cluster) };
}

/** Files that a row set has wrongly, or that it certainly lacks although they are on the disk. */
function faultsOf(
  { rowSets }: RebuiltDir,
  real: ReadonlyMap<bigint, RowSetBlocks>,
  damaged: bigint,
): readonly string[] {
  return rowSets.flatMap(({ id, blocks, doubts, possibleDeltas, places }) => {
    const own = real.get(id);
    const truth = own === undefined ? new Set<bigint>() : blocksOf(own);
    const found = blocksOf(blocks);
    const isCertain = doubts.length === 0 && possibleDeltas.length === 0 && places.length === 1;
    return [
      ...[...found].filter((block) => !truth.has(block)).map((block) => `${id} has ${block}`),
      ...[...truth]
        .filter((block) => isCertain && block !== damaged && !found.has(block))
        .map((block) => `${id} lacks ${block}`),
    ];
  });
}

const DAMAGE: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array | undefined>> = {
  lost: () => undefined,
  "cut off": (bytes) => bytes.subarray(0, -1),
  "with a flipped byte": (bytes) => bytes.map((byte, i) => (i === 40 ? byte ^ 0xff : byte)),
};
const KNOWLEDGE: Readonly<Record<string, readonly [Files, () => Promise<RebuildOptions>]>> = {
  "the catalog": [WITHOUT_LOGS, catalog],
  nothing: [WITHOUT_LOGS, () => Promise.resolve({})],
  logs: [WITH_LOGS, () => Promise.resolve({})],
};
/** All key files and Bloom files, and every sixth of the other files of each row set. */
function someBlocks(real: ReadonlyMap<bigint, RowSetBlocks>): readonly bigint[] {
  return [...real].flatMap(([id, blocks]) =>
    [...blocksOf(blocks)].filter((block, i) => block === id || block === blocks.bloom || i % 6 === 0),
  );
}

/** A file that can be opened although its first block is damaged. */
async function withDamagedBlock(block: StoredBlock): Promise<StoredBlock> {
  const { source } = block;
  const [first] = await (await openCFile(source)).listDataBlocks();
  const bytes = (await source.read(0, Number(await source.size()))).slice();
  const at = first?.offset ?? 0;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return { ...block, source: memorySource(bytes, source.name) };
}

/** Row sets of a server whose blocks are in log containers, without its metadata and, optionally, its logs. */
async function rebuiltFrom(
  server: KuduDir,
  change: (blocks: readonly StoredBlock[]) => readonly StoredBlock[] | Promise<readonly StoredBlock[]>,
  withLogs = false,
): Promise<RebuiltDir> {
  const { dataFolders, logFolders } = server.roots;
  const trees = new Set([...dataFolders, ...(withLogs ? logFolders : [])].map(({ tree }) => tree));
  const hidden = new Set(["tablet-meta", "consensus-meta", ...(withLogs ? [] : ["wals"])]);
  await using dir = await openKuduDir(
    [...trees].map((tree) => ({
      name: tree.name,
      list: async (path) => (await tree.list(path)).filter(({ name }) => !hidden.has(name)),
      openSource: (path) => tree.openSource(path),
    })),
  );
  vi.spyOn(dir.blocks, "list").mockResolvedValue(await change(await dir.blocks.list()));
  return await rebuildKuduDir(dir);
}

describe("one damaged file", () => {
  const cases = Object.keys(KNOWLEDGE).flatMap((known) =>
    Object.keys(DAMAGE).map((damage) => ({ known, damage })),
  );
  it.each(cases)("$damage gives no row set a wrong file, knowing $known", async ({ known, damage }) => {
    await using server = await openKuduDir(serverPath("file"));
    const real = await realRowSets(server);
    const [files, optionsOf] = KNOWLEDGE[known] ?? [ALL, catalog];
    const options = await optionsOf();
    const damaged = someBlocks(real);
    const faults: string[] = [];
    for (const block of damaged) {
      const [path, bytes] = [...files].find(([name]) => name.endsWith(String(block).padStart(16, "0"))) ?? [];
      const after = bytes && DAMAGE[damage]?.(bytes);
      const left = new Map([...files].filter(([name]) => name !== path));
      const changed = path === undefined || after === undefined ? left : left.set(path, after);
      faults.push(
        ...faultsOf(await rebuilt(changed, options), real, block).map((one) => `${block} damaged: ${one}`),
      );
    }
    expect(damaged.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it.each([
    ["ts0", false, 1008n],
    ["ts3", true, 835n],
  ])(
    "in log containers, lost, gives no row set a wrong file: %s, logs: %s",
    async (name, withLogs, column) => {
      await using server = await openKuduDir(clusterPath(name));
      const real = await realRowSets(server);
      const faults: string[] = [];
      const some = [...real.keys()].flatMap((id, i) => (i % 4 === 0 ? [id, real.get(id)?.bloom ?? id] : []));
      for (const block of [column, ...some]) {
        const found = await rebuiltFrom(server, (all) => all.filter(({ id }) => id !== block), withLogs);
        faults.push(...faultsOf(found, real, block).map((one) => `${block} lost: ${one}`));
      }
      expect(faults).toEqual([]);
    },
  );

  it.each(["copied/ts", "interleaved/ts", "renumbered/ts1", "restarted/ts", "four/ts0"])(
    "with a flipped byte in the first values of a column after the key costs no row set other files: %s",
    async (name) => {
      await using server = await openKuduDir(pathToGolden(`kudu-cluster/${name}`));
      const before = await rebuiltFrom(server, (blocks) => blocks);
      let count = 0;
      for (const { schema, rowSets } of await server.tablets()) {
        const others = schema.columns.filter(({ isKey }) => !isKey);
        for (const { blocks } of rowSets.filter(({ blocks: { adhocIndex } }) => adhocIndex !== undefined)) {
          for (const id of others.flatMap((column) => blocks.columns.get(column.id) ?? [])) {
            const after = await rebuiltFrom(server, (all) =>
              Promise.all(all.map((block) => (block.id === id ? withDamagedBlock(block) : block))),
            );
            const blocksIn = ({ rowSets: found }: RebuiltDir) =>
              found.find((one) => one.id === blocks.adhocIndex)?.blocks;
            expect({ damaged: id, blocks: blocksIn(after) }).toEqual({
              damaged: id,
              blocks: blocksIn(before),
            });
            count++;
          }
        }
      }
      expect(count).toBeGreaterThan(0);
    },
  );

  it.each(["copied/ts", "interleaved/ts", "renumbered/ts1", "restarted/ts", "four/ts0"])(
    "with a flipped byte in its first filter is left out as a Bloom file, and the row set is found: %s",
    async (name) => {
      await using server = await openKuduDir(pathToGolden(`kudu-cluster/${name}`));
      const real = await realRowSets(server);
      const { rowSets } = await rebuiltFrom(server, (blocks) => blocks);
      const blooms = rowSets.flatMap(({ blocks: { bloom } }) => bloom ?? []);
      for (const bloom of blooms.slice(0, 12)) {
        const found = await rebuiltFrom(server, (all) =>
          Promise.all(all.map((block) => (block.id === bloom ? withDamagedBlock(block) : block))),
        );
        // Some row sets come from a compaction that did not finish.
        const known = { ...found, rowSets: found.rowSets.filter(({ id }) => real.has(id)) };
        expect({ bloom, faults: faultsOf(known, real, bloom) }).toEqual({ bloom, faults: [] });
        expect(found.rowSets.map(({ id }) => id)).toEqual(rowSets.map(({ id }) => id));
        expect(found.leftover.map(({ block }) => block.id)).toContain(bloom);
      }
      expect(blooms.length).toBeGreaterThan(0);
    },
  );
});
