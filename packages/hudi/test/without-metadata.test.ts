/** Tables whose metadata table cannot be used: folders are listed instead. */
import { type FileTree, memoryTree } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { type HudiBatch, openHudiTable, scanRows } from "../src/index.js";
import { factsOf, rowFacts, TABLES, type TableName, unpack } from "./golden-table.js";

/** The files of the table without the property that names the partitions of the metadata table. */
function unindexedFiles(name: TableName): Map<string, Uint8Array> {
  const { files } = unpack(name);
  const path = ".hoodie/hoodie.properties";
  const text = new TextDecoder().decode(files.get(path));
  return files.set(
    path,
    new TextEncoder().encode(text.replace(/^hoodie\.table\.metadata\.partitions=.*$/m, "")),
  );
}

const unindexed = (name: TableName): FileTree => memoryTree(unindexedFiles(name));

async function keysOf(batches: AsyncIterable<HudiBatch>): Promise<unknown[]> {
  const keys: unknown[] = [];
  for await (const { columns } of batches) {
    keys.push(...(columns[0]?.toArray() ?? []));
  }
  return keys.sort();
}

const KEY = "_hoodie_record_key";

describe.each(TABLES)("%s", (name) => {
  const facts = factsOf(name);
  const rows = rowFacts(name);
  const position = rows.columns.findIndex(([column]) => column === KEY);
  const keys = rows.latest.map((row) => row[position]).sort();

  test("has the same slices and rows when its folders are listed", async () => {
    const table = await openHudiTable(unindexed(name));
    expect(table.listingSource).toBe("listing");
    expect(await table.partitions()).toEqual(facts.partitions);
    const latest = facts.file_slices[facts.last_completed];
    for (const partition of facts.partitions) {
      // In layout 1, the log of a pending write has a name like the slice's other logs; tests of rows show that its blocks do not count.
      const committed = new Set(facts.files[partition]?.map(([file]) => file));
      const slices = (await table.slices(partition)).map(({ fileId, baseInstant, baseFile, logFiles }) => {
        const logs = logFiles.filter((log) => table.properties.layout === 2 || committed.has(log));
        return [fileId, baseInstant, baseFile ?? null, logs];
      });
      expect(slices, partition).toEqual(latest?.[partition]);
    }
    expect(await keysOf(scanRows(table, { columns: [KEY] }))).toEqual(keys);
  });

  test("is not read without a file that a completed write names, or with a log file that was cut", async () => {
    const files = unindexedFiles(name);
    const table = await openHudiTable(memoryTree(files));
    const { timeline } = table;
    const stated = await Promise.all([...timeline.completed.values()].map((write) => timeline.commit(write)));
    const named = new Set(stated.flatMap(({ stats }) => stats.map(({ path }) => path)));
    const needed = (await Promise.all((await table.partitions()).map((partition) => table.slices(partition))))
      .flat()
      .flatMap(({ partition, baseFile, logFiles }) =>
        [baseFile ?? [], logFiles].flat().map((file) => (partition === "" ? file : `${partition}/${file}`)),
      );
    const read = async (damaged: Map<string, Uint8Array>): Promise<unknown> =>
      keysOf(scanRows(await openHudiTable(memoryTree(damaged)), { columns: [KEY] })).catch((error) => error);
    let missing = 0;
    for (const path of needed.filter((file) => named.has(file))) {
      const without = new Map(files);
      without.delete(path);
      expect(await read(without), path).toMatchObject({ name: "CFileError", code: "E_NOT_FOUND" });
      missing++;
      const bytes = files.get(path) ?? new Uint8Array(0);
      for (const part of path.includes(".log.") ? [0, 0.5, 0.97] : []) {
        const cut = new Map(files).set(path, bytes.slice(0, Math.floor(part * bytes.length)));
        expect(await read(cut), `${path}, ${part}`).toMatchObject({
          name: "CFileError",
          code: "E_TRUNCATED",
        });
      }
    }
    expect(missing).toBeGreaterThan(0);
  });

  test("is not read without the folder of a partition", async () => {
    for (const partition of facts.partitions.filter((path) => path !== "")) {
      const files = unindexedFiles(name);
      for (const path of files.keys()) {
        if (path.startsWith(`${partition}/`)) {
          files.delete(path);
        }
      }
      const table = await openHudiTable(memoryTree(files));
      const isNamed = facts.files[partition]?.some(
        ([file]) => !table.timeline.isArchived(String(file).match(/\d{17}/)?.[0] ?? ""),
      );
      if (isNamed) {
        await expect(keysOf(scanRows(table, { columns: [KEY] }))).rejects.toMatchObject({
          code: "E_NOT_FOUND",
        });
      }
    }
    expect(facts.partitions.length).toBeGreaterThan(0);
  });

  test.each([true, false])("has the same rows for conditions, with an index: %s", async (isIndexed) => {
    const tree = isIndexed ? memoryTree(unpack(name).files) : unindexed(name);
    const table = await openHudiTable(tree);
    for (const key of [keys[0], keys[50], "absent"]) {
      const where = { column: KEY, op: "=" as const, value: String(key) };
      const expected = keys.filter((each) => each === key);
      expect(await keysOf(scanRows(table, { columns: [KEY], where }))).toEqual(expected);
    }
    const ts = rows.columns.findIndex(([column]) => column === "ts");
    for (const bound of [1200, 1400, 1560]) {
      const where = [
        { column: "ts", op: ">=" as const, value: bound },
        { column: "ts", op: "<" as const, value: bound + 60 },
      ];
      const expected = rows.latest
        .filter((row) => Number(row[ts]) >= bound && Number(row[ts]) < bound + 60)
        .map((row) => row[position])
        .sort();
      expect(await keysOf(scanRows(table, { columns: [KEY], where }))).toEqual(expected);
    }
  });
});
