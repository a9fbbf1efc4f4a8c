import { cp, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFixture, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { damagedCopy } from "./damage.js";
import { goldenPath } from "./golden.js";
import { writeCities } from "./row-set-fixture.js";
import { output, run } from "./run.js";

const airports = pathToFixture("datasets/airports.csv");
let folder: string;
/** At 1000 Bern, Biel and Zug; at 2000 Biel has people; at 3000 Zug is deleted. */
let cities: string;

beforeAll(async () => {
  folder = temporaryFolder();
  cities = await writeCities(join(folder, "cities"));
});

async function input(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function json(...args: string[]) {
  return JSON.parse(await output([...args, "--json"]));
}

describe("table create", () => {
  test("stores every row, in key order", async () => {
    const target = join(folder, "airports");
    const text = await output(["table", "create", airports, "-o", target, "--key", "state,iata"]);
    expect(text).toMatch(
      /airports: 3,376 rows, 9 files, [\d.]+ KiB\n {2}state string key\n {2}iata string key\n/,
    );
    expect(await output(["table", "verify", target])).toContain("ok, table, 9 files, 3,376 base rows");
    const columns = "iata,name,city,state,country,latitude,longitude";
    const csv = await output(["table", "scan", target, "--columns", columns, "--format", "csv"]);
    const [header, ...lines] = (await readFile(airports, "utf8")).trimEnd().split("\n");
    const [gotHeader, ...got] = csv.trimEnd().split("\n");
    expect(gotHeader).toBe(header);
    expect(got.toSorted()).toEqual(lines.toSorted());
    expect(await json("table", "scan", target, "--limit", "1", "--columns", "state,iata")).toEqual([
      { state: "AK", iata: "0AK" },
    ]);
  });

  test("applies schema, encodings and timestamp, and sorts within the given memory", async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, i) => `{"id":${20_000 - i},"price":"${i}.50","tags":["a",null]}`,
    );
    const path = await input("prices.ndjson", `${rows.join("\n")}\n`);
    const target = join(folder, "prices");
    const schema = "id:int32,price:decimal64(2)?,tags:string[]?";
    const created = await json(
      ...["table", "create", path, "-o", target, "--key", "id", "--schema", schema, "--memory", "64K"],
      ...["--compression", "lz4", "--encoding", "id=plain", "--timestamp", "5000"],
    );
    expect(created).toMatchObject({
      path: target,
      rows: 20_000,
      columns: [{ column: "id", key: true }, {}, {}],
    });
    expect(await json("table", "get", target, "1")).toEqual([
      { id: 1, price: "19999.50", tags: ["a", null] },
    ]);
    expect(await json("table", "scan", target, "--as-of", "5000")).toEqual([]);
    const { columns } = await json("inspect", target);
    expect(columns[0]).toMatchObject({ encoding: "PLAIN_ENCODING", compression: "LZ4" });
  });

  test("leaves nothing behind when it fails", async () => {
    const twice = await input("twice.csv", "id,name\n1,a\n1,b\n");
    const target = join(folder, "none");
    const { code, stderr } = await run(["table", "create", twice, "-o", target, "--key", "id"]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("1") });
    expect(await readdir(folder)).not.toContain("none");
  });

  test("rejects a directory that already has a table store", async () => {
    const path = await input("one.csv", "id\n1\n");
    const { code, stderr } = await run(["table", "create", path, "-o", cities, "--key", "id"]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("already") });
    expect(await json("table", "verify", cities)).toMatchObject({ ok: true });
  });
});

