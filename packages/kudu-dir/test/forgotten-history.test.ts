import { describe, expect, it } from "vitest";
import { openKuduDir } from "../src/index.js";
import { collectRows } from "./json-rows.js";
import { clientTables, serverFiles, treeOf } from "./servers.js";

describe("a snapshot before the retained history", () => {
  it("is not read from block files, whatever row sets remain", async () => {
    const tree = treeOf(serverFiles("file"));
    const server = clientTables("file").find(({ table }) => table === "small");
    const [early = 0n, late = 0n] = (server?.snapshots ?? [])
      .map(({ timestamp }) => BigInt(timestamp))
      .sort();
    expect(early).toBeLessThan(late);
    // Deleted rows may be gone too; the remaining row sets do not show that.
    const stopped = Number((late >> 12n) / 1000n);
    const modified = async (): Promise<number> => stopped;
    await using dir = await openKuduDir({ ...tree, modified }, { historyMaxAgeSeconds: 1 });
    const tablet = await dir.tablet("small");
    const refused = { code: "E_HISTORY_GONE", field: "asOf" };
    const start = BigInt(stopped - 1000) * 4_096_000n;
    expect(await tablet.historyStart()).toBe(start);
    await expect(collectRows(tablet.scan({ asOf: start - 1n }))).rejects.toMatchObject(refused);
    expect((await collectRows(tablet.scan({ asOf: late }))).length).toBeGreaterThan(0);
    await using undated = await openKuduDir(tree, { historyMaxAgeSeconds: 1 });
    const scan = (await undated.tablet("small")).scan({ asOf: start });
    await expect(collectRows(scan)).rejects.toMatchObject(refused);
  });
});
