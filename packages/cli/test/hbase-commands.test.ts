/** `cfile hbase`: the exact JSON of scans and gets, Bloom lookups, listings, exports and checks. */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listGolden, pathToGolden, readGoldenJson, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const FOLDERS = ["hbase-root", "hbase-table"];
const ROOT = pathToGolden("hbase-root/root");
const TABLES = pathToGolden("hbase-table/root");
const folder = temporaryFolder();

type Runs = readonly (readonly [first: number, count: number])[];

interface Query {
  readonly options: Readonly<Record<string, unknown>> & {
    readonly timeRange?: readonly [number, number];
    readonly columns?: readonly (readonly [string, string])[];
    readonly families?: readonly string[];
  };
  readonly now: readonly [number, number];
  readonly cells: Runs;
  readonly skippedMarker?: Runs;
}

interface Facts {
  readonly name: string;
  readonly kind: "table" | "snapshot";
  readonly scans: readonly Query[];
  readonly gets: readonly Query[];
  readonly cells: readonly (readonly unknown[])[];
}

const FACTS = FOLDERS.flatMap((root) =>
  listGolden(`${root}/facts`, ".json")
    .filter((name) => name !== "files")
    .map((name) => [name, root, readGoldenJson<Facts>(`${root}/facts/${name}.json`)] as const),
);

/** The options of the command that correspond to a query of HBase's client. */
function options({ options: asked, now }: Query): string[] {
  const { versions, timeRange, startRow, stopRow, families, columns, raw, limit, row } = asked;
  const pairs: readonly (readonly [string, unknown])[] = [
    ["--versions", versions],
    ["--time-range", timeRange?.join(":")],
    ["--start-row", startRow],
    ["--stop-row", stopRow],
    ["--families", families?.join(",")],
    ["--columns", columns?.map((column) => column.join(":")).join(",")],
    ["--limit", limit],
    ["--row", row],
    ["--now", now[0]],
  ];
  return [
    ...pairs.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)])),
    ...(raw === true ? ["--raw"] : []),
  ];
}

/** The cells that a correct reader returns; in one table, tags are a seventh field. */
function expected({ cells }: Facts, query: Query): unknown[] {
  const indices = (runs: Runs) =>
    runs.flatMap(([first, count]) => Array.from({ length: count }, (_, i) => first + i));
  const wrong = new Set(indices(query.skippedMarker ?? []));
  return indices(query.cells)
    .filter((i) => !wrong.has(i))
    .map((i) => cells[i]?.slice(0, 6));
}

test.each(FACTS)("every scan and get of %s in %s as JSON", async (_, root, facts) => {
  const source = [`--${facts.kind}`, facts.name.replace("snapshot.", "")];
  const answer = async (command: string, query: Query): Promise<unknown> =>
    JSON.parse(
      await output(["hbase", command, pathToGolden(`${root}/root`), ...source, "--json", ...options(query)]),
    );
  for (const [command, queries] of [
    ["scan", facts.scans],
    ["get", facts.gets],
  ] as const) {
    for (const query of queries) {
      const found = await answer(command, query);
      expect({ options: query.options, found }).toEqual({
        options: query.options,
        found: expected(facts, query),
      });
    }
  }
});

describe("scan and get", () => {
  test("several rows come in the order of the rows", async () => {
    const text = await output([
      "hbase",
      "get",
      TABLES,
      "--table",
      "tracked",
      "--row",
      "663030303034",
      "--row",
      "663030303030",
      "--ndjson",
    ]);
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)[0]);
    expect([...new Set(rows)]).toEqual(["663030303034", "663030303030"]);
  });

  test("an absent row is an empty array", async () => {
    expect(await output(["hbase", "get", TABLES, "--table", "tracked", "--row", "00", "--json"])).toBe(
      "[]\n",
    );
  });

  test("text has a line per cell", async () => {
    const text = await output([
      "hbase",
      "scan",
      TABLES,
      "--table",
      "tracked",
      "--limit",
      "1",
      "--families",
      "a",
    ]);
    expect(text.split("\n")[0]).toBe("f00000\ta:\t1700000000006\tv135-qyvfwlxgegg");
  });

  test.each([
    [["--table", "tracked", "--row", "0"], "--row", 2],
    [["--table", "tracked"], "missing option", 2],
    [["--row", "00"], "--table or --snapshot", 2],
    [["--table", "a", "--snapshot", "b", "--row", "00"], "exclude each other", 2],
    [["--table", "none", "--row", "00"], "no descriptor", 5],
    [["--table", "tracked", "--row", "00", "--families", "z"], "no family", 5],
    [["--table", "tracked", "--row", "00", "--columns", "a"], "FAMILY:HEX", 2],
    [["--table", "tracked", "--row", "00", "--time-range", "9:1"], "FROM:TO", 2],
  ])("get %j is refused", async (args, message, code) => {
    const result = await run(["hbase", "get", TABLES, ...args]);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });
});

test("bloom answers maybe or absent, as HBase", async () => {
  const { storeFiles } = readGoldenJson<{
    storeFiles: { path: string; bloom?: { ask: (string | [string, string])[]; answers: string } }[];
  }>("hbase-table/facts/files.json");
  for (const { path, bloom } of storeFiles) {
    const family = path.split("/").at(-2) ?? "";
    for (const [i, question] of (bloom?.ask ?? []).slice(0, 8).entries()) {
      const [row, qualifier] = typeof question === "string" ? [question] : question;
      const column = qualifier === undefined ? [] : ["--column", `${family}:${qualifier}`];
      const answer = await output(["hbase", "bloom", TABLES, path, "--row", row, ...column]);
      expect([path, question, answer]).toEqual([
        path,
        question,
        bloom?.answers[i] === "1" ? "maybe\n" : "absent\n",
      ]);
    }
  }
});

