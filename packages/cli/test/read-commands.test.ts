import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { createCFile } from "cfile";
import { beforeAll, describe, expect, test } from "vitest";
import { golden, goldenPath } from "./golden.js";
import { output, run } from "./run.js";

let folder: string;
let decimals: string;
let texts: string;
let dates: string;

async function column(name: string, options: Parameters<typeof createCFile>[1], cells: readonly unknown[]) {
  const path = join(folder, name);
  const writer = await createCFile(path, options);
  await writer.append(cells as Parameters<typeof writer.append>[0]);
  await writer.finish();
  return path;
}

beforeAll(async () => {
  folder = temporaryFolder();
  decimals = await column("decimals.cfile", { type: "DECIMAL64", validx: true }, [-150n, 5n, 12345n]);
  texts = await column("texts.cfile", { type: "STRING", nullable: true }, [
    "a,b",
    null,
    "",
    'say "hi"',
    "two\nlines",
  ]);
  dates = await column("dates.cfile", { type: "DATE", validx: true }, [-1, 0, 19782]);
});

describe("cat", () => {
  test("prints stored values, one per line, strings as hex", async () => {
    expect(await output(["cat", texts])).toBe("612c62\nnull\n\n7361792022686922\n74776f0a6c696e6573\n");
    expect(await output(["cat", dates])).toBe("-1\n0\n19782\n");
  });

  test("--decode makes text readable and control characters harmless", async () => {
    expect(await output(["cat", texts, "--decode"])).toBe('a,b\nnull\n\nsay "hi"\ntwo\\nlines\n');
    expect(await output(["cat", dates, "--decode"])).toBe("1969-12-31\n1970-01-01\n2024-02-29\n");
  });

  test("--csv distinguishes null from empty text and quotes fields that need it", async () => {
    expect(await output(["cat", texts, "--decode", "--csv"])).toBe(
      '"a,b"\n\n""\n"say ""hi"""\n"two\nlines"\n',
    );
  });

  test("--ndjson prints one JSON value per line, --json an array", async () => {
    const ndjson = await output(["cat", texts, "--decode", "--ndjson"]);
    expect(
      ndjson
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(["a,b", null, "", 'say "hi"', "two\nlines"]);
    expect(JSON.parse(await output(["cat", texts, "--decode", "--json"]))).toHaveLength(5);
  });

  test("--scale sets the decimal point", async () => {
    expect(await output(["cat", decimals, "--decode", "--scale", "2"])).toBe("-1.50\n0.05\n123.45\n");
    expect(await output(["cat", decimals, "--decode"])).toBe("-150\n5\n12345\n");
  });

  test.each([
    ["1:2", "0\n"],
    [":2", "-1\n0\n"],
    ["2:", "19782\n"],
    ["1:100", "0\n19782\n"],
    ["3:", ""],
    ["1:1", ""],
  ])("--rows %s selects a range", async (rows, expected) => {
    expect(await output(["cat", dates, "--rows", rows])).toBe(expected);
  });

  test("--json of no rows is an empty array", async () => {
    expect(await output(["cat", dates, "--json", "--rows", "3:"])).toBe("[]\n");
  });

  test("head prints ten rows, or the number given with -n", async () => {
    const path = goldenPath("large_int32_plain_validx");
    expect((await output(["head", path])).split("\n")).toHaveLength(11);
    expect((await output(["head", path, "-n", "3"])).split("\n")).toHaveLength(4);
    expect(await output(["head", dates, "-n", "0"])).toBe("");
  });

  test("a closed output ends the command without an error", async () => {
    const { Writable } = await import("node:stream");
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const { code, stderr } = await run(["cat", goldenPath("large_int32_plain_validx")], { stdout: gone });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("get", () => {
  test("prints each row as in the golden JSON", async () => {
    for (const name of ["array_big_double_lz4", "enc_int32_plain_n9"]) {
      const values = golden(name).values ?? [];
      for (const row of [0, 1, values.length - 1]) {
        const json = await output(["get", goldenPath(name), "--row", `${row}`, "--json"]);
        expect(JSON.parse(json), `${name} ${row}`).toEqual(values[row]);
      }
    }
  });

  test("prints readable text with --decode", async () => {
    expect(await output(["get", dates, "--row", "2", "--decode"])).toBe("2024-02-29\n");
    expect(await output(["get", texts, "--row", "1"])).toBe("null\n");
  });

  test("a row that does not exist is a failure", async () => {
    const { code, stderr, stdout } = await run(["get", dates, "--row", "3"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^cfile: row 3 does not exist: the file has 3 rows .*\n$/);
  });
});

describe("find", () => {
  test.each([
    ["0", "1 exact\n"],
    ["1970-01-01", "1 exact\n"],
    ["1970-01-02", "2 not exact\n"],
    ["-5", "0 not exact\n"],
  ])("finds a date like %s", async (value, expected) => {
    expect(await output(["find", dates, `--value=${value}`])).toBe(expected);
  });

  test("--scale applies to decimal values", async () => {
    expect(await output(["find", decimals, "--value", "0.05", "--scale", "2", "--json"])).toBe(
      '{"row":1,"exact":true}\n',
    );
    expect(await output(["find", decimals, "--value", "-1.5", "--scale", "2"])).toBe("0 exact\n");
  });

  test("a value greater than all others has no row", async () => {
    const { code, stdout } = await run(["find", dates, "--value", "9999-12-31", "--json"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '{"row":null,"exact":false}\n' });
  });

  test("strings are text, or hex digits with --hex", async () => {
    const path = await column("keys.cfile", { type: "STRING", validx: true }, ["apple", "banana"]);
    expect(await output(["find", path, "--value", "banana"])).toBe("1 exact\n");
    expect(await output(["find", path, "--value", "62616e616e61", "--hex"])).toBe("1 exact\n");
    expect(await output(["find", path, "--value", ""])).toBe("0 not exact\n");
    expect((await run(["find", path, "--value", "xyz", "--hex"])).code).toBe(2);
  });

  test("a file without a value index cannot be searched", async () => {
    const { code, stderr } = await run(["find", texts, "--value", "a"]);
    expect(code).toBe(4);
    expect(stderr).toContain("the file has no value index");
  });
});

describe("verify and digest", () => {
  async function flipped(name: string, at: number): Promise<string> {
    const bytes = await readFile(goldenPath(name));
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
    const path = join(folder, "flipped.cfile");
    await writeFile(path, bytes);
    return path;
  }

  test("a valid file is reported in one line", async () => {
    expect(await output(["verify", dates])).toBe(`${dates}: ok, 3 rows, 1 data block, 2 index blocks\n`);
    const delta = goldenPath("deltafile/delta_undo_small");
    expect(await output(["verify", delta])).toBe(`${delta}: ok, delta file, 57 changes, 1 data block\n`);
    const bloom = goldenPath("bloomfile/bloom_single");
    expect(await output(["verify", bloom])).toBe(`${bloom}: ok, Bloom file, 1 filter\n`);
  });

  test("a flipped byte anywhere ends with exit code 3", async () => {
    const name = "idx_validx_only_int32";
    const { length } = await readFile(goldenPath(name));
    for (let at = 0; at < length; at += 37) {
      const { code, stdout } = await run(["verify", await flipped(name, at)]);
      expect({ at, code }).toEqual({ at, code: 3 });
      expect(stdout).toContain(": damaged, ");
    }
  });

  test("the offset of the damage is reported, and the other files are also checked", async () => {
    const damaged = await flipped("idx_validx_only_int32", 100);
    const { code, stdout } = await run(["verify", damaged, dates]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /flipped\.cfile: damaged, 1 problem\n {2}E_CHECKSUM block at 16 \(532 bytes\), offset 528/,
    );
    expect(stdout).toContain(`${dates}: ok`);
    const json = await run(["verify", damaged, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      path: damaged,
      ok: false,
      problems: [{ code: "E_CHECKSUM", block: { offset: 16, size: 532 } }],
    });
  });

  test.each([["cat"], ["digest"]])("%s of a damaged file ends with exit code 3", async (command) => {
    const { code, stderr } = await run([command, await flipped("idx_validx_only_int32", 100)]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^cfile: .*CRC mismatch.*flipped\.cfile, block at 16 .*\n$/);
  });

  test("a file that is not a CFile is damaged, a missing one is an input error", async () => {
    const path = join(folder, "text.cfile");
    await writeFile(path, "this is no CFile at all");
    expect((await run(["verify", path])).code).toBe(3);
    expect((await run(["verify", join(folder, "absent.cfile")])).code).toBe(5);
  });

  test("digest continues after a file that cannot be read", async () => {
    const { code, stdout, stderr } = await run(["digest", join(folder, "absent.cfile"), dates]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}.*dates\.cfile\n$/);
    expect(stderr).toContain("absent.cfile");
  });

  test("digest --json prints an object per file", async () => {
    const json = JSON.parse(await output(["digest", goldenPath("enc_int32_plain_n9"), "--json"]));
    expect(json).toEqual({
      path: goldenPath("enc_int32_plain_n9"),
      sha256: golden("enc_int32_plain_n9").sha256,
    });
  });
});

describe("inspect", () => {
  test("shows a file's parts, sizes, blocks and indexes", async () => {
    const text = await output(["inspect", goldenPath("idx_validx_only_int32")], { env: { COLUMNS: "60" } });
    for (const part of [
      "type ",
      "compression",
      "Layout",
      "H header",
      "Sizes",
      "value index",
      "Data blocks",
      "leaf at 4,112",
    ]) {
      expect(text).toContain(part);
    }
    const picture = text.split("\n").find((line) => line.includes("█"));
    expect(picture).toHaveLength(60);
  });

  test("--blocks limits the number of listed blocks", async () => {
    const path = goldenPath("large_int32_plain_validx");
    expect(await output(["inspect", path, "--blocks", "2"])).toContain("more blocks (use --blocks all)");
    expect(await output(["inspect", path, "--blocks", "all"])).not.toContain("--blocks all");
    expect(await output(["inspect", path, "--blocks", "0"])).toContain("more blocks (use");
  });

  test("computes the compression ratio from the sizes in the blocks, in both versions", async () => {
    expect(await output(["inspect", goldenPath("large_int64_plain_lz4_null")])).toMatch(
      /LZ4, data blocks [\d,]+ to [\d,]+ bytes, ratio (?!1\.00)\d+\.\d\d/,
    );
    expect(await output(["inspect", goldenPath("v1_int32_plain")])).toContain("version      1");
  });

  test("a terminal or --color turns colors on, NO_COLOR or --no-color off", async () => {
    const colored = (text: string): boolean => text.includes("\u001b[");
    const args = ["inspect", dates];
    expect(colored(await output(args))).toBe(false);
    expect(colored(await output(args, { isTTY: true }))).toBe(true);
    expect(colored(await output([...args, "--color"]))).toBe(true);
    expect(colored(await output([...args, "--no-color"], { isTTY: true }))).toBe(false);
    expect(colored(await output(args, { isTTY: true, env: { NO_COLOR: "1" } }))).toBe(false);
  });

  test("--json omits and reports files that cannot be read", async () => {
    const { code, stdout, stderr } = await run(["inspect", "--json", dates, join(folder, "absent.cfile")]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([{ path: dates, type: "DATE" }]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "E_NOT_FOUND", exit_code: 5 } });
  });
});
