import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FileTree, memoryTree } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { checkCluster, openKuduCluster } from "../src/index.js";
import { clusterPath, clusterTables } from "./cluster.js";
import { collectRows } from "./json-rows.js";

type Files = Map<string, Uint8Array>;

function filesOf(server: string): Files {
  const root = clusterPath(server);
  const files: Files = new Map();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1), new Uint8Array(readFileSync(path)));
    }
  }
  return files;
}

function tree(server: string, change: (files: Files) => void = () => undefined, name = server): FileTree {
  const files = filesOf(server);
  change(files);
  return memoryTree(files, name);
}

const sales = clusterTables("rows").find(({ table }) => table === "sales");
const last = sales?.snapshots.at(-1);

async function salesRows(trees: readonly FileTree[]): Promise<unknown[][]> {
  await using cluster = await openKuduCluster(trees);
  const table = await cluster.table("sales");
  const rows: unknown[][] = [];
  for (const tablet of table.tablets) {
    rows.push(...(await collectRows(tablet.scan({ asOf: BigInt(last?.timestamp ?? 0), withLog: true }))));
  }
  return rows;
}

const expected = Object.values(last?.tablets ?? {}).flat();
const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

describe("a damaged cluster", () => {
  it.each([
    ["consensus metadata are lost", (files: Files) => remove(files, "consensus-meta/")],
    ["consensus metadata are cut short", (files: Files) => cut(files, "consensus-meta/", 20)],
    ["all logs are lost", (files: Files) => remove(files, "/wals/")],
    ["all logs are damaged in their middle", (files: Files) => flip(files, "/wals/")],
    ["all containers' journals are lost", (files: Files) => remove(files, ".metadata")],
    ["superblocks are damaged", (files: Files) => flip(files, "tablet-meta/")],
  ])("has all rows when one server's %s", async (_, change) => {
    const trees = [tree("master"), tree("ts0"), tree("ts1", change), tree("ts2"), tree("ts3")];
    expect(expected.length).toBeGreaterThan(50);
    expect(sorted(await salesRows(trees))).toEqual(sorted(expected));
  });

  it("reads a root that is given twice once", async () => {
    await using cluster = await openKuduCluster([clusterPath("ts0"), clusterPath("ts0")]);
    expect(cluster.servers).toHaveLength(1);
    expect(await cluster.problems()).toEqual([]);
  });

  it("reports a copied disk: two metadata directories of one server", async () => {
    await using cluster = await openKuduCluster([
      tree("ts0"),
      tree("ts0", (files) => remove(files, "/wals/"), "copy"),
    ]);
    const problems = await cluster.problems();
    expect(problems.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/second metadata directory of one server; ts0\/wal\/tablet-meta is read instead/),
    );
  });

  it("reports tablets that the catalog of another cluster does not list", async () => {
    const withoutTablets = (files: Files) => remove(files, "wals/");
    await using cluster = await openKuduCluster([tree("master", withoutTablets), tree("ts0")]);
    const { ok, problems } = await checkCluster(cluster);
    expect(ok).toBe(false);
    expect(problems.filter(({ kind }) => kind === "not in the catalog").length).toBeGreaterThan(5);
  });

  it("names damage of replicas in the check", async () => {
    const trees = [tree("master"), tree("ts0"), tree("ts1", (files) => flip(files, "/wals/")), tree("ts2")];
    await using cluster = await openKuduCluster(trees);
    const { problems } = await checkCluster(cluster);
    const damaged = problems.filter(({ kind }) => kind === "replica damaged");
    expect(damaged.length).toBeGreaterThan(5);
    expect(new Set(damaged.map(({ server }) => server)).size).toBe(1);
  });
});

function remove(files: Files, part: string): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    files.delete(path);
  }
}

function cut(files: Files, part: string, length: number): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    files.set(path, files.get(path)?.slice(0, length) ?? new Uint8Array(0));
  }
}

function flip(files: Files, part: string): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    const bytes = files.get(path)?.slice() ?? new Uint8Array(0);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    files.set(path, bytes);
  }
}
