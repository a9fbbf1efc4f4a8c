import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const execute = promisify(execFile);
const main = fileURLToPath(new URL("../dist/bundle/cfile.js", import.meta.url));
/** The unbundled command, in modules named like the sources. */
const unbundled = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const hooks = new URL("loaded-modules.mjs", import.meta.url).href;
let folder: string;
let table: string;

beforeAll(async () => {
  folder = temporaryFolder();
  table = join(folder, "table");
  const rows = Array.from(
    { length: 500 },
    (_, i) => `${i},${i % 3 === 0 ? "" : `w${i % 7}`},${i + 1}00000000000000`,
  );
  await writeFile(join(folder, "t.csv"), `id,word,big\n${rows.join("\n")}\n`);
  await run(["convert", join(folder, "t.csv"), table, "--to", "rowset", "--key", "id"]);
});

describe("cfile sql", () => {
  test("queries table stores by their paths and reports what was read", async () => {
    const query = `select word, count(*) as n, sum(big) as s from '${table}' where id >= 10 and id < 40 group by word order by word`;
    const { code, stdout, stderr } = await run(["sql", query, "--format", "csv", "--explain"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "word,n,s",
      "w0,3,8000000000000000",
      "w1,2,5300000000000000",
    ]);
    expect(stderr).toBe(`${table}: id, word, big where id >= 10 and id < 40: 30 rows read\n`);
  });

  test("returns the same rows as cfile table scan", async () => {
    const selection = ["--where", "word = w3", "--columns", "id,big", "--ndjson"];
    const own = await output(["rowset", "scan", table, ...selection]);
    expect(own.split("\n").length).toBeGreaterThan(40);
    expect(
      await output(["sql", `select id, big from '${table}' where word = 'w3' order by id`, "--ndjson"]),
    ).toBe(own);
  });

  test("reports errors of DuckDB, with exit code 1", async () => {
    const { code, stderr } = await run(["sql", `select nothing from '${table}'`]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Referenced column "nothing" not found')]);
  });

  test("says what to install if DuckDB is missing", async () => {
    const hidden = { env: { ...process.env, HIDDEN_MODULE: "@duckdb/node-api" } };
    const failure = await execute(
      process.execPath,
      ["--import", hooks, main, "sql", "select 1"],
      hidden,
    ).catch((error: { code: number; stderr: string }) => error);
    expect(failure).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("npm install @duckdb/node-api"),
    });
  });
});

describe("cfile --help", () => {
  test("loads none of the libraries for other formats", async () => {
    const env = { ...process.env, LOADED_MODULES: "1" };
    const { stderr } = await execute(process.execPath, ["--import", hooks, unbundled, "--help"], { env });
    const loaded = stderr.split("\n");
    expect(loaded.length).toBeGreaterThan(50);
    const strangers = /apache-arrow|flechette|flatbuffers|hyparquet|duckdb|packages\/(?:arrow|parquet)\//;
    expect(loaded.filter((url) => strangers.test(url))).toEqual([]);
  });
});
