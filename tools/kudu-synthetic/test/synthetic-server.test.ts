import { join } from "node:path";
import { MemoryArena } from "@cfile/bytes";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CHANGED_NUMBER,
  loadNumber,
  loadRowSets,
  loadSchema,
  loneReplica,
  syntheticServer,
} from "../src/index.js";

const TABLETS = 60;
const ROWS = 200;
let folder = "";

beforeAll(async () => {
  folder = temporaryFolder();
  for (const blockManager of ["log", "file"] as const) {
    const server = await syntheticServer(join(folder, blockManager), {
      disks: 3,
      blockManager,
      containerBytes: 1 << 18,
    });
    for (let tablet = 0; tablet < TABLETS; tablet++) {
      const table = `table ${Math.floor(tablet / 4)}`;
      const rowSets = loadRowSets(ROWS, 2, 0.05);
      const place = { bucket: tablet % 4, buckets: 4 };
      await server.add({ table, schema: loadSchema, ...place, rowSets, replica: loneReplica });
    }
    await server.finish();
  }
});

describe.each(["log", "file"])("a synthetic server, %s block manager", (blockManager) => {
  it("has all tablets, on several disks, without problems", async () => {
    await using dir = await openKuduDir(join(folder, blockManager));
    expect(dir.roots.dataFolders.length).toBe(3);
    const tables = await dir.tables();
    expect(tables.length).toBe(TABLETS / 4);
    expect(tables[0]?.tablets.map(({ superblock }) => superblock.partition.hashBuckets)).toEqual([
      [0],
      [1],
      [2],
      [3],
    ]);
    const tablets = (await dir.tablets()).slice(0, 8);
    const checked = await checkKuduDir(dir, { tablets });
    expect(checked).toMatchObject({ ok: true, problemCount: 0, liveRows: 8 * ROWS, blocks: 12 * TABLETS });
  });

  it("returns all rows in key order, before and after changes", async () => {
    await using dir = await openKuduDir(join(folder, blockManager));
    const [tablet] = await dir.tablets();
    const read = async (asOf: bigint | undefined, reuseMemory = false): Promise<number[][]> => {
      const rows: number[][] = [];
      for await (const { columns, length } of tablet?.scan({
        columns: ["key", "int_val"],
        asOf,
        partialHistory: true,
        arena: reuseMemory ? new MemoryArena() : undefined,
        batchRows: reuseMemory ? 16 : undefined,
      }) ?? []) {
        const [keys, numbers] = columns.map((column) => column.toArray());
        for (let i = 0; i < length; i++) {
          rows.push([Number(keys?.[i]), Number(numbers?.[i])]);
        }
      }
      return rows;
    };
    const before = await read(1500n);
    expect(before).toEqual(Array.from({ length: ROWS }, (_, key) => [key, loadNumber(key)]));
    expect(await read(1500n, true)).toEqual(before);
    const after = await read(undefined);
    expect(after.filter(([key = 0, number]) => number !== loadNumber(key))).toHaveLength(10);
    expect(after.filter(([, number]) => number === CHANGED_NUMBER)).toHaveLength(10);
  });
});

describe("opening", () => {
  it.each(["log", "file"])(
    "finds blocks without opening other files, %s block manager",
    async (blockManager) => {
      await using dir = await openKuduDir(join(folder, blockManager));
      const tablets = await dir.tablets();
      const start = performance.now();
      let blocks = 0;
      for (const tablet of tablets) {
        for (const { blocks: ids } of tablet.rowSets) {
          for (const id of ids.columns.values()) {
            blocks += (await dir.block(id)).id === id ? 1 : 0;
          }
        }
      }
      expect(blocks).toBe(6 * TABLETS);
      // A limit for a busy machine; for the real figure, see the benchmark.
      expect(performance.now() - start).toBeLessThan(5000);
    },
  );
});
