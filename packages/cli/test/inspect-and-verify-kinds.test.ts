/** `inspect` and `verify` of Bloom files, delta files and table stores. */

import { cp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { damagedCopy } from "./damage.js";
import { goldenFacts, goldenPath } from "./golden.js";
import { writeCities } from "./row-set-fixture.js";
import { output, run } from "./run.js";

const bloom = goldenPath("bloomfile/bloom_small");
const redo = goldenPath("deltafile/delta_redo_small");
const undo = goldenPath("deltafile/delta_undo_small");
let folder: string;
let cities: string;

beforeAll(async () => {
  folder = temporaryFolder();
  cities = await writeCities(join(folder, "cities"));
});

async function fileOfCities(role: string): Promise<string> {
  const files = await readdir(cities);
  return files.find((file) => file.includes(role)) ?? "";
}

describe("Bloom files", () => {
  test("inspect shows filters, hash functions, fill and rates", async () => {
    const text = await output(["inspect", bloom]);
    expect(text).toContain("kind         Bloom file");
    expect(text).toMatch(
      /filters +12\n +hash functions +6\n +bits +6,144, 2,680 set, 43\.6 %\n +keys +about 601/,
    );
    expect(text).toMatch(/false positives +0\.99 %, worst filter 1\.2 %/);
    expect(await output(["inspect", bloom, "--blocks", "3"])).toContain("9 more filters (use --blocks all)");
  });

  test("inspect --json matches the golden file", async () => {
    const { kind, bloom: json } = JSON.parse(await output(["inspect", bloom, "--json"]));
    const facts = goldenFacts("bloomfile/bloom_small") as {
      n_hashes: number;
      layout: { validx: { entries: unknown } };
    };
    expect(kind).toBe("bloom");
    expect(Object.keys(json)).toEqual([
      "blocks",
      "hash_functions",
      "filter_bytes",
      "bits",
      "ones",
      "fill",
      "estimated_keys",
      "false_positive_rate",
      "worst_false_positive_rate",
      "saturated_blocks",
      "filters",
    ]);
    expect(json.hash_functions).toEqual({ min: facts.n_hashes, max: facts.n_hashes });
    expect(
      json.filters.map(({ index_key, offset, size }: Record<string, unknown>) => ({
        key: index_key,
        offset,
        size,
      })),
    ).toEqual(facts.layout.validx.entries);
  });

  test("verify", async () => {
    expect(await output(["verify", bloom])).toBe(`${bloom}: ok, Bloom file, 12 filters\n`);
    const damaged = await damagedCopy(bloom, join(folder, "bloom.cfile"), 100);
    const { code, stdout } = await run(["verify", damaged]);
    expect({ code, stdout }).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("E_CHECKSUM block at 90"),
    });
    expect(JSON.parse((await run(["verify", damaged, "--json"])).stdout)).toMatchObject({
      ok: false,
      kind: "bloom",
    });
  });
});

describe("delta files", () => {
  test("inspect shows statistics, times and the kind", async () => {
    const text = await output(["inspect", undo]);
    expect(text).toContain("kind             UNDO, by the order of a row's timestamps");
    expect(text).toContain("last timestamp   6400000000000052384 (2019-07-07T11:46:40.000012Z)");
    expect(text).toMatch(/deletes +8\n +reinserts +3\n +column 20000 +16 changes/);
  });

  test("inspect --json", async () => {
    const { kind, delta } = JSON.parse(await output(["inspect", redo, "--json"]));
    expect(kind).toBe("delta");
    expect(delta).toMatchObject({
      entries: 57,
      min_timestamp: "100",
      min_timestamp_utc: "1970-01-01T00:00:00.000000Z",
      deletes: 8,
      reinserts: 3,
      kind_guess: { kind: "redo", reason: "timestamps" },
    });
    expect(delta.updates[0]).toEqual({ column: 20000, count: 16 });
  });

  test("verify --kind checks the order of that kind", async () => {
    expect(await output(["verify", redo])).toBe(`${redo}: ok, delta file, 57 changes, 1 data block\n`);
    expect(await output(["verify", "--kind", "redo", redo])).toContain("ok, REDO file, 57 changes");
    expect(await output(["verify", "--kind", "undo", undo])).toContain("ok, UNDO file, 57 changes");
    const { code, stdout } = await run(["verify", "--kind", "undo", redo]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/entry 1, row 0, timestamp \d+/);
    const json = JSON.parse((await run(["verify", "--kind", "undo", redo, "--json"])).stdout);
    expect(json.problems[0]).toMatchObject({ code: "E_CORRUPT", entry: 1, timestamp: expect.any(String) });
  });

  test("cat prints the stored bytes", async () => {
    expect((await output(["cat", redo])).split("\n")[0]).toBe("006401110376761200ac020343b9");
  });

  test("a file without valid statistics is damaged", async () => {
    const bytes = await readFile(redo);
    const at = bytes.indexOf("deltafilestats") + "deltafilestats".length + 4;
    const damaged = await damagedCopy(redo, join(folder, "stats.cfile"), at);
    expect((await run(["verify", damaged])).code).toBe(3);
    expect((await run(["inspect", damaged])).code).toBe(3);
  });
});

describe("row sets", () => {
  test("inspect shows columns, files, keys and times", async () => {
    const text = await output(["inspect", cities]);
    expect(text).toMatch(/kind +table store\n +base rows +3/);
    expect(text).toContain("last write  3000 (1970-01-01T00:00:00.000000Z)");
    expect(text).toMatch(/1 +city +string +auto +none +key/);
    expect(text).toMatch(/first key +Bern\n +last key +Zug/);
    expect(text).toMatch(/\d+-redo\.cfile +\d/);
    expect(await output(["inspect", join(cities, "rowset.json")])).toContain("kind        table store");
  });

  test("inspect --json", async () => {
    const json = JSON.parse(await output(["inspect", cities, "--json"]));
    expect(Object.keys(json)).toEqual([
      "kind",
      "last_timestamp",
      "last_timestamp_utc",
      "history_start",
      "columns",
      "row_sets",
    ]);
    expect(json.row_sets).toMatchObject([{ rows: 3, min_key: "4265726e", max_key: "5a7567", redo_files: 2 }]);
    const several = JSON.parse(await output(["inspect", cities, bloom, "--json"]));
    expect(several.map(({ kind }: { kind: string }) => kind)).toEqual(["rowset", "bloom"]);
  });

  test("verify", async () => {
    expect(await output(["verify", cities])).toBe(
      `${cities}: ok, table, 7 files, 3 base rows, 2 live rows\n`,
    );
    const copy = join(folder, "damaged");
    await cp(cities, copy, { recursive: true });
    const redoFile = await fileOfCities("-redo");
    await damagedCopy(join(cities, redoFile), join(copy, redoFile), 20);
    const damaged = await run(["verify", copy]);
    expect(damaged.code).toBe(3);
    expect(damaged.stdout).toContain(`E_CHECKSUM redo 0, ${redoFile}, block at 16`);
    await rm(join(copy, await fileOfCities("-bloom")));
    const missing = await run(["verify", copy, "--json"]);
    expect(missing.code).toBe(3);
    expect(JSON.parse(missing.stdout).problems[0].reason).toContain("missing file");
  });

  test("a directory without a table store is an error", async () => {
    for (const command of ["inspect", "verify"]) {
      const { code, stderr } = await run([command, folder]);
      expect({ code, stderr }).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("without anything that cfile knows"),
      });
    }
  });
});

test("an unknown kind is a usage error", async () => {
  expect((await run(["verify", redo, "--kind", "do"])).code).toBe(2);
});
