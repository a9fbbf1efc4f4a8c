import { copyFile, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const golden = (name: string): string => pathToGolden(`parquet/${name}.parquet`);
const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

/** Paths of the open files of this process; empty if the system does not list them. */
async function openFiles(): Promise<string[]> {
  const numbers = await readdir("/proc/self/fd").catch(() => []);
  return Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
}

describe("cfile verify of Parquet files", () => {
  test("reads every page", async () => {
    const { code, stdout } = await run(["verify", golden("datapage_v1-snappy-compressed-checksum")]);
    expect(code).toBe(0);
    expect(stdout).toContain("ok, Parquet, 5,120 rows, 4 pages\n");
    expect(await output(["verify", golden("alltypes_plain")])).toMatch(/, \d+ without CRC/);
  });

  test("reports damaged pages, as text and as JSON", async () => {
    const path = golden("datapage_v1-corrupt-checksum");
    const { code, stdout } = await run(["verify", path]);
    expect(code).toBe(3);
    expect(stdout).toContain("damaged, 2 problems");
    expect(stdout).toContain("column a, row group 0, page 0 (rows 0 to 2559)");
    expect(stdout).toContain("column b, row group 0, page 1 (rows 2560 to 5119)");
    const json = JSON.parse((await run(["verify", path, "--json"])).stdout);
    expect(json).toMatchObject({
      ok: false,
      kind: "parquet",
      rows: 5120,
      problems: [{ code: "E_CHECKSUM", offset: 4 }, {}],
    });
  });

  test.each([
    ["PARQUET-1481", "E_CORRUPT"],
    ["ARROW-GH-45185", "E_CORRUPT"],
    ["ARROW-GH-47662", "E_TRUNCATED"],
    ["ARROW-RS-GH-6229-DICTHEADER", "E_"],
  ])("reports %s as %s", async (name, error) => {
    const { code, stdout } = await run(["verify", golden(name)]);
    expect(code).toBe(3);
    expect(stdout).toContain(error);
  });
});

describe("cfile recover of Parquet files", () => {
  test("drops rows that are lost in any column and reports them", async () => {
    const target = at("dropped.parquet");
    const { code, stdout, stderr } = await run(["recover", golden("datapage_v1-corrupt-checksum"), target]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    expect(stdout).toContain("lost: E_CHECKSUM at 4: column a, row group 0, page 0 (rows 0 to 2559)");
    expect(stdout).toContain("column a: 2,560 rows lost, 2,560 rows kept");
    expect(stdout).toContain("dropped.parquet: 0 rows saved, 5,120 rows lost");
    expect(await output(["verify", target])).toContain("ok, Parquet, 0 rows");
  });

  test("--lost null keeps the numbers of rows", async () => {
    const target = at("nulls.parquet");
    const args = ["recover", golden("datapage_v1-corrupt-checksum"), target, "--lost", "null", "--json"];
    const { code, stdout } = await run(args);
    expect(code).toBe(3);
    const { rows, ledger } = JSON.parse(stdout);
    expect(rows).toBe(5120);
    expect(ledger).toMatchObject({
      rowsTotal: 5120,
      lostRows: [{ from: 0, to: 5120 }],
      columns: [
        { name: "a", rowsKept: 2560, rowsLost: 2560, lost: [{ from: 0, to: 2560 }] },
        { name: "b", rowsKept: 2560, rowsLost: 2560, lost: [{ from: 2560, to: 5120 }] },
      ],
      losses: [
        { column: "a", part: "page", page: 0, code: "E_CHECKSUM" },
        { column: "b", page: 1 },
      ],
    });
    await run(["convert", target, at("saved.ndjson")]);
    await run(["convert", golden("datapage_v1-uncompressed-checksum"), at("valid.ndjson")]);
    const linesOf = async (name: string) =>
      (await readFile(at(name), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const [saved, valid] = [await linesOf("saved.ndjson"), await linesOf("valid.ndjson")];
    expect(saved).toEqual(
      valid.map((row, i) => ({ a: i < 2560 ? null : row.a, b: i < 2560 ? row.b : null })),
    );
  });

  test("copies a valid file with its metadata, with exit code 0", async () => {
    const args = ["recover", golden("int32_decimal"), at("valid.parquet"), "--no-sync"];
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toContain("24 rows saved, 0 rows lost");
  });

  test("carries nested columns page by page", async () => {
    const target = at("nested.parquet");
    const { code, stdout } = await run(["recover", golden("nulls.snappy"), target, "--no-sync"]);
    expect(code).toBe(0);
    expect(stdout).toContain("nested.parquet: 8 rows saved, 1 page kept, 0 lost");
  });
});

describe("cfile inspect, cat, head and scan of Parquet files", () => {
  test("inspect shows schema, row groups, chunks, pages and indexes", async () => {
    const stdout = await output(["inspect", golden("datapage_v1-snappy-compressed-checksum")]);
    for (const text of [
      "kind         Parquet, version 1, written by parquet-mr version 1.13.0-SNAPSHOT",
      "    required int32 a;",
      "█CCOOFFFFFF\n",
      "column index      2     38   1.1 %",
      "          0  b       INT32  SNAPPY  RLE PLAIN   5,120          1,527  1,524  13.47",
      "          0  b       offset index   3,110     22",
      "          0  b       data-v1  PLAIN      2,560          2,289    762  13.44  da830212",
    ]) {
      expect(stdout).toContain(text);
    }
  });

  test("inspect --json has every page, bounds of statistics and indexes", async () => {
    const json = JSON.parse(await output(["inspect", golden("int32_decimal"), "--json"]));
    expect(json).toMatchObject({
      kind: "parquet",
      rows: 24,
      row_groups: [{ rows: 24, chunks: [{ values: 24 }] }],
    });
    const [chunk] = json.row_groups[0].chunks;
    expect(chunk).toMatchObject({ column: "value", type: "INT32", pages: [{ kind: "data-v1", values: 24 }] });
    expect(json.schema).toContain("optional int32 value (DECIMAL(4,2));");
  });

  test("inspect shows the parts of a file without a footer", async () => {
    const path = at("parts.parquet");
    await writeFile(
      path,
      (await readFile(golden("datapage_v1-snappy-compressed-checksum"))).subarray(0, 2000),
    );
    const stdout = await output(["inspect", path]);
    expect(stdout).toContain("Parquet without a usable footer");
    expect(stdout).toContain("1,527    473  cut-page");
    const { parts, problem } = JSON.parse(await output(["inspect", path, "--json"]));
    expect(problem.code).toBe("E_CORRUPT");
    expect(parts.map((part: { kind: string }) => part.kind)).toEqual(["magic", "page", "page", "cut-page"]);
  });

  test("cat and head print rows, lists and structs as JSON", async () => {
    expect(await output(["cat", golden("list_columns"), "--ndjson", "--decode"])).toBe(
      [
        '{"int64_list":["1","2","3"],"utf8_list":["abc","efg","hij"]}',
        '{"int64_list":[null,"1"],"utf8_list":null}',
        '{"int64_list":["4"],"utf8_list":["efg",null,"hij","xyz"]}\n',
      ].join("\n"),
    );
    expect(await output(["cat", golden("list_columns"), "--rows", "1:2", "--csv", "--decode"])).toBe(
      'int64_list,utf8_list\n"[null,""1""]",\n',
    );
    expect(await output(["head", golden("nulls.snappy"), "-n", "1", "--json"])).toBe(
      '[{"b_struct":{"b_c_int":null}}]\n',
    );
  });

  test("scan selects columns and rows", async () => {
    const args = [
      "scan",
      golden("alltypes_plain"),
      "--where",
      "id > 5",
      "--columns",
      "id,double_col",
      "--ndjson",
    ];
    expect(await output(args)).toBe('{"id":6,"double_col":0}\n{"id":7,"double_col":10.1}\n');
    const unknown = await run(["scan", golden("alltypes_plain"), "--columns", "none"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no column "none"')]);
  });
});

describe("types that only Parquet has", () => {
  test.each([
    ["data/int96_from_spark", "optional int96 a;", '{"a":"2024-01-01T20:34:56.123456Z"}'],
    [
      "data/float16_nonzeros_and_nans",
      "optional fixed_len_byte_array(2) x (FLOAT16);",
      '{"x":null}\n{"x":1}\n{"x":-2}',
    ],
    [
      "shredded_variant/case-001",
      "optional group var (VARIANT) {",
      '{"id":1,"var":{"metadata":"010000","value":null,"typed_value":[{"value":null,"typed_value":"comedy"}',
    ],
    [
      "data/geospatial/crs-default",
      "optional binary geometry (GEOMETRY);",
      '{"wkt":"POLYGON ((-111 45, -111 44.9,',
    ],
  ])("%s: inspect names the type; cat, head and scan carry the values", async (name, type, rows) => {
    const path = pathToGolden(`parquet-testing/${name}.parquet`);
    expect(await output(["inspect", path])).toContain(type);
    const printed = await output(["cat", path, "--ndjson", "--decode"]);
    expect(printed.slice(0, rows.length)).toBe(rows);
    expect(await output(["scan", path, "--ndjson"])).toBe(printed);
    const [first] = printed.split("\n");
    expect(await output(["head", path, "-n", "1", "--ndjson", "--decode"])).toBe(`${first}\n`);
  });
});

describe("cfile recover of Parquet files without a footer", () => {
  const original = golden("datapage_v1-snappy-compressed-checksum");
  const cut = async (name: string, size: number): Promise<string> => {
    const path = at(name);
    await writeFile(path, (await readFile(original)).subarray(0, size));
    return path;
  };

  test("takes the schema from another file, and reports what is lost", async () => {
    const path = await cut("cut.parquet", 2000);
    const target = at("like.parquet");
    const { code, stdout } = await run(["recover", path, target, "--like", original]);
    expect(code).toBe(3);
    expect(stdout.split("\n")).toEqual([
      `${path}: 2 columns, schema from the file of --like`,
      "  lost: bytes at 1527 (473 bytes): the file ends inside a page",
      "  lost: chunk, column b, row group 0: no page was found",
      "  row group 0: 0 of an unknown number of rows saved",
      "  the end of the file is missing: it may have had more rows",
      `${target}: 0 rows saved, 0 pages kept, 2 lost, 60 B`,
      "",
    ]);
  });

  test.each([["a:int32,b:int32"], ["message m { required int32 a; required int32 b (INTEGER(32,true)); }"]])(
    "takes the schema %s",
    async (schema) => {
      const args = ["recover", await cut("pages.parquet", 3051), at("given.parquet"), "--schema", schema];
      const { code, stdout } = await run([...args, "--row-group-rows", "5120", "--json"]);
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({
        rows: 5120,
        row_groups: 1,
        ledger: { schemaFrom: "given", pagesFound: 4, pagesKept: 4, losses: [], isCut: true },
      });
    },
  );

  test("uses the valid part of the footer", async () => {
    const whole = await readFile(original);
    const path = await cut("tail.parquet", whole.length - 8);
    const { code, stdout } = await run(["recover", path, at("tail-saved.parquet")]);
    expect(code).toBe(0);
    expect(stdout).toContain("schema from its damaged footer");
    expect(stdout).toContain("5,120 rows saved, 4 pages kept, 0 lost");
  });

  test("guesses columns without any schema", async () => {
    const path = at("guess.parquet");
    const bytes = await readFile(golden("alltypes_plain"));
    await writeFile(path, bytes.subarray(0, 1113));
    const target = at("guessed.parquet");
    const { code, stdout } = await run(["recover", path, target]);
    expect(code).toBe(3);
    expect(stdout).toContain("11 columns, schema from its pages (a guess)");
    expect(stdout).toContain(
      "guessed: c0 INT32, c1 BOOLEAN, c2 INT32, c3 INT32, c4 INT32, c5 INT64, c6 FLOAT, c7 DOUBLE, c8 STRING, c9 STRING, c10 INT96",
    );
    expect(stdout).toContain("8 rows saved, 21 pages kept, 0 lost");
    expect(await output(["scan", target, "--columns", "c0,c1,c7,c8", "--limit", "1", "--ndjson"])).toBe(
      '{"c0":4,"c1":true,"c7":0,"c8":"03/01/09"}\n',
    );
  });

  test("needs a schema that fits", async () => {
    const path = await cut("bare.parquet", 3051);
    const wrong = await run(["recover", path, at("none.parquet"), "--schema", "a:string"]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("do not fit the schema")]);
  });
});

test("cfile recover reaches the pages after a damaged header in a file with a valid footer, without indexes", async () => {
  const bytes = await readFile(golden("datapage_v1-snappy-compressed-checksum"));
  await writeFile(at("no-tail.parquet"), bytes.subarray(0, -8));
  await run(["recover", at("no-tail.parquet"), at("no-index.parquet")]);
  const valid = await output(["cat", at("no-index.parquet"), "--ndjson"]);
  const damaged = await readFile(at("no-index.parquet"));
  damaged.fill(0xff, 4, 8);
  await writeFile(at("bad-header.parquet"), damaged);
  const { code, stdout } = await run(["recover", at("bad-header.parquet"), at("rest.parquet")]);
  expect(code).toBe(3);
  expect(stdout).toContain("lost: E_CORRUPT at 4: column a, row group 0, page 0 (rows 0 to 2559): ");
  expect(stdout).toContain("column a: 2,560 rows lost, 2,560 rows kept");
  const rows = valid.split("\n").slice(2560).join("\n");
  expect(await output(["cat", at("rest.parquet"), "--ndjson"])).toBe(rows);
});

describe("encrypted Parquet files", () => {
  const hex = (key: string): string => Buffer.from(key).toString("hex");
  const footer = ["--parquet-key", hex("0123456789012345")];
  const columns = [
    ...["--parquet-key", `id=${hex("1234567890123450")}`],
    ...["--parquet-key", `tags.list.element=${hex("12345678901234567890123456789012")}`],
  ];
  const path = pathToGolden("parquet-encrypted/java-columns.parquet");

  test("are read, verified and inspected with the keys of footer and columns", async () => {
    const rows = await output(["head", path, "-n", "2", "--ndjson", "--decode", ...footer, ...columns]);
    expect(rows.split("\n")[1]).toBe('{"id":"3","name":"name 31","amount":0.125,"tags":["t0"],"open":1}');
    expect(await output(["verify", path, ...footer, ...columns])).toContain("ok, Parquet, 1,000 rows");
    expect(await output(["inspect", path, ...footer, ...columns])).toContain("optional binary name");
  });

  test("leave out columns without their key, by name", async () => {
    const { stdout, stderr } = await run(["head", path, "-n", "1", "--ndjson", "--decode", ...footer]);
    expect(stdout).toBe('{"name":null,"amount":0,"open":0}\n');
    expect(stderr).toContain("column left out: id: encrypted, and its key is not given");
  });

  test.each([
    ["no key", [], 4, "the footer is encrypted: pass its key as --parquet-key"],
    [
      "another key",
      ["--parquet-key", hex("0123456789012346")],
      3,
      "cannot decrypt: the key or the AAD prefix is wrong",
    ],
    ["text", ["--parquet-key", "0123456789012345"], 2, 'invalid --parquet-key: "0123456789012345"'],
  ])("%s is an error", async (_, args, code, message) => {
    const copy = at("encrypted.parquet");
    await copyFile(path, copy);
    for (const command of [
      ["cat", copy],
      ["verify", copy],
      ["convert", copy, at("out.csv")],
    ]) {
      const found = await run([...command, ...args]);
      expect([found.code, found.stdout + found.stderr]).toEqual([code, expect.stringContaining(message)]);
      expect(await openFiles()).not.toContain(copy);
    }
  });
});
