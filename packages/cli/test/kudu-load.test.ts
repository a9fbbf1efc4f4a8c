import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { processIo, runCli } from "../src/index.js";

const servers = pathToGolden("servers/");
const folder = temporaryFolder();

async function cfile(...args: string[]): Promise<{ code: number; said: string }> {
  let said = "";
  const output = () =>
    new Writable({
      write(chunk, _encoding, done) {
        said += String(chunk);
        done();
      },
    });
  const code = await runCli(args, { ...processIo(), stdout: output(), stderr: output() });
  return { code, said };
}

async function rowSet(name: string, keys: readonly string[]): Promise<string> {
  const csv = join(folder, `${name}.csv`);
  writeFileSync(csv, `key,a,c\n${keys.map((key, i) => `${key},${i},${i / 2}`).join("\n")}\n`);
  const path = join(folder, name);
  const schema = "key:string,a:int16?,c:float";
  expect(await cfile("table", "create", csv, "-o", path, "--key", "key", "--schema", schema)).toMatchObject({
    code: 0,
  });
  return path;
}

function fileList(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
}

describe.each(["log"])("cfile kudu load into a server of %s blocks", (server) => {
  const source = join(folder, server);
  const target = join(folder, `${server}-loaded`);
  const keys = Array.from({ length: 300 }, (_, i) => `loaded ${i}`);

  beforeAll(() => cpSync(join(servers, server), source, { recursive: true }));

  it("adds rows to the tablets that they belong to, in a copy", async () => {
    const before = fileList(source);
    const name = "keys_string";
    const rows = await rowSet(`${server}-rows`, keys);
    const { code, said } = await cfile(
      "kudu",
      "load",
      source,
      "--table",
      name,
      "--rowset",
      rows,
      "--copy-to",
      target,
      "--json",
    );
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    const loaded = JSON.parse(said);
    expect(loaded.rows).toBe(300);
    expect(loaded.tablets).toHaveLength(2);
    expect(fileList(source)).toEqual(before);

    const dir = await openKuduDir(target);
    const problems: unknown[] = [];
    await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    const table = await dir.table(name);
    const found = new Set<unknown>();
    for await (const { columns } of table.scan({
      columns: ["key"],
      where: [{ column: "key", op: "prefix", value: "loaded" }],
    })) {
      for (const key of columns[0]?.toArray() ?? []) {
        found.add(key);
      }
    }
    expect([...found].sort()).toEqual([...keys].sort());
    expect(await table.get(["loaded 7"])).toMatchObject({ cells: ["loaded 7", 7, null, 3.5, null] });
    // They did not exist before.
    const asOf = BigInt(loaded.timestamp);
    expect(await table.get(["loaded 7"], { asOf, partialHistory: true })).toBeUndefined();
    await dir.close();

    const again = await cfile(
      "kudu",
      "load",
      target,
      "--table",
      name,
      "--rowset",
      rows,
      "--copy-to",
      `${target}-2`,
    );
    expect(again.code).not.toBe(0);
    expect(again.said).toContain("already exists");
    expect(readdirSync(folder)).not.toContain(`${server}-loaded-2`);
  });

  it("writes over nothing, and refuses columns that the table does not have", async () => {
    const rows = await rowSet(`${server}-more`, ["x"]);
    expect(
      (await cfile("kudu", "load", source, "--table", "t", "--rowset", rows, "--copy-to", source)).said,
    ).toContain("already exists");
    const missing = await cfile(
      "kudu",
      "load",
      source,
      "--table",
      "altered",
      "--rowset",
      rows,
      "--copy-to",
      target,
    );
    expect(missing.code).not.toBe(0);
    expect(readFileSync(join(rows, "rowset.json"), "utf8")).toContain("cfile-rowset");
  });
});
