import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { MemoryDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { checkKuduDir, loadRows, openKuduDir } from "../src/index.js";
import { serverPath } from "./servers.js";

const folder = temporaryFolder();

describe("rows loaded into a server of block files", () => {
  it("get block IDs that no data directory has", async () => {
    const path = join(folder, "file");
    cpSync(serverPath("file"), path, { recursive: true });
    const blockFiles = (): string[] =>
      readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\/\d{16}$/.test(name));
    const before = blockFiles();
    const dir = await openKuduDir(path);
    const table = await dir.table("small");
    const { columns } = table.tablets[0]?.schema ?? { columns: [] };
    const key = columns.filter(({ isKey }) => isKey);
    const needed = columns.filter(
      (column) => column.isKey || (!column.nullable && column.writeDefault === undefined),
    );
    expect(key.map(({ type }) => type)).toEqual(["INT32"]);
    const memory = new MemoryDirectory();
    const creation = await createTableStore(memory, { columns: needed });
    const cells = (n: number) =>
      needed.map(({ type, isKey }) =>
        isKey ? n : /INT64|UNIX|128/.test(type) ? 7n : type === "STRING" ? "x" : type === "BOOL" ? true : 7,
      );
    await creation.appendRows([900_001, 900_002].map(cells));
    await creation.finish();
    const openFolder = (place: string) => fileDirectory(place, { create: true });
    const loaded = await loadRows(dir, "small", await openTableStore(memory), { openFolder });
    expect(loaded.rows).toBe(2);
    await dir.close();

    const after = blockFiles();
    expect(after.filter((name) => before.includes(name))).toHaveLength(before.length);
    expect(after.length).toBe(before.length + columns.length + 2 + (key.length > 1 ? 1 : 0));
    const problems: unknown[] = [];
    await using again = await openKuduDir(path);
    await checkKuduDir(again, { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    expect((await (await again.table("small")).get([900_002]))?.cells[0]).toBe(900_002);
  });
});
