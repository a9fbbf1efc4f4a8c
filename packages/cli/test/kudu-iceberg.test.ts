import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openIcebergTable } from "@cfile/iceberg";
import { fileDirectory } from "@cfile/io/file";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { output, run } from "./run.js";

const LOG = pathToGolden("servers/log");
/** Times between the changes of table `history`. */
const [T0, T1] = ["7353263250431393793", "7353263300000000000"];
let folder = "";

beforeEach(() => {
  folder = temporaryFolder();
});

const command = (table: string, ...more: string[]): string[] => into(table, table, ...more);
/** Exports a table into the folder of this name. */
const into = (name: string, table: string, ...more: string[]): string[] => [
  ...["kudu", "export", LOG, "--table", table, "--to", "iceberg", "-o", join(folder, "db", name), "-j", "1"],
  ...more,
];

async function openTable(path: string) {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name))),
  );
  return data && metadata && openIcebergTable({ data, metadata, location: path });
}

/** The data files as sorted lines of CSV. */
async function dataRows(path: string): Promise<string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(join(path, "data"))).filter((one) => one.endsWith(".parquet"))) {
    const csv = join(folder, "back.csv");
    await output(["convert", join(path, "data", name), csv]);
    lines.push(...(await readFile(csv, "utf8")).trimEnd().split("\n").slice(1));
  }
  return lines.sort();
}

async function scannedRows(table: string): Promise<string[]> {
  const text = await output(["kudu", "scan", LOG, "--table", table, "--csv", "--with-log", "--decode"]);
  return text.trimEnd().split("\n").slice(1).sort();
}