describe("table scan", () => {
  test("prints the latest snapshot and earlier ones", async () => {
    expect(await output(["table", "scan", cities])).toBe(
      "city  people  since\nBern  134794  1969-12-31\nBiel   55206  null\n",
    );
    const at = async (asOf: string) => (await json("table", "scan", cities, "--as-of", asOf)).length;
    expect([await at("1000"), await at("1001"), await at("3000"), await at("3001")]).toEqual([0, 3, 3, 2]);
    expect(await at("2024-02-29T12:00:00Z")).toBe(2);
    expect(await json("table", "scan", cities, "--as-of", "2000", "--where", "city = Biel")).toEqual([
      { city: "Biel", people: null, since: null },
    ]);
  });

  test.each([
    ["table", "city  people\nBern  134794\n"],
    ["json", '[{"city":"Bern","people":"134794"}]\n'],
    ["ndjson", '{"city":"Bern","people":"134794"}\n'],
    ["csv", "city,people\nBern,134794\n"],
  ])("prints rows as %s", async (format, expected) => {
    const args = ["table", "scan", cities, "--columns", "city,people", "--limit", "1", "--format", format];
    expect(await output(args)).toBe(expected);
  });

  test.each([
    ["table", "city\n"],
    ["json", "[]\n"],
    ["ndjson", ""],
    ["csv", "city\n"],
  ])("prints an empty result as %s", async (format, expected) => {
    const none = ["--columns", "city", "--where", "city > Zug", "--format", format];
    expect(await output(["table", "scan", cities, ...none])).toBe(expected);
  });

  test.each([
    ["city = 'Bern'", ["Bern"]],
    ['"city" = Bern', ["Bern"]],
    ["city>=Biel", ["Biel"]],
    ["city < Biel", ["Bern"]],
    ["city <= Biel", ["Bern", "Biel"]],
    ["city prefix B", ["Bern", "Biel"]],
    ["city PREFIX 'Bi'", ["Biel"]],
    ["city in (Biel, 'Basel', 'it''s')", ["Biel"]],
    ["city IN('Bern','Biel')", ["Bern", "Biel"]],
    ["city in ()", []],
    ["people > 100000", ["Bern"]],
    ["since = 1969-12-31", ["Bern"]],
    ["since is null", ["Biel"]],
    ["since IS NOT NULL", ["Bern"]],
    ["city = 'O''Fallon'", []],
  ])("--where %s selects rows", async (where, expected) => {
    const rows = await json("table", "scan", cities, "--columns", "city", "--where", where);
    expect(rows.map(({ city }: { city: string }) => city)).toEqual(expected);
  });

  test("several conditions must all hold", async () => {
    const conditions = ["--where", "city prefix B", "--where", "people < 100000"];
    expect(await json("table", "scan", cities, "--columns", "city", ...conditions)).toEqual([
      { city: "Biel" },
    ]);
  });

  test("many rows are printed as several tables", async () => {
    const rows = Array.from({ length: 1001 }, (_, i) => `${i}`);
    const path = await input("many.csv", `id\n${rows.join("\n")}\n`);
    await output(["table", "create", path, "-o", join(folder, "many"), "--key", "id"]);
    const lines = (await output(["table", "scan", join(folder, "many")])).trimEnd().split("\n");
    expect(lines.filter((line) => line.trim() === "id")).toHaveLength(2);
    expect(lines).toHaveLength(1003);
  });
});

