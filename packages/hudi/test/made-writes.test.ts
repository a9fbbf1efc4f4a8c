/** Incremental reads and checks of made tables, and of golden tables whose statements were changed. */
import { memoryTree } from "@cfile/io";
import { describe, expect, test, vi } from "vitest";
import {
  changedRows,
  type HudiTable,
  openHudiTable,
  scannedSlices,
  scanRows,
  verifyTable,
} from "../src/index.js";
import { columnStatsKey } from "../src/metadata/metadata-keys.js";
import { Findings } from "../src/verify/findings.js";
import { verifyDeep } from "../src/verify/verify-deep.js";
import { goldenTree, unpack } from "./golden-table.js";
import { logOf } from "./made-logs.js";
import { BASE, type MadeColumn, madeFiles, madeTable, PENDING, parquetOf, T1, T2 } from "./made-table.js";

const KEY = "_hoodie_record_key";
const TIME = "_hoodie_commit_time";
const SCHEMA = {
  ...{ type: "record", name: "r" },
  fields: [TIME, KEY].map((name) => ({ name, type: ["null", "string"] })),
};
const columns: readonly MadeColumn[] = [
  { name: TIME, type: "STRING", values: ["20261121000000000", T1] },
  { name: KEY, type: "STRING", values: ["a", "b"] },
];
const COPY_ON_WRITE = "hoodie.table.type=COPY_ON_WRITE\n";

async function changedKeys(table: HudiTable, from: string, to?: string): Promise<unknown[]> {
  const keys: unknown[] = [];
  for await (const batch of changedRows(table, { from, to }, { columns: [KEY] })) {
    keys.push(...(batch.columns[0]?.toArray() ?? []));
  }
  return keys.sort();
}

async function problemsOf(table: HudiTable, deep = false): Promise<unknown[]> {
  const problems: unknown[] = [];
  await verifyTable(table, { deep, onProblem: (problem) => problems.push(problem) });
  return problems;
}

describe("rows that changed", () => {
  test.each<[from: string, to: string | undefined]>([
    ["x", undefined],
    ["2", "x"],
    ["3", "2"],
  ])("from %s to %s is refused", async (from, to) => {
    const table = await madeTable({ schema: SCHEMA });
    await expect(changedKeys(table, from, to)).rejects.toMatchObject({
      ...{ code: "E_INVALID_ARGUMENT", field: "from" },
      message: expect.stringContaining(to ?? "the latest"),
    });
  });

  test.each([COPY_ON_WRITE, ""])("in version 6 with %j", async (properties) => {
    const table = await madeTable({ schema: SCHEMA, properties, base: await parquetOf(columns) });
    expect(await changedKeys(table, "20261122000000000")).toEqual(["b"]);
    expect(await changedKeys(table, T2)).toEqual([]);
  });

  test.each(["", "p"])(
    "whose files are gone are refused in version 6, in the partition %j",
    async (partition) => {
      const files = madeFiles({ schema: SCHEMA, base: await parquetOf(columns), partition });
      const path = partition === "" ? BASE : `${partition}/${BASE}`;
      files.delete(path);
      const table = await openHudiTable(memoryTree(files, "t"));
      await expect(changedKeys(table, "20261122000000000")).rejects.toMatchObject({
        ...{ code: "E_HISTORY_GONE", path: expect.stringContaining(path) },
      });
      const logged = madeFiles({ schema: SCHEMA, log: logOf(SCHEMA, [[T2, "c"]], T2) });
      expect(await changedKeys(await openHudiTable(memoryTree(logged)), T1)).toEqual([]);
    },
  );

  test("and whose files are gone come in their latest versions from version 8 on", async () => {
    const { files } = unpack("cow_v9");
    const whole = await openHudiTable(memoryTree(files));
    const latest = await Promise.all((await whole.partitions()).map((partition) => whole.slices(partition)));
    const used = new Set(latest.flat().flatMap(({ baseFile, logFiles }) => [baseFile, ...logFiles]));
    const writes = [...whole.timeline.completed.values()];
    const commits = await Promise.all(writes.map((write) => whole.timeline.commit(write)));
    const at = commits.findIndex(({ stats }) =>
      stats.some(({ path }) => files.has(path) && !used.has(path.split("/").at(-1))),
    );
    const write = writes[at];
    const gone = commits[at]?.stats.find(({ path }) => files.has(path) && !used.has(path.split("/").at(-1)));
    expect([write, gone]).not.toContain(undefined);
    const from = String(BigInt(write?.completionTime ?? 0) - 1n);
    const without = new Map(files);
    without.delete(gone?.path ?? "");
    const keys = await changedKeys(await openHudiTable(memoryTree(without)), from);
    const times = writes.filter(({ completionTime = "" }) => completionTime > from).map(({ time }) => time);
    const expected: unknown[] = [];
    for await (const batch of scanRows(whole, {
      ...{ columns: [KEY], where: { column: TIME, op: "in", values: times } },
    })) {
      expected.push(...(batch.columns[0]?.toArray() ?? []));
    }
    expect(keys).toEqual(expected.sort());
    expect(keys.length).toBeGreaterThan(0);
  });
});

describe("slices that may have a key", () => {
  test.each(["cow_v9", "mor_v9"])("are found by Bloom filters: %s", async (name) => {
    const table = await openHudiTable(goldenTree(name));
    const slices = await scannedSlices(table);
    const count = async (values: readonly (string | number)[]): Promise<number> =>
      (await scannedSlices(table, { slices, where: { column: KEY, op: "in", values } })).length;
    const first: unknown[] = [];
    for await (const batch of scanRows(table, { columns: [KEY], limit: 1 })) {
      first.push(batch.columns[0]?.get(0));
    }
    // Within the bounds of most files, but in no file.
    const absent = `${first[0]}x`;
    expect(await count([absent])).toBeLessThan(slices.length);
    expect(await count([absent, String(first[0])])).toBeGreaterThan(0);
    // A number is not a key.
    expect(await count([absent, 7])).toBeGreaterThanOrEqual(await count([absent]));
    const all = await scannedSlices(table, { slices, where: { column: KEY, op: ">=", value: "" } });
    expect(all).toHaveLength(slices.length);
  });
});