describe("cfile kudu export --to iceberg", () => {
  it.each([
    "types_flushed",
    "types_compacted",
    "keys_composite",
    "keys_string",
    "altered",
    "history",
    "unflushed",
  ])("the data files of %s have its rows", async (table) => {
    await output(command(table));
    const path = join(folder, "db", table);
    expect(await dataRows(path)).toEqual(await scannedRows(table));
    const { metadata } = (await openTable(path)) ?? {};
    expect(metadata?.schema["identifier-field-ids"]?.length).toBeGreaterThan(0);
    expect(metadata?.properties).toMatchObject({ "cfile.table": table });
    expect((await readdir(join(path, "data"))).filter((name) => !name.endsWith(".parquet"))).toEqual([]);
  });

  it.each(["empty", "all_deleted"])(
    "a table without rows, %s, has a snapshot without files",
    async (table) => {
      await output(command(table));
      const opened = await openTable(join(folder, "db", table));
      expect(opened?.metadata.current?.summary["total-records"]).toBe("0");
      expect(await readdir(join(folder, "db", table, "data"))).toEqual([]);
    },
  );

  it("writes the same data files each time, and nothing if the table has them", async () => {
    await output(command("history", "--as-of", T0));
    const path = join(folder, "db", "history");
    const files = async () => {
      const names = (await readdir(join(path, "data"))).sort();
      return Promise.all(
        names.map(async (name) => [name, await readFile(join(path, "data", name), "base64")]),
      );
    };
    const first = await files();
    expect(await output(command("history", "--as-of", T0))).toContain("has this export already");
    await rm(path, { recursive: true });
    await output(command("history", "--as-of", T0));
    expect(await files()).toEqual(first);
  });

  it("adds the changes since the table's end as one snapshot of rows and deletes", async () => {
    const path = join(folder, "db", "history");
    await output(command("history", "--as-of", T0));
    const added = JSON.parse(await output(command("history", "--from", T0, "--as-of", T1, "--json")));
    const diff = await output([
      "kudu",
      "diff",
      LOG,
      "--table",
      "history",
      "--from",
      T0,
      "--to",
      T1,
      "--with-log",
      "--ndjson",
    ]);
    const changes = diff
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(added).toMatchObject({
      rows: changes.filter(({ deleted }) => !deleted).length,
      rows_deleted: changes.filter(({ deleted }) => deleted).length,
    });
    const opened = await openTable(path);
    expect(opened?.metadata.snapshots).toHaveLength(2);
    expect(opened?.metadata.current?.summary).toMatchObject({
      "cfile.as-of": T1,
      "added-equality-deletes": String(changes.length),
    });
    const again = await run(command("history", "--from", T0, "--as-of", T1));
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain("is not where the table ends");
    await output(command("history", "--from", T1));
    const last = await run(command("history", "--from", T1));
    expect(last.stderr).toContain("has no timestamp to continue from");
  });

  it("partitions a table by its ranges, also when changes are added", async () => {
    await output(command("altered", "--as-of", "7353263906722717696"));
    const path = join(folder, "db", "altered");
    const { metadata } = (await openTable(path)) ?? {};
    const [field] = metadata?.partitionSpec?.fields ?? [];
    expect(field).toMatchObject({ transform: "truncate[60000]", name: "id_truncate" });
    const kinds = async () => {
      const names = await readdir(join(path, "metadata"));
      return names.map((name) => /-([a-z]+)\.avro$/.exec(name)?.[1]).filter((kind) => kind !== undefined);
    };
    expect(await kinds()).toEqual(["partitions"]);
    await output(command("altered", "--from", "7353263906722717696"));
    expect((await kinds()).sort()).toEqual(["deletes", "partitions", "partitions"]);
    expect(await output(["compare", LOG, path, "--table", "altered", "--with-log"])).toMatch(/^equal: /);
  });

  it.each([
    ["another table of Kudu", "keys_string", 5, "the table exists, with rows of"],
    ["other files", undefined, 5, "is not that of an Iceberg table"],
  ])("refuses a folder with %s", async (_, other, code, message) => {
    const path = join(folder, "db", "history");
    if (other === undefined) {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "notes.txt"), "");
    } else {
      await output(into("history", other));
    }
    const before = await readdir(path);
    const result = await run(command("history"));
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
    expect(await readdir(path)).toEqual(before);
  });

  it("leaves no table if the source loses data meanwhile, and succeeds once it is back", async () => {
    const copy = join(folder, "copy");
    await cp(LOG, copy, { recursive: true });
    const names = (await readdir(copy, { recursive: true })).filter((name) => name.endsWith(".data"));
    const away = (name: string) => join(copy, `${name}.away`);
    await Promise.all(names.map((name) => rename(join(copy, name), away(name))));
    const path = join(folder, "db", "t");
    const args = [
      "kudu",
      "export",
      copy,
      "--table",
      "keys_composite",
      "--to",
      "iceberg",
      "-o",
      path,
      "--strict",
      "-j",
      "1",
    ];
    expect((await run(args)).code).not.toBe(0);
    expect(await openTable(path).catch(() => undefined)).toBeUndefined();
    await Promise.all(names.map((name) => rename(away(name), join(copy, name))));
    await output(args);
    expect(await output(["compare", copy, path, "--table", "keys_composite", "--with-log"])).toMatch(
      /^equal/,
    );
  });

  it.each([0, 10, 40, 100, 400])(
    "is an error or a whole state of a source that is replaced after %i ms",
    async (milliseconds) => {
      const [source, other, gone] = ["source", "other", "gone"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      await Promise.all([
        cp(LOG, source, { recursive: true }),
        cp(pathToGolden("servers/file"), other, { recursive: true }),
      ]);
      const path = join(folder, "db", "t");
      const exporting = run([
        "kudu",
        "export",
        source,
        "--table",
        "keys_composite",
        "--to",
        "iceberg",
        "-o",
        path,
        "-j",
        "2",
      ]);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await rename(source, gone);
      await rename(other, source);
      const { code } = await exporting;
      const table = await openTable(path).catch(() => undefined);
      if (code !== 0) {
        expect(table).toBeUndefined();
        return;
      }
      const args = [path, "--table", "keys_composite", "--with-log"];
      const states = await Promise.all([gone, source].map((one) => run(["compare", one, ...args])));
      expect(states.map((state) => state.code)).toContain(0);
    },
  );

  it("refuses changes of another table, of conditions, and of a time in the future", async () => {
    await output(into("history", "keys_string", "--as-of", T0));
    expect((await run(command("history", "--from", T0))).stderr).toContain('rows of "keys_string"');
    expect((await run(command("history", "--from", T0, "--where", "id > 1"))).code).toBe(2);
    expect((await run(command("history", "--as-of", "2100-01-01T00:00:00Z"))).stderr).toContain(
      "in the future",
    );
    expect((await run([...command("history"), "--to", "csv", "--from", T0])).code).toBe(2);
  });
});

