import { describe, expect, it } from "vitest";
import { type HistoryFacts, historyStart } from "../src/catalog/history-start.js";
import { openKuduDir } from "../src/index.js";
import { collectRows } from "./json-rows.js";
import { clientTables, serverFiles, treeOf } from "./servers.js";

describe("the start of the retained history", () => {
  const written = 1_700_000_000_000_000n;
  const ofWritten = (written + 1n) << 12n;
  const rowSet = { complete: false, earliest: undefined, writtenAt: written };

  it.each<[string, HistoryFacts, bigint]>([
    ["is 0 if nothing is known", { ageSeconds: undefined, lastChange: undefined, rowSets: [] }, 0n],
    [
      "is the age before the last change",
      { ageSeconds: 1, lastChange: 3_000_000n, rowSets: [rowSet] },
      2_000_000n << 12n,
    ],
    [
      "is 0 if the server is younger than the age",
      { ageSeconds: 9, lastChange: 3_000_000n, rowSets: [] },
      0n,
    ],
    [
      "is that of the row set whose history begins last",
      { ageSeconds: undefined, lastChange: undefined, rowSets: [rowSet, { ...rowSet, earliest: 5n }] },
      ofWritten,
    ],
    [
      "does not count complete row sets",
      { ageSeconds: undefined, lastChange: undefined, rowSets: [{ ...rowSet, complete: true }] },
      0n,
    ],
    [
      "is a row set's first UNDO entry, if its files are younger",
      { ageSeconds: undefined, lastChange: undefined, rowSets: [{ ...rowSet, earliest: 7n }] },
      7n,
    ],
  ])("%s", (_name, facts, start) => {
    expect(historyStart(facts)).toBe(start);
  });
});

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
