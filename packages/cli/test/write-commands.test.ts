import { mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { goldenPath } from "./golden.js";
import { output, run } from "./run.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function input(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

interface Written {
  readonly column: string;
  readonly path: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly encoding: string;
  readonly rows: number;
}

/** Writes the text as a table and reads everything back. */
async function written(name: string, text: string, ...options: string[]) {
  const target = join(folder, "out");
  const json = await output(["write", await input(name, text), "-o", target, "--json", ...options]);
  const columns = JSON.parse(json) as Written[];
  return Object.fromEntries(
    await Promise.all(
      columns.map(async ({ column, path, type, nullable, array }) => {
        const file = await openCFile(path);
        const values = await file.toArray();
        const report = await file.verify();
        await file.close();
        expect(report.problems).toEqual([]);
        expect([file.type, file.nullable, file.array]).toEqual([type, nullable, array]);
        return [column, [`${type}${array ? "[]" : ""}${nullable ? "?" : ""}`, values]];
      }),
    ),
  );
}

describe("write from CSV", () => {
  test("infers types and nulls from the values", async () => {
    const text =
      "i,l,d,b,day,at,code,s\n" +
      "1,5000000000,1.5,true,2024-02-29,2024-02-29T12:00:00Z,007,\n" +
      '-2,1,2,FALSE,1969-12-31,1970-01-01T00:00:00.000001Z,12,""\n' +
      '3,2,-1e300,true,2024-03-01,2024-02-29 12:00,13,"a ""b"", c"\n';
    expect(await written("t.csv", text)).toEqual({
      i: ["INT32", [1, -2, 3]],
      l: ["INT64", [5000000000n, 1n, 2n]],
      d: ["DOUBLE", [1.5, 2, -1e300]],
      b: ["BOOL", [true, false, true]],
      day: ["DATE", [19782, -1, 19783]],
      at: ["UNIXTIME_MICROS", [1709208000000000n, 1n, 1709208000000000n]],
      code: ["STRING", ["007", "12", "13"]],
      s: ["STRING?", [null, "", 'a "b", c']],
    });
  });

  test("a schema decides types, nulls and which columns are written", async () => {
    const text = 'a,b,c,tags\n1,2.50,x,"[1,null]"\n2,,,"[]"\n';
    expect(await written("t.csv", text, "--schema", "a:int8,b:decimal64(2)?,c:string,tags:int16[]")).toEqual({
      a: ["INT8", [1, 2]],
      b: ["DECIMAL64?", [250n, null]],
      c: ["STRING", ["x", ""]],
      tags: ["INT16[]", [[1, null], []]],
    });
    expect(Object.keys(await written("t.csv", text, "--schema", "c:varchar?"))).toEqual(["c"]);
  });

  test("a schema file has settings for each column", async () => {
    const schema = await input(
      "schema.json",
      JSON.stringify({ id: { type: "int64", encoding: "rle", compression: "lz4", key: true }, s: "binary?" }),
    );
    const target = join(folder, "out");
    const table = await input("t.csv", "id,s\n1,00ff\n2,\n");
    await output(["write", table, "-o", target, "--schema", schema]);
    const id = await openCFile(join(target, "id.cfile"));
    expect([id.type, id.encoding, id.compression]).toEqual(["INT64", "RLE", "LZ4"]);
    expect(await id.find(2n)).toEqual({ row: 1, exact: true });
    await id.close();
    expect(await output(["cat", join(target, "s.cfile")])).toBe("00ff\nnull\n");
  });

  test("--no-sync gives the same files and does not wait for the disk", async () => {
    const table = await input("t.csv", "id,name\n1,a\n2,b\n");
    const [first, second] = [join(folder, "synced"), join(folder, "not-synced")];
    await output(["write", table, "-o", first]);
    const handle = await open(table);
    const waiting = vi.spyOn(Object.getPrototypeOf(handle), "sync");
    await handle.close();
    try {
      await output(["write", table, "-o", second, "--no-sync"]);
      await output(["table", "create", table, "-o", join(folder, "rows"), "--key", "id", "--no-sync"]);
      await output(["table", "compact", join(folder, "rows"), "--no-sync"]);
      expect(waiting).not.toHaveBeenCalled();
      await output(["write", table, "-o", second]);
      expect(waiting).toHaveBeenCalled();
    } finally {
      waiting.mockRestore();
    }
    expect(await readFile(join(second, "name.cfile"))).toEqual(await readFile(join(first, "name.cfile")));
  });

  test("options apply to all columns or to one", async () => {
    const table = await input("t.csv", "id,name\n1,a\n2,b\n");
    const target = join(folder, "out");
    const compression = ["--compression", "zlib", "--compression", "id=none"];
    const encoding = ["--encoding", "plain", "--encoding", "name=PREFIX_ENCODING"];
    const others = ["--key", "id", "--no-posidx", "--no-checksums"];
    await output(["write", table, "-o", target, ...compression, ...encoding, ...others]);
    const [id, name] = await Promise.all(
      ["id", "name"].map(async (column) =>
        JSON.parse(await output(["inspect", "--json", join(target, `${column}.cfile`)])),
      ),
    );
    expect(id).toMatchObject({ encoding: "PLAIN_ENCODING", compression: "NO_COMPRESSION" });
    expect(Object.keys(id.layout)).toEqual(["validx"]);
    expect(name).toMatchObject({ encoding: "PREFIX_ENCODING", compression: "ZLIB" });
    expect(name.footer.incompatible_features).toBe(0);
    expect(name.layout).toEqual({});
  });

  test("delimiter and null text can be chosen; a byte order mark and blank lines do not matter", async () => {
    const text = "\ufeffa\tb\r\n1\tNA\r\n2\t\r\n\r\n";
    expect(await written("t.csv", text, "--delimiter", "\\t", "--null", "NA")).toEqual({
      a: ["INT32", [1, 2]],
      b: ["STRING?", [null, ""]],
    });
  });

  test("a file with only a header gives empty columns", async () => {
    expect(await written("t.csv", "a,b\n")).toEqual({ a: ["STRING", []], b: ["STRING", []] });
  });

  test("keeps the order of rows across portions", async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `${i},${i % 3 === 0 ? "" : `s${i}`}`);
    const table = await written("t.csv", `n,s\n${rows.join("\n")}\n`);
    expect(table["n"]?.[1]).toEqual(rows.map((_, i) => i));
    expect(table["s"]?.[1]).toEqual(rows.map((_, i) => (i % 3 === 0 ? null : `s${i}`)));
  });

  test("standard input is read with a schema", async () => {
    const target = join(folder, "out");
    await output(["write", "-", "-o", target, "--format", "csv", "--schema", "a:int32"], {
      stdin: "a\n1\n2\n",
    });
    expect(await output(["cat", join(target, "a.cfile")])).toBe("1\n2\n");
  });

  test("progress is shown on a terminal", async () => {
    const table = await input("t.csv", "a\n1\n");
    const { code, stderr } = await run(["write", table, "-o", join(folder, "out")], { isTTY: true });
    expect(code).toBe(0);
    expect(stderr).toContain("writing");
  });
});

