import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenFacts, goldenPath } from "./golden.js";
import { run } from "./run.js";

const names = ["enc_int32_plain_null_n1000", "enc_string_dict_null_n1000", "enc_decimal128_plain_null_n1000"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cfile-cli-convert-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("cfile convert", () => {
  test("takes columns through Parquet and Arrow, and gives the same columns", async () => {
    const at = (name: string): string => join(folder, name);
    const steps = [
      [...names.map((name) => goldenPath(name)), at("t.parquet")],
      [at("t.parquet"), at("t.arrow")],
      [at("t.arrow"), at("t.arrows")],
      [at("t.arrows"), `${at("columns")}/`],
    ];
    for (const files of steps) {
      const { code, stdout, stderr } = await run(["convert", ...files]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("1,000 rows, 3 columns");
    }
    for (const name of names) {
      const { stdout } = await run(["digest", join(folder, "columns", `${name}.cfile`)]);
      expect(stdout.split(" ")[0]).toBe((goldenFacts(name) as { sha256: string }).sha256);
    }
  });

  test("refuses what it cannot name, and one name alone", async () => {
    const [first = ""] = names;
    expect((await run(["convert", goldenPath(first), join(folder, "t.txt")])).code).toBe(2);
    expect((await run(["convert", goldenPath(first)])).code).toBe(2);
  });
});
