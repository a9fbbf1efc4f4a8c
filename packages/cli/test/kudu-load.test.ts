import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { output, run } from "./run.js";

const servers = pathToGolden("servers/");
const folder = temporaryFolder();

async function rowSet(name: string, keys: readonly string[]): Promise<string> {
  const csv = join(folder, `${name}.csv`);
  writeFileSync(csv, `key,a,c\n${keys.map((key, i) => `${key},${i},${i / 2}`).join("\n")}\n`);
  const path = join(folder, name);
  const schema = "key:string,a:int16?,c:float";
  const { code } = await run(["table", "create", csv, "-o", path, "--key", "key", "--schema", schema]);
  expect(code).toBe(0);
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

  it("adds rows to their tablets, in a copy", async () => {
    const before = fileList(source);
    const name = "keys_string";
    const rows = await rowSet(`${server}-rows`, keys);
    const given = ["--table", name, "--rowset", rows];
    const stdout = await output(["kudu", "load", source, ...given, "--copy-to", target, "--json"]);
    const loaded = JSON.parse(stdout);
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
    // The rows did not exist before.
    const asOf = BigInt(loaded.timestamp);
    expect(await table.get(["loaded 7"], { asOf, partialHistory: true })).toBeUndefined();
    await dir.close();

    const again = await run(["kudu", "load", target, ...given, "--copy-to", `${target}-2`]);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain("already exists");
    expect(readdirSync(folder)).not.toContain(`${server}-loaded-2`);
  });

  it("overwrites nothing, and rejects unknown columns", async () => {
    const rows = await rowSet(`${server}-more`, ["x"]);
    const load = ["kudu", "load", source, "--rowset", rows];
    const existing = await run([...load, "--table", "t", "--copy-to", source]);
    expect(existing.stderr).toContain("already exists");
    const unknown = await run([...load, "--table", "altered", "--copy-to", target]);
    expect(unknown.code).not.toBe(0);
    expect(readFileSync(join(rows, "rowset.json"), "utf8")).toContain("cfile-rowset");
  });
});