test("ls and describe as JSON", async () => {
  const listed = JSON.parse(await output(["hbase", "ls", ROOT, "--json"]));
  expect(listed.namespaces).toEqual(["default", "ns1"]);
  expect(listed.tables.map(({ table }: { table: string }) => table)).toContain("ns1:t1x0");
  expect(listed.snapshots.map(({ name }: { name: string }) => name)).toEqual(
    FACTS.filter(([, root, { kind }]) => root === "hbase-root" && kind === "snapshot").map(([name]) =>
      name.replace("snapshot.", ""),
    ),
  );
  const table = JSON.parse(await output(["hbase", "describe", ROOT, "--table", "clone0", "--json"]));
  expect(
    table.regions.flatMap(({ files }: { files: { kind: string }[] }) => files.map(({ kind }) => kind)),
  ).toContain("link");
});

test("splits of regions give the rows of an export", async () => {
  const source = [ROOT, "--snapshot", "s-t1x0-0", "--schema", "row:string,b:q1:binary,b:q2:binary"];
  const lines = await output(["hbase", "splits", ...source]);
  expect(lines.trim().split("\n")).toHaveLength(3);
  const parts = join(folder, "parts");
  const results = await output(["run-split", "-o", parts, "--allow-root", ROOT], { stdin: lines });
  const files = results
    .trim()
    .split("\n")
    .map((line) => join(parts, JSON.parse(line).file));
  const exported = join(folder, "whole.csv");
  await output(["hbase", "export", ...source, "-o", exported, "--jobs", "1"]);
  const joined = join(folder, "joined.csv");
  const texts: string[] = [];
  for (const file of files) {
    await output(["convert", file, joined]);
    texts.push((await readFile(joined, "utf8")).replace(/^[^\n]*\n/, ""));
  }
  expect((await readFile(exported, "utf8")).replace(/^[^\n]*\n/, "")).toBe(texts.join(""));
  const refused = await run(["run-split", "-o", parts, "--allow-root", folder], { stdin: lines });
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("outside the allowed roots")]);
});

test("export writes columns in every format", async () => {
  const schema = ["--schema", "row:string,a:q0:string,b:q0:string"];
  const csv = join(folder, "t.csv");
  expect(await output(["hbase", "export", TABLES, "--table", "tracked", ...schema, "-o", csv])).toContain(
    "77 rows, 3 columns",
  );
  expect((await readFile(csv, "utf8")).split("\n").slice(0, 2)).toEqual([
    "row,a:q0,b:q0",
    "f00000,v50-sgjhzbfiyyn,v37-tm",
  ]);
  for (const name of ["t.parquet", "t.arrow", "t.ndjson"]) {
    const json = JSON.parse(
      await output([
        "hbase",
        "export",
        TABLES,
        "--table",
        "tracked",
        ...schema,
        "-o",
        join(folder, name),
        "--json",
      ]),
    );
    expect([json.rows, json.losses]).toEqual([77, []]);
  }
  const damaged = join(folder, "damaged");
  await cp(TABLES, damaged, { recursive: true });
  const { regions } = JSON.parse(
    await output(["hbase", "describe", damaged, "--table", "tracked", "--json"]),
  );
  await rm(join(damaged, regions[0].files[0].path));
  const source = ["hbase", "export", damaged, "--table", "tracked", ...schema, "-o", csv, "--json"];
  expect((await run(source)).code).toBe(3);
  const recovered = await run([...source, "--recover", "--jobs", "1"]);
  expect(recovered.code).toBe(3);
  expect(JSON.parse(recovered.stdout).losses).toMatchObject([{ state: "missing" }]);
  const wrong = await run([
    "hbase",
    "export",
    TABLES,
    "--table",
    "tracked",
    "--schema",
    "a:q0:text",
    "-o",
    csv,
  ]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("unknown type")]);
});

test("verify finds damage, and scan --recover reads on", async () => {
  expect(await output(["hbase", "verify", ROOT])).toContain("snapshot s-t1x0-0: ok");
  const copy = join(folder, "root");
  await cp(TABLES, copy, { recursive: true });
  const { regions } = JSON.parse(await output(["hbase", "describe", copy, "--table", "tracked", "--json"]));
  const [damaged, missing] = regions[0].files.map(({ path }: { path: string }) => path);
  const bytes = await readFile(join(copy, damaged));
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  await writeFile(join(copy, damaged), bytes);
  await rm(join(copy, missing));
  const verified = await run(["hbase", "verify", copy, "--table", "tracked", "--json"]);
  expect(verified.code).toBe(3);
  expect(
    JSON.parse(verified.stdout)
      .problems.map(({ code }: { code: string }) => code)
      .sort(),
  ).toEqual(["E_BLOCK_MISSING", "E_CHECKSUM"]);
  expect((await run(["hbase", "scan", copy, "--table", "tracked", "--json"])).code).toBe(3);
  const recovered = await run(["hbase", "scan", copy, "--table", "tracked", "--json", "--recover"]);
  expect(recovered.code).toBe(3);
  expect(JSON.parse(recovered.stdout).length).toBeGreaterThan(50);
  expect(recovered.stderr).toContain("1 part lost");
  expect(recovered.stderr).toContain("missing");
});