describe("a check", () => {
  test("reads Parquet blocks of logs", async () => {
    const { files } = unpack("partial_event_time_parquet");
    expect(await problemsOf(await openHudiTable(memoryTree(files)))).toEqual([]);
    const log = [...files.keys()].find((path) => /^[^/]*\.log\./.test(path)) ?? "";
    const bytes = Uint8Array.from(files.get(log) ?? []);
    const at = bytes.findIndex((_, i) => new TextDecoder().decode(bytes.subarray(i, i + 4)) === "PAR1");
    bytes.fill(0xff, at + 30, at + 60);
    const problems = await problemsOf(await openHudiTable(memoryTree(new Map(files).set(log, bytes))));
    expect(problems).toContainEqual(expect.objectContaining({ name: "CFileError" }));
  });

  test("does not read ORC", async () => {
    const files = madeFiles({ schema: SCHEMA });
    files.set(BASE.replace("parquet", "orc"), new Uint8Array(9));
    const problems = await problemsOf(await openHudiTable(memoryTree(files)));
    expect(problems).toEqual([expect.objectContaining({ code: "E_UNSUPPORTED", field: "format" })]);
  });

  test("reports a log block of a later version that no completed write wrote, if it is cut", async () => {
    const { files } = unpack("mor_v9");
    const path = [...files.keys()].find((each) => /^2026.*\.log\./.test(each)) ?? "";
    const cut = logOf(SCHEMA, [[T1, "x"]], PENDING).slice(0, -3);
    const longer = Uint8Array.from([...(files.get(path) ?? []), ...cut]);
    const problems = await problemsOf(await openHudiTable(memoryTree(new Map(files).set(path, longer))));
    expect(problems).toContainEqual(expect.objectContaining({ code: "E_TRUNCATED" }));
  });

  test.each([
    ["\u{1f600}", "\ue000", "\u{1f600}", true],
    ["\ue000", "\ue000", "\u{1f600}", true],
    ["\u{1f600}", "\ud000", "\ue000", true],
    ["\u{1f600}", "\uf000", "\uffff", false],
    ["c", "a", "b", false],
  ])(
    "compares text in UTF-8 and in UTF-16, as writers do: %s from %s to %s",
    async (value, min, max, isInside) => {
      const base = await parquetOf([{ ...(columns[1] as MadeColumn), values: [value] }]);
      const table = await madeTable({ schema: SCHEMA, base });
      const bound = (text: string) => ({ StringWrapper: { value: text } });
      const stats = { minValue: bound(min), maxValue: bound(max), nullCount: 0, valueCount: 1 };
      const metadata = {
        has: (partition: string) => partition === "column_stats",
        find: async (_: string, keys: readonly string[]) =>
          new Map(
            keys
              .filter((key) => key === columnStatsKey(KEY, "", BASE))
              .map((key) => [
                key,
                { ColumnStatsMetadata: { ...stats, totalSize: 0, totalUncompressedSize: 0 } },
              ]),
          ),
      };
      const slices = await table.slices("");
      const findings: unknown[] = [];
      const withStats = Object.create(table, {
        metadata: { value: metadata },
        partitions: { value: async () => [""] },
        slices: { value: async () => slices },
        minSizes: { value: async () => new Map() },
      }) as HudiTable;
      expect(await verifyDeep(withStats, new Findings((problem) => findings.push(problem)), undefined)).toBe(
        1,
      );
      expect(findings).toHaveLength(isInside ? 0 : 1);
    },
  );

  test("does not miss files that cleans removed, whatever else they name", async () => {
    const files = madeFiles({ schema: SCHEMA, base: await parquetOf(columns) });
    files.delete(BASE);
    const found = async () => problemsOf(await openHudiTable(memoryTree(files)));
    expect(await found()).toEqual([expect.objectContaining({ code: "E_BLOCK_MISSING", field: "file" })]);
    const partition = { deletePathPatterns: [null, "p/other"], successDeleteFiles: [BASE] };
    const clean = new TextEncoder().encode(JSON.stringify({ partitionMetadata: { "": partition } }));
    files.set(".hoodie/20261122000000003.clean", clean);
    expect(await found()).toEqual([]);
  });

  test("takes size 1 of the metadata table for that of a log that was rolled back, in version 6 only", async () => {
    const table = await openHudiTable(goldenTree("mor_v6_h015"));
    const [partition = ""] = await table.partitions();
    const own = await table.filesOf(partition);
    const name = (pattern: RegExp) => [...own.keys()].find((each) => pattern.test(each)) ?? "";
    const { filesOf } = table;
    const problemsWith = async (changed: string): Promise<unknown[]> => {
      vi.spyOn(table, "filesOf").mockImplementation(async (path) => {
        const files = new Map(await filesOf.call(table, path));
        return path === partition ? files.set(changed, 1) : files;
      });
      return problemsOf(table);
    };
    expect(await problemsWith(name(/\.log\./))).toEqual([]);
    expect(await problemsWith(name(/\.parquet$/))).toEqual([
      expect.objectContaining({ code: "E_CORRUPT", field: "size", expected: 1 }),
    ]);
    // An interrupted rollback removed the file of a write that is not completed.
    expect(await problemsWith("0000-0_0-1-1_20991122000000000.parquet")).toEqual([]);
  });
});
