import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RowSetBlocks } from "../src/catalog.js";
import {
  openKuduCluster,
  openKuduDir,
  type RebuildOptions,
  type RebuiltDir,
  rebuildKuduDir,
  tablesOfCluster,
} from "../src/index.js";
import { serverFiles, serverPath, treeOf } from "./servers.js";

type Files = ReadonlyMap<string, Uint8Array>;

const ALL = serverFiles("file");
const WITHOUT_LOGS = new Map([...ALL].filter(([path]) => !path.startsWith("ts/wal/")));
const WITH_LOGS = new Map([...ALL].filter(([path]) => !/tablet-meta|consensus-meta/.test(path)));

function blocksOf({ columns, undo, redo, bloom, adhocIndex }: RowSetBlocks): Set<bigint> {
  return new Set([...columns.values(), ...undo, ...redo, bloom, adhocIndex].filter((id) => id !== undefined));
}

/** The real blocks of each row set, by the block of its key file. */
async function realRowSets(): Promise<ReadonlyMap<bigint, RowSetBlocks>> {
  await using server = await openKuduDir(serverPath("file"));
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

/** Files that a row set has wrongly, or that it lacks without a doubt although they are on the disk. */
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
/** All key files and Bloom files are damaged, one by one, and every sixth of the other files. */
const EVERY = 6;

describe("one damaged file", () => {
  const cases = Object.keys(KNOWLEDGE).flatMap((known) =>
    Object.keys(DAMAGE).map((damage) => ({ known, damage })),
  );
  it.each(cases)("$damage gives no row set a wrong file, knowing $known", async ({ known, damage }) => {
    const real = await realRowSets();
    const [files, optionsOf] = KNOWLEDGE[known] ?? [ALL, catalog];
    const options = await optionsOf();
    const damaged = [...real].flatMap(([id, blocks]) =>
      [...blocksOf(blocks)].filter((block, i) => block === id || block === blocks.bloom || i % EVERY === 0),
    );
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
});
