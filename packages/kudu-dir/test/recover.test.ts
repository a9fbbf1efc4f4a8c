import { describe, expect, it } from "vitest";
import { openKuduDir } from "../src/index.js";
import { RecoveredRowSet, type RowSetAccount } from "../src/recover.js";
import { collectRows } from "./json-rows.js";
import { clientTables, serverFiles, treeOf } from "./servers.js";

const client = clientTables("file").find(({ table }) => table === "small");
const rows = client?.snapshots.at(-1)?.tablets ?? {};

interface Damage {
  readonly name: string;
  /** `column NAME`, `redo` or `undo`. */
  readonly role: string;
  readonly change: (bytes: Uint8Array) => Uint8Array;
}

const middle = (bytes: Uint8Array): Uint8Array => {
  const changed = bytes.slice();
  changed[100] = (changed[100] as number) ^ 1;
  return changed;
};

const cases: readonly Damage[] = [
  { name: "a flipped bit in the key", role: "key", change: middle },
  { name: "a flipped bit in another column", role: "column", change: middle },
  { name: "a cut column", role: "column", change: (bytes) => bytes.slice(0, 60) },
  { name: "a flipped bit in a REDO file", role: "redo", change: middle },
  { name: "a cut REDO file", role: "redo", change: (bytes) => bytes.slice(0, 60) },
];

describe("a tablet with a damaged row set", () => {
  it.each(cases)(
    "$name: gives the rows that are left, all as they were, and accounts for the others",
    async ({ role, change }) => {
      const files = serverFiles("file");
      await using intact = await openKuduDir(treeOf(files));
      const table = await intact.table("small");
      const hit = table.tablets
        .flatMap((tablet) => tablet.rowSets.map((rowSet) => ({ tablet, rowSet })))
        .find(({ rowSet }) => rowSet.blocks.redo.length > 0);
      if (hit === undefined) {
        throw new TypeError("no row set with a REDO file");
      }
      const { tablet, rowSet } = hit;
      const [key, other] = tablet.schema.columns;
      const id =
        role === "redo"
          ? rowSet.blocks.redo[0]
          : rowSet.blocks.columns.get((role === "key" ? key : other)?.id ?? -1);
      const [path, bytes] = [...files].find(([name]) => name.endsWith(String(id).padStart(16, "0"))) ?? [];
      if (path === undefined || bytes === undefined) {
        throw new TypeError(`no block ${id}`);
      }
      files.set(path, change(bytes));
      await using dir = await openKuduDir(treeOf(files));
      const damaged = await dir.tablet(tablet.id);
      const accounts: RowSetAccount[] = [];
      const left = await collectRows(
        damaged.recover({ withLog: false }, (account) => accounts.push(account)),
      );
      const all = (rows[tablet.id] ?? []).map((row) => JSON.stringify(row));
      for (const row of left) {
        expect(all).toContain(JSON.stringify(row));
      }
      expect(accounts.map(({ rowSet: found }) => found)).toEqual([rowSet.id]);
      const [account] = accounts;
      expect(account?.rows).toBe((await rowSet.open()).rowCount);
      expect((account?.rowsKept ?? 0) + (account?.rowsLost ?? 0)).toBe(account?.rows);
      expect(account?.rowsLost).toBeGreaterThan(0);
      expect(account?.lost.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(account?.rowsLost);
      expect(account?.files.filter(({ state }) => state !== "valid").map(({ role: file }) => file)).toEqual([
        role === "redo" ? "redo 0" : `column ${(role === "key" ? key : other)?.name}`,
      ]);
      await expect(collectRows(damaged.scan())).rejects.toThrow();
    },
  );

  it.each([{ batchRows: 0 }, { batchRows: Number.NaN }, { limit: -1 }])(
    "rejects the option %j, as a scan does",
    async (option) => {
      await using dir = await openKuduDir(treeOf(serverFiles("file")));
      for (const tablet of (await dir.table("small")).tablets) {
        const error = { code: "E_INVALID_ARGUMENT", field: Object.keys(option)[0] };
        await expect(collectRows(tablet.scan(option))).rejects.toMatchObject(error);
        await expect(collectRows(tablet.recover(option, () => undefined))).rejects.toMatchObject(error);
      }
    },
  );

  it("an undamaged row set keeps all rows", async () => {
    await using dir = await openKuduDir(treeOf(serverFiles("file")));
    for (const tablet of (await dir.table("small")).tablets) {
      const accounts: RowSetAccount[] = [];
      expect(await collectRows(tablet.recover({}, (account) => accounts.push(account)))).toEqual(
        rows[tablet.id] ?? [],
      );
      expect(accounts).toEqual([]);
    }
  });

  it("gives all of its rows, or those with some numbers", async () => {
    await using dir = await openKuduDir(treeOf(serverFiles("file")));
    const [tablet] = (await dir.table("small")).tablets;
    const [rowSet] = tablet?.rowSets ?? [];
    if (tablet === undefined || rowSet === undefined) {
      throw new TypeError("no row set");
    }
    const { schema } = tablet;
    const names = schema.columns.map(({ name }) => name);
    const recovered = await RecoveredRowSet.open(rowSet.id, await rowSet.files(), schema, names, {});
    const all = await collectRows(recovered.scan({ columns: names }));
    expect(all).toEqual(await collectRows((await rowSet.open()).scan()));
    for await (const { names: given } of recovered.scan()) {
      expect(given).toEqual(names);
    }
    const { rowCount } = await rowSet.open();
    const parts = [];
    for (const part of [
      { from: 0, to: 3 },
      { from: 3, to: rowCount + 10 },
    ]) {
      parts.push(...(await collectRows(recovered.scan({ columns: names, rows: part }))));
    }
    expect(parts).toEqual(all);
    await expect(collectRows(recovered.scan({ columns: ["none"] }))).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });
});
