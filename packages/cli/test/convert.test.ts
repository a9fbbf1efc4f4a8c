import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openParquet } from "@cfile/parquet";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { requireSignature, serveFiles, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { goldenFacts, goldenPath } from "./golden.js";
import { run } from "./run.js";

/** Columns whose text is exact. */
const names = [
  "enc_int8_plain_null_n1000",
  "enc_int16_rle_null_n1000",
  "enc_int32_plain_null_n1000",
  "enc_int64_bshuf_null_n1000",
  "enc_bool_rle_null_n1000",
  "enc_decimal128_plain_null_n1000",
];
const TYPES = ["int8?", "int16?", "int32?", "int64?", "bool?", "decimal128?"];
const MADE = "number:int32,word:string?,list:int64[]?";
const SCHEMA = [...names.map((name, i) => `${name}:${TYPES[i]}`), MADE].join(",");

/** A file name of each format. */
const FORMS = ["csv", "ndjson", "cfile", "rowset", "arrow", "arrows", "parquet"] as const;
let folder: string;
const at = (name: string): string => join(folder, name);
const targetOf = (form: string, name: string): string =>
  form === "cfile" ? `${at(name)}/` : at(`${name}.${form}`);

async function convert(
  source: readonly string[],
  form: string,
  target: string,
  ...more: string[]
): Promise<string> {
  const key = form === "rowset" ? ["--key", "number"] : [];
  const args = ["convert", ...source, target, "--to", form, ...key, ...more];
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }, `${source} to ${target}`).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function digests(columns: string): Promise<string[]> {
  return Promise.all(
    [...names, "number", "word", "list"].map(async (name) => {
      const { stdout } = await run(["digest", join(columns, `${name}.cfile`)]);
      return stdout.split(" ")[0] ?? "";
    }),
  );
}

let expected: string[];

beforeAll(async () => {
  folder = temporaryFolder();
  // A key for row sets, and text with all characters that CSV quotes.
  const texts = [null, "", "a,b", 'say "so"', "two\nlines", "Füße 🦶", " ", "null", "1"];
  const lists = [null, [], [1, null, -3], ["9223372036854775807"]];
  const lines = Array.from({ length: 1000 }, (_, i) => {
    const row = { number: i, word: texts[i % texts.length], list: lists[i % lists.length] };
    return JSON.stringify(row).replaceAll('["9223372036854775807"]', "[9223372036854775807]");
  });
  await writeFile(at("made.ndjson"), `${lines.join("\n")}\n`);
  await convert([at("made.ndjson")], "cfile", `${at("made")}/`, "--schema", MADE);
  for (const form of FORMS) {
    const made = ["number", "word", "list"].map((name) => join(at("made"), `${name}.cfile`));
    const sources = [...names.map(goldenPath), ...made];
    await convert(sources, form, targetOf(form, "first"));
  }
  expected = await digests(at("first"));
});

