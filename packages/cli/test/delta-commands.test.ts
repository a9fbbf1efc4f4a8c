import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromHex } from "@cfile/bytes";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { damagedCopy } from "./damage.js";
import { goldenFacts, goldenPath } from "./golden.js";
import { writeCities } from "./row-set-fixture.js";
import { output, run } from "./run.js";

interface GoldenUpdate {
  readonly col_id: number;
  readonly raw?: string;
  readonly value?: number | string | boolean | { readonly bits: string };
}

interface GoldenDelta {
  readonly row_idx: number;
  readonly timestamp: string;
  readonly type: string;
  readonly updates?: readonly GoldenUpdate[];
}

interface GoldenDeltaFile {
  readonly schema: readonly { id: number; name: string; type: string; nullable: boolean }[];
  readonly deltas: readonly GoldenDelta[];
}

const names = ["redo", "undo"].flatMap((kind) =>
  ["small", "multiblock"].map((size) => `deltafile/delta_${kind}_${size}`),
);
const small = goldenPath("deltafile/delta_redo_small");
const folder = temporaryFolder();

/** A golden value in the form of `--decode`. */
function decodedValue(type: string, value: GoldenUpdate["value"]): unknown {
  switch (type) {
    case "STRING":
    case "VARCHAR":
      return new TextDecoder().decode(fromHex(String(value)));
    case "DOUBLE": {
      const { bits } = value as { bits: string };
      return new DataView(fromHex(bits).buffer).getFloat64(0);
    }
    case "DATE":
      return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
    default:
      return value;
  }
}

describe.each(names)("%s", (name) => {
  const facts = goldenFacts(name) as GoldenDeltaFile;
  const expected = (changesOf: (update: GoldenUpdate) => unknown) =>
    facts.deltas.map(({ row_idx, timestamp, type, updates = [] }) => ({
      row: row_idx,
      timestamp,
      utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      type,
      changes: updates.map(changesOf),
    }));

  test("without a schema, values are hexadecimal", async () => {
    expect(JSON.parse(await output(["delta", "cat", goldenPath(name), "--json"]))).toEqual(
      expected(({ col_id, raw = null }) => ({ column: col_id, hex: raw })),
    );
  });

  test("a schema decodes the values", async () => {
    const schema = facts.schema.map((column) => `${column.id}:${column.name}:${column.type}?`).join(",");
    const types = new Map(facts.schema.map((column) => [column.id, column]));
    expect(
      JSON.parse(await output(["delta", "cat", goldenPath(name), "--json", "--schema", schema])),
    ).toEqual(
      expected(({ col_id, value }) => ({
        column: col_id,
        name: types.get(col_id)?.name,
        value: value === undefined ? null : decodedValue(types.get(col_id)?.type ?? "", value),
      })),
    );
  });
});

describe("delta cat", () => {
  test("prints readable changes", async () => {
    const schema = "13:s:string?,16:dec:decimal128(2)?,12:i64:int64?";
    expect(await output(["delta", "cat", small, "--rows", ":2", "--schema", schema])).toBe(
      `row            timestamp  utc                          type      changes
  0                  100  1970-01-01T00:00:00.000000Z  UPDATE    17=0x7676, 18=null, 300=0x43b9
  0                  101  1970-01-01T00:00:00.000000Z  UPDATE    18=0x4a4ae6b55e76ba
  0                  102  1970-01-01T00:00:00.000000Z  UPDATE    dec=-17111269913763418527891709.79, 17=0x767676
  1  6400000000000001000  2019-07-07T11:46:40.000000Z  UPDATE    i64=-2946614665926096349, s="str-4670"
  1  6400000000000005096  2019-07-07T11:46:40.000001Z  DELETE
  1  6400000000000009192  2019-07-07T11:46:40.000002Z  REINSERT  11=0xe6, i64=512132994027640011, s="str-5070", 14=0x000000004019bd40, 15=0x01, dec=41091963722806105766136532.04, 17=0x7676767676, 18=null, 300=0x7d0e, 20000=null
  1  6400000000000013288  2019-07-07T11:46:40.000003Z  UPDATE    s="str-8061", 14=0x000000002005bb40, 15=0x00
`,
    );
  });

  test("--from and --to accept numbers and times", async () => {
    const row = async (...args: string[]) => {
      const text = await output(["delta", "cat", small, "--rows", "1:2", "--ndjson", ...args]);
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).type]));
    };
    expect(await row("--from", "6400000000000005096", "--to", "6400000000000013288")).toEqual([
      "DELETE",
      "REINSERT",
    ]);
    expect(await row("--from", "2019-07-07T11:46:40.000002Z")).toEqual(["REINSERT", "UPDATE"]);
    expect(await row("--to", "2019-07-07T13:46:40.000001+02:00")).toEqual(["UPDATE"]);
    expect(await row("--from", "2030-01-01T00:00Z")).toEqual([]);
  });

  test("accepts a schema file and the rowset.json of a table store", async () => {
    const schema = join(folder, "schema.json");
    await writeFile(schema, '{"s": {"id": 13, "type": "string?"}}');
    expect(await output(["delta", "cat", small, "--schema", schema])).toContain('s="str-4670"');
    const cities = await writeCities(join(folder, "cities"));
    const { row_sets } = JSON.parse(await output(["inspect", cities, "--json"]));
    const { file } = row_sets[0].files.find((entry: { file: string }) => entry.file.includes("-redo"));
    const text = await output(["delta", "cat", join(cities, file), "--schema", join(cities, "rowset.json")]);
    expect(text).toContain("UPDATE  people=55206");
  });
});

describe("delta cat fails", () => {
  test.each([
    ["a damaged file", 3, () => damagedCopy(small, join(folder, "damaged.cfile"), 100)],
    ["a file without deltas", 4, async () => goldenPath("enc_int32_plain_n9")],
    ["a missing file", 5, async () => join(folder, "missing.cfile")],
  ])("with %s: exit code %i", async (_name, code, path) => {
    const result = await run(["delta", "cat", await path()]);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(/^cfile: .+\n$/) });
  });

  test.each([
    ["no command", ["delta"]],
    ["a column without id", ["delta", "cat", small, "--schema", "s:string"]],
    ["an invalid type", ["delta", "cat", small, "--schema", "13:s:text"]],
    ["an invalid id", ["delta", "cat", small, "--schema", "9999999999:s:string"]],
    ["a duplicate id", ["delta", "cat", small, "--schema", "1:s:string,1:t:string"]],
    ["an invalid range of rows", ["delta", "cat", small, "--rows", "1"]],
    ["an invalid timestamp", ["delta", "cat", small, "--from", "yesterday"]],
    ["a timestamp above 64 bits", ["delta", "cat", small, "--from", "18446744073709551616"]],
    ["a time before 1970", ["delta", "cat", small, "--to", "1969-12-31T00:00:00Z"]],
    ["times that end before they start", ["delta", "cat", small, "--from", "5", "--to", "4"]],
    ["two ranges of rows", ["delta", "cat", small, "--rows", "1:2", "--rows", "3:4"]],
  ])("%s is a usage error", async (_name, args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^cfile: .+\n$/);
  });

  test("an invalid schema file is a usage error", async () => {
    for (const text of ["[]", "{", '{"s": "string"}', '{"s": {"id": 1}}']) {
      const schema = join(folder, "wrong.json");
      await writeFile(schema, text);
      expect(await run(["delta", "cat", small, "--schema", schema]), text).toMatchObject({ code: 2 });
    }
  });
});