describe("write from NDJSON", () => {
  test("infers types, nulls and arrays from the values", async () => {
    const text =
      '{"i":1,"big":9007199254740993,"x":1.5,"ok":true,"day":"2024-02-29","s":"7","a":[1,null]}\n\n' +
      '{"i":2,"big":1,"x":2,"ok":false,"day":"2024-03-01","s":"x","a":[],"late":1}';
    expect(await written("t.ndjson", text)).toEqual({
      i: ["INT32", [1, 2]],
      big: ["INT64", [9007199254740993n, 1n]],
      x: ["DOUBLE", [1.5, 2]],
      ok: ["BOOL", [true, false]],
      day: ["DATE", [19782, 19783]],
      s: ["STRING", ["7", "x"]],
      a: ["INT32[]", [[1, null], []]],
      late: ["INT32?", [null, 1]],
    });
  });

  test("a column of mixed types is text", async () => {
    expect(await written("t.jsonl", '{"v":1.50}\n{"v":"x"}\n{"v":true}')).toEqual({
      v: ["STRING", ["1.50", "x", "true"]],
    });
  });
});

describe("errors in tables name the row and leave no files", () => {
  test.each([
    ["t.csv", "id,n\n1,5\n2,x\n", ["--schema", "id:int32,n:int32"], /column "n": row 1: invalid value/],
    ["t.csv", "n\n1\n300\n", ["--schema", "n:int8"], /column "n": row 1: 300 does not fit INT8/],
    ["t.csv", "n,m\n1,1\n,1\n", ["--schema", "n:int32"], /column "n": row 1: null/],
    ["t.csv", "n,m\n1,2\n3\n", [], /row 1 has 1 fields \(the header has 2\)/],
    ["t.csv", "n,n\n1,2\n", [], /duplicate column "n"/],
    ["t.csv", 'n\n"1\n', [], /Quote Not Closed.*line 2/],
    ["t.csv", 'n\n1\na"b"\n', [], /Invalid Opening Quote.*line 3/],
    ["t.csv", 'n,m\n1,"a"b\n', [], /Invalid Closing Quote.*line 2/],
    ["t.csv", "n\n2\n1\n", ["--key", "n"], /column "n": .*row 1|column "n": .*descend/],
    ["t.csv", "", [], /no columns/],
    ["t.csv", "n\n1\n", ["--encoding", "dict"], /column "n": INT32 columns do not support DICT_ENCODING/],
    ["t.ndjson", '{"a":1}\n{"a":{"b":1}}', [], /column "a": row 1: found an object/],
    ["t.ndjson", '{"a":1}\n{"a":[1]}', [], /column "a": row 1: arrays and single values/],
    ["t.ndjson", '{"a":1}\n{"a":', [], /row 1: /],
    ["t.ndjson", "[1]", [], /row 0: must be a JSON object/],
  ])("%s %j %j", async (name, text, options, message) => {
    const target = join(folder, "out");
    const { code, stdout, stderr } = await run(["write", await input(name, text), "-o", target, ...options]);
    expect(stderr).toMatch(message);
    expect({ isFailure: code === 1 || code === 4, stdout }).toEqual({ isFailure: true, stdout: "" });
    expect(stderr).toContain(name);
    expect(await readdir(folder)).toEqual([name]);
  });

  test("text that is not UTF-8", async () => {
    const path = join(folder, "t.csv");
    await writeFile(path, Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    const { code, stderr } = await run(["write", path, "-o", join(folder, "out")]);
    expect(code).toBe(1);
    expect(stderr).toContain("UTF-8");
  });

  test("unknown columns are usage errors", async () => {
    const table = await input("t.csv", "a\n1\n");
    const target = join(folder, "out");
    for (const options of [
      ["--key", "b"],
      ["--encoding", "b=rle"],
      ["--schema", "a:int33"],
      ["--schema", "a"],
    ]) {
      expect((await run(["write", table, "-o", target, ...options])).code).toBe(2);
    }
    expect((await run(["write", table, "-o", target, "--schema", "b:int32"])).code).toBe(2);
  });

  test("existing files stay unchanged", async () => {
    const target = join(folder, "out");
    await mkdir(target);
    await writeFile(join(target, "n.cfile"), "precious");
    const table = await input("t.csv", "n\n1\nx\n");
    const { code } = await run(["write", table, "-o", target, "--schema", "n:int32"]);
    expect(code).toBe(1);
    expect(await readdir(target)).toEqual(["n.cfile"]);
    expect(await readFile(join(target, "n.cfile"), "utf8")).toBe("precious");
  });
});

describe("rewrite", () => {
  test("changes the given options and keeps the others, including the metadata", async () => {
    const target = join(folder, "new.cfile");
    const source = goldenPath("large_string_prefix_validx");
    await output(["rewrite", source, target, "--encoding", "Dict", "--compression", "lz4", "--no-posidx"]);
    const [before, after] = JSON.parse(await output(["inspect", "--json", source, target]));
    expect(after).toMatchObject({
      type: before.type,
      rows: before.rows,
      nullable: before.nullable,
      encoding: "DICT_ENCODING",
      compression: "LZ4",
      header_metadata: before.header_metadata,
    });
    expect(after.footer.metadata).toEqual(before.footer.metadata);
    expect(Object.keys(after.layout)).toEqual(["validx", "dict_block"]);
    const digests = (await output(["digest", source, target])).split("\n").map((line) => line.slice(0, 64));
    expect(digests[1]).toBe(digests[0]);
  });

  test("sizes accept units", async () => {
    const source = goldenPath("large_int32_plain_validx");
    const small = join(folder, "small.cfile");
    const json = await output(["rewrite", source, small, "--block-size", "4K", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ path: small, rows: 250_000 });
    expect(JSON.parse(json).data_blocks).toBeGreaterThan(200);
  });

  test("a failure leaves no file and reports the reason", async () => {
    const target = join(folder, "new.cfile");
    const source = goldenPath("enc_int32_plain_n9");
    const { code, stderr } = await run(["rewrite", source, target, "--encoding", "dict"]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^cfile: INT32 columns do not support DICT_ENCODING/);
    expect(await readdir(folder)).toEqual([]);
  });
});