describe("table get", () => {
  test("prints existing rows and reports missing keys", async () => {
    const { code, stdout, stderr } = await run(["table", "get", cities, "Biel", "Zug", "--format", "csv"]);
    expect(code).toBe(1);
    expect(stdout).toBe("city,people,since\nBiel,55206,\n");
    expect(stderr).toBe(`cfile: no row has the key Zug [${cities}, key]\n`);
    expect(await json("table", "get", cities, "Zug", "--as-of", "3000", "--columns", "people")).toEqual([
      { people: "30934" },
    ]);
  });

  test("a single missing key ends with exit code 1", async () => {
    expect(await run(["table", "get", cities, "--", "-x"])).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("table history and changes", () => {
  test("history prints all versions", async () => {
    expect(await output(["table", "history", cities, "Zug", "Biel", "--columns", "people"])).toBe(
      `timestamp  utc                          deleted  city  people
     1000  1970-01-01T00:00:00.000000Z  false    Zug    30934
     3000  1970-01-01T00:00:00.000000Z  true     Zug
     1000  1970-01-01T00:00:00.000000Z  false    Biel    null
     2000  1970-01-01T00:00:00.000000Z  false    Biel   55206
`,
    );
    expect((await json("table", "history", cities, "Zug"))[1]).toEqual({
      timestamp: "3000",
      utc: "1970-01-01T00:00:00.000000Z",
      deleted: true,
      city: "Zug",
    });
    expect((await run(["table", "history", cities, "Basel"])).code).toBe(1);
  });

  test("diff prints the rows that changed", async () => {
    const between = (...args: string[]) => json("table", "diff", cities, "--columns", "city", ...args);
    expect(await between("--from", "2000")).toMatchObject([
      { changed_at: "2000", deleted: false, city: "Biel" },
      { changed_at: "3000", deleted: true, city: "Zug" },
    ]);
    expect(await between("--from", "2001", "--to", "3000")).toEqual([]);
    expect(await output(["table", "diff", cities, "--from", "3000", "--format", "csv"])).toBe(
      "changed_at,utc,deleted,city,people,since\n3000,1970-01-01T00:00:00.000000Z,true,Zug,30934,1970-01-01\n",
    );
  });
});

describe("table update and compact", () => {
  let copy: string;
  beforeEach(async () => {
    copy = join(await mkdtemp(join(folder, "copy-")), "cities");
    await cp(cities, copy, { recursive: true });
  });

  test("changes only the given cells", async () => {
    const path = await input(
      "changes.ndjson",
      '{"city":"Bern","people":1}\n{"city":"Biel","since":"2024-02-29"}\n',
    );
    expect(await output(["table", "update", copy, path, "--timestamp", "4000"])).toBe(
      `${copy}: 2 rows updated at 4000 (1970-01-01T00:00:00.000000Z)\n`,
    );
    expect(await output(["table", "scan", copy, "--format", "csv"])).toBe(
      "city,people,since\nBern,1,1969-12-31\nBiel,55206,2024-02-29\n",
    );
  });

  test("accepts CSV from standard input, inserts with --upsert and deletes with --delete", async () => {
    const csv = "people,city\n7,Zug\n,Biel\n";
    const update = ["table", "update", copy, "-", "--format", "csv"];
    const upserted = await output([...update, "--upsert", "--timestamp", "4000", "--json"], { stdin: csv });
    expect(JSON.parse(upserted)).toMatchObject({ changed: 1, inserted: 1, timestamp: "4000" });
    expect(await json("table", "get", copy, "Zug", "Biel", "--columns", "people")).toEqual([
      { people: "7" },
      { people: null },
    ]);
    expect(await output([...update, "--delete"], { stdin: csv })).toContain("2 rows deleted at");
    expect(await json("table", "scan", copy, "--columns", "city")).toEqual([{ city: "Bern" }]);
  });

  test("uses the current time by default, but always after the last write", async () => {
    const path = await input("bern.ndjson", '{"city":"Bern","people":1}\n');
    const before = Date.now();
    const { timestamp_utc: time } = await json("table", "update", copy, path);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    const future = (BigInt(Date.now() + 3_600_000) * 1000n) << 12n;
    await json("table", "update", copy, path, "--timestamp", String(future));
    expect(await json("table", "update", copy, path)).toMatchObject({ timestamp: String(future + 1n) });
  });

  test.each([
    ["a missing row", '{"city":"Basel","people":1}', "no row with the key"],
    ["an unknown column", '{"city":"Bern","river":"Aare"}', 'no column "river"'],
    ["a value of another type", '{"city":"Bern","people":"many"}', 'column "people": row 0'],
    ["a row without key", '{"people":1}', "city"],
  ])("%s is a failure that changes nothing", async (_name, line, message) => {
    const path = await input("wrong.ndjson", `${line}\n`);
    const manifest = await readFile(join(copy, "rowset.json"), "utf8");
    const { code, stderr } = await run(["table", "update", copy, path]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(await readFile(join(copy, "rowset.json"), "utf8")).toBe(manifest);
  });

  test("a time before the last write is a failure", async () => {
    const path = await input("bern.ndjson", '{"city":"Bern","people":1}\n');
    expect(await run(["table", "update", copy, path, "--timestamp", "2999"])).toMatchObject({ code: 1 });
    expect(await run(["table", "update", copy, await input("k.ndjson", "{}\n"), "--delete"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('column "city": row 0: missing key'),
    });
  });

  test("compact keeps every snapshot until history is dropped", async () => {
    const states = () =>
      Promise.all(["1000", "1001", "2001", "3001"].map((at) => json("table", "scan", copy, "--as-of", at)));
    const before = await states();
    expect(await output(["table", "compact", copy])).toMatch(
      /: 1 DiskRowSet, \d files, .+ \(was 1 DiskRowSet, \d files/,
    );
    expect(await states()).toEqual(before);
    const dropped = await json("table", "compact", copy, "--drop-history-before", "3000");
    expect(dropped).toMatchObject({ history_start: "3000", row_sets: 1 });
    const gone = await run(["table", "scan", copy, "--as-of", "2999"]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("is gone") });
    expect(await json("table", "scan", copy, "--as-of", "3001")).toEqual(before[3]);
  });
});

describe("scan", () => {
  test("of a table store equals table scan", async () => {
    for (const path of [cities, join(cities, "rowset.json")]) {
      expect(await output(["scan", path, "--as-of", "2500"])).toBe(
        await output(["table", "scan", cities, "--as-of", "2500"]),
      );
    }
  });

  test.each([["large_int32_plain_validx"], ["large_int32_bshuf"], ["enc_int32_plain_n9"]])(
    "of column %s returns the rows that match",
    async (name) => {
      const path = goldenPath(name);
      const values: number[] = JSON.parse(await output(["cat", path, "--json"]));
      const middle = values[values.length >> 1] ?? 0;
      const rowsOf = async (where: string) =>
        (await json("scan", path, "--columns", "row", "--where", where)).map(
          ({ row }: { row: number }) => row,
        );
      const expected = (holds: (value: number) => boolean) =>
        values.flatMap((value, row) => (holds(value) ? [row] : []));
      expect(await rowsOf(`value = ${middle}`)).toEqual(expected((value) => value === middle));
      expect(await rowsOf(`value < ${middle}`)).toEqual(expected((value) => value < middle));
      expect(await rowsOf(`value >= ${middle}`)).toEqual(expected((value) => value >= middle));
      expect(await rowsOf(`value <= ${middle}`)).toEqual(expected((value) => value <= middle));
      expect(await rowsOf("value <= 2147483647")).toHaveLength(values.length);
      expect(await rowsOf(`value in (${middle}, ${middle})`)).toEqual(expected((value) => value === middle));
    },
  );

  test("of a column prints row and value, up to a limit", async () => {
    const path = goldenPath("enc_int32_plain_n9");
    const [first] = JSON.parse(await output(["cat", path, "--json"]));
    expect(await json("scan", path, "--limit", "1")).toEqual([{ row: 0, value: first }]);
    expect(await json("scan", path, "--limit", "0")).toEqual([]);
  });

  test("of other files is unsupported", async () => {
    expect(await run(["scan", goldenPath("deltafile/delta_redo_small")])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("delta cat"),
    });
    expect((await run(["scan", goldenPath("bloomfile/bloom_small")])).code).toBe(4);
  });
});

const commands: readonly (readonly [string, readonly string[]])[] = [
  ["scan", []],
  ["table scan", []],
  ["table get", ["Bern"]],
  ["table history", ["Bern"]],
  ["table diff", ["--from", "0"]],
  ["table verify", []],
];

describe.each(commands)("%s fails", (command, rest) => {
  const [first = "", ...others] = command.split(" ");

  test("with exit code 3 for damage", async () => {
    const damaged = await mkdtemp(join(folder, "damaged-"));
    await cp(cities, damaged, { recursive: true });
    for (const file of await readdir(cities)) {
      if (/-(column-|redo|undo)/.test(file)) {
        await damagedCopy(join(cities, file), join(damaged, file), 20);
      }
    }
    expect((await run([first, ...others, damaged, ...rest])).code).toBe(3);
  });

  test("with exit code 3 for an invalid manifest", async () => {
    const damaged = await mkdtemp(join(folder, "manifest-"));
    await writeFile(join(damaged, "rowset.json"), '{"format":"cfile-rowset"}');
    expect((await run([first, ...others, damaged, ...rest])).code).toBe(3);
  });

  test("with exit code 5 for a missing directory, or one without a table store", async () => {
    expect((await run([first, ...others, join(folder, "missing"), ...rest])).code).toBe(5);
    expect((await run([first, ...others, folder, ...rest])).code).toBe(5);
  });
});

describe("ranges of keys", () => {
  let target: string;
  beforeAll(async () => {
    target = join(folder, "by-state");
    await run(["table", "create", airports, "-o", target, "--key", "state,iata"]);
  });

  const keysOf = async (...args: string[]): Promise<string[]> => {
    const rows: { state: string; iata: string }[] = JSON.parse(
      await output(["table", "scan", target, "--columns", "state,iata", "--json", ...args]),
    );
    return rows.map(({ state, iata }) => `${state},${iata}`);
  };

  test("include the first key and exclude the last; both may lack the last cells", async () => {
    const all = await keysOf();
    const between = (from: string, to: string): string[] => all.filter((key) => key >= from && key < to);
    expect(between("TX,AUS", "VT").length).toBeGreaterThan(100);
    expect(await keysOf("--from-key", "TX,AUS", "--to-key", "VT")).toEqual(between("TX,AUS", "VT"));
    expect(await keysOf("--from-key", "WY")).toEqual(between("WY", "~"));
    expect(await keysOf("--to-key", "AK,AK1", "--limit", "2")).toEqual(all.slice(0, 2));
    expect(await keysOf("--from-key", "TX", "--to-key", "TX")).toEqual([]);
    expect(await keysOf("--from-key", "TX,A", "--where", "iata < ACT")).toEqual(
      all.filter((key) => key >= "TX,A" && key.slice(3) < "ACT"),
    );
  });

  test("select the keys with a prefix", async () => {
    const all = await keysOf();
    for (const prefix of ["T", "TX,", "TX,A", "TX,AUS", ""]) {
      expect(await keysOf("--key-prefix", prefix)).toEqual(all.filter((key) => key.startsWith(prefix)));
    }
    expect((await json("scan", cities, "--key-prefix", "B")).length).toBe(2);
  });

  test("reject more cells than the key has", async () => {
    const { code, stderr } = await run(["table", "scan", target, "--from-key", "TX,AUS,1"]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--from-key") });
  });
});

describe("usage errors", () => {
  test.each([
    ["no command", ["table"]],
    ["create without key", ["table", "create", "t.csv", "-o", "t"]],
    ["create without folder", ["table", "create", "t.csv", "--key", "id"]],
    ["an unknown key column", ["table", "create", airports, "-o", "t", "--key", "code"]],
    ["a column that cannot be a key", ["table", "create", airports, "-o", "t", "--key", "latitude"]],
    ["a duplicate key column", ["table", "create", airports, "-o", "t", "--key", "iata,iata"]],
    ["an unknown column", ["table", "scan", "CITIES", "--columns", "river"]],
    ["an invalid limit", ["table", "scan", "CITIES", "--limit", "few"]],
    ["a key range of a column", ["scan", goldenPath("enc_int32_plain_n9"), "--to-key", "5"]],
    ["an invalid format", ["table", "scan", "CITIES", "--format", "xml"]],
    ["two formats", ["table", "scan", "CITIES", "--format", "csv", "--ndjson"]],
    ["an invalid time", ["table", "scan", "CITIES", "--as-of", "now"]],
    ["a condition on an unknown column", ["table", "scan", "CITIES", "--where", "river = Aare"]],
    ["an invalid condition", ["table", "scan", "CITIES", "--where", "city like B"]],
    ["a condition without value", ["table", "scan", "CITIES", "--where", "city ="]],
    ["a value of another type", ["table", "scan", "CITIES", "--where", "people = many"]],
    ["a value out of range", ["table", "scan", "CITIES", "--where", "people = 9223372036854775808"]],
    ["a prefix of numbers", ["table", "scan", "CITIES", "--where", "people prefix 1"]],
    ["an invalid list", ["table", "scan", "CITIES", "--where", "city in Bern, Biel"]],
    ["an open quote", ["table", "scan", "CITIES", "--where", "city = 'Bern"]],
    ["get without keys", ["table", "get", "CITIES"]],
    ["history without keys", ["table", "history", "CITIES"]],
    ["diff without --from", ["table", "diff", "CITIES"]],
    ["a diff that ends before it starts", ["table", "diff", "CITIES", "--from", "2", "--to", "1"]],
    ["update with --delete and --upsert", ["table", "update", "CITIES", "c.csv", "--delete", "--upsert"]],
    ["an input of unknown format", ["table", "update", "CITIES", "c.txt"]],
    ["a snapshot of a CFile", ["scan", goldenPath("enc_int32_plain_n9"), "--as-of", "5"]],
    ["an unknown column of a CFile", ["scan", goldenPath("enc_int32_plain_n9"), "--columns", "city"]],
    ["a scale of a table store", ["scan", "CITIES", "--scale", "2"]],
  ])("%s", async (_name, args) => {
    const { code, stdout, stderr } = await run(args.map((arg) => (arg === "CITIES" ? cities : arg)));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^cfile: .+\n$/);
  });
});