describe("cfile compare with an Iceberg table", () => {
  const compared = (name: string, ...more: string[]) =>
    run(["compare", LOG, name, "--table", "history", "--with-log", ...more]);

  it.each(["types_flushed", "keys_composite", "altered", "empty"])(
    "finds %s equal to its source",
    async (table) => {
      await output(command(table));
      const path = join(folder, "db", table);
      expect(await output(["compare", LOG, path, "--table", table, "--with-log"])).toMatch(/^equal: /);
    },
  );

  it("applies deletes, and reads snapshots by ID and time", async () => {
    const path = join(folder, "db", "history");
    await output(command("history", "--as-of", T0));
    await output(command("history", "--from", T0, "--as-of", T1));
    await output(command("history", "--from", T1));
    const [first, second] = (await openTable(path))?.metadata.snapshots ?? [];
    expect((await compared(path)).stdout).toMatch(/^equal: 99 rows/);
    expect((await compared(`${path}@${first?.id}`, "--as-of", T0)).stdout).toMatch(/^equal: 63 rows/);
    expect((await compared(`${path}@${second?.id}`, "--as-of", T1)).stdout).toMatch(/^equal: /);
    const time = new Date(first?.time ?? 0).toISOString();
    expect((await compared(`${path}@${time}`, "--as-of", T0)).stdout).toMatch(/^equal: 63 rows/);
    const { code, stdout } = await run(["compare", `${path}@${first?.id}`, path]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("rows: 63, 99")]);
    expect((await compared(`${path}@7`)).stderr).toContain("no snapshot 7");
    expect((await compared(`${path}@2001-01-01T00:00:00Z`)).stderr).toContain("no snapshot 2001");
    expect((await compared(`${path}@x`)).code).toBe(2);
  });
});

describe("cfile convert --to iceberg", () => {
  it("writes a table store, which compares as equal", async () => {
    const [csv, store, path] = ["a.csv", "store", "ice"].map((name) => join(folder, name));
    if (csv === undefined || store === undefined || path === undefined) {
      return expect.unreachable();
    }
    await writeFile(csv, "id,word,price\n3,c,\n1,a,0.5\n2,,1.5\n");
    await output(["convert", csv, store, "--to", "rowset", "--key", "id"]);
    await output(["convert", store, path, "--to", "iceberg"]);
    expect(await output(["compare", store, path])).toMatch(/^equal: 3 rows, 3 columns/);
    const { metadata } = (await openTable(path)) ?? {};
    expect(metadata?.schema["identifier-field-ids"]).toHaveLength(1);
    expect(metadata?.sortOrderId).toBe(1);
    const again = await run(["convert", store, path, "--to", "iceberg"]);
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining("new Iceberg table")]);
  });

  it("refuses types that Iceberg lacks, before anything is written", async () => {
    const csv = join(folder, "b.csv");
    await writeFile(csv, "id\n1\n");
    const { stderr } = await run([
      "convert",
      csv,
      join(folder, "no"),
      "--to",
      "iceberg",
      "--schema",
      "id:uint32",
    ]);
    expect(stderr).toContain("Iceberg has no type for UINT32");
    expect(await readdir(folder)).not.toContain("no");
  });
});