describe("cfile convert", () => {
  test("starts from unchanged columns", () => {
    expect(expected.slice(0, -3)).toEqual(
      names.map((name) => (goldenFacts(name) as { sha256: string }).sha256),
    );
  });

  const pairs = FORMS.flatMap((from) => FORMS.map((to) => [from, to] as const));
  test.each(pairs)("%s to %s keeps every column", async (from, to) => {
    const isText = from === "csv" || from === "ndjson";
    const source = targetOf(from, "first");
    const target = targetOf(to, `${from}-${to}`);
    const stdout = await convert([source], to, target, ...(isText ? ["--schema", SCHEMA] : []));
    expect(stdout).toMatch(/: 1,000 rows, 9 columns, .* to .*, ratio \d+\.\d\d, \d+\.\d\d s\n$/);
    const columns = at(`${from}-${to}-columns`);
    const schema = to === "csv" || to === "ndjson" ? ["--schema", SCHEMA] : [];
    await convert([target], "cfile", `${columns}/`, ...schema);
    expect(await digests(columns)).toEqual(expected);
  });

  test("reads over HTTP", async () => {
    const server = await serveFiles({ "first.parquet": { body: await readFile(at("first.parquet")) } });
    await convert([`${server.url}first.parquet?x=1`], "cfile", `${at("http")}/`);
    expect(await digests(at("http"))).toEqual(expected);
  });

  test("reads from S3, and shows progress on a terminal", async () => {
    const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
    const web = await serveFiles(
      { "data/first.parquet": { body: await readFile(at("first.parquet")) } },
      { refuse: requireSignature({ ...keys, region: "eu-west-1" }) },
    );
    const { code, stdout, stderr } = await run(["convert", "s3://data/first.parquet", `${at("s3")}/`], {
      isTTY: true,
      env: {
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_REGION: "eu-west-1",
        AWS_ENDPOINT_URL: web.url,
      },
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining(": 1,000 rows, 9 columns, ")]);
    expect(stderr).toMatch(/converting .* %/);
    expect(await digests(at("s3"))).toEqual(expected);
  });

  test("keeps the scale of decimals and the order of a table store, through every format that stores them", async () => {
    const digits = { precision: 12, scale: 2 };
    const columns = [
      { id: 1, name: "b", type: "INT64", nullable: false, array: false, isKey: true },
      { id: 2, name: "a", type: "INT32", nullable: false, array: false, isKey: true },
      { id: 3, name: "price", type: "DECIMAL64", nullable: true, array: false, isKey: false, ...digits },
    ] as const;
    await using creation = await createTableStore(at("priced"), { columns });
    await creation.appendRows([
      [2n, 1, 12_345n],
      [1n, 7, null],
    ]);
    await creation.finish();
    await convert([at("priced")], "parquet", at("priced.parquet"));
    const steps = ["arrow", "cfile", "arrows", "parquet"] as const;
    let source = at("priced.parquet");
    for (const [i, form] of steps.entries()) {
      const target = targetOf(form, `priced-${i}`);
      await convert([source], form, target);
      source = target;
    }
    const facts = async (path: string) => {
      await using file = await openParquet(path);
      const [price] = file.columns.filter(({ name }) => name === "price");
      return { sortedBy: file.sortedBy, type: price?.type, precision: price?.precision, scale: price?.scale };
    };
    const price = { type: "DECIMAL64", ...digits };
    expect(await facts(at("priced.parquet"))).toEqual({ ...price, sortedBy: ["b", "a"] });
    expect(await facts(source)).toEqual({ ...price, sortedBy: [] });
    // The sorting columns of a Parquet file are the key of a row set made of it.
    const { code } = await run(["convert", at("priced.parquet"), at("priced-again"), "--to", "rowset"]);
    expect(code).toBe(0);
    await using rowSet = await openTableStore(at("priced-again"));
    expect(rowSet.schema.columns).toMatchObject(columns.map(({ id: _, ...column }) => column));
  });

  test("reports rows, bytes, ratio and time as JSON", async () => {
    const { stdout } = await run(["convert", at("first.parquet"), at("again.arrow"), "--json"]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ path: at("again.arrow"), rows: 1000, columns: 9 });
    expect(report.ratio).toBeCloseTo(report.bytes_read / report.bytes);
    expect(report.seconds).toBeGreaterThan(0);
  });

  test("rejects unknown extensions, a missing target, a table store without a key, and a CFile of several columns", async () => {
    const [first = ""] = names;
    const calls = [
      [goldenPath(first), at("t.txt")],
      [goldenPath(first)],
      [at("first.csv"), at("r"), "--to", "rowset"],
      [at("first.parquet"), at("c.cfile")],
      [at("first.parquet"), at("first.arrow"), at("two.csv")],
      [at("first.csv"), at("t.parquet"), "--delimiter", "ab"],
    ];
    for (const call of calls) {
      expect((await run(["convert", ...call])).code, call.join(" ")).toBe(2);
    }
  });
});
