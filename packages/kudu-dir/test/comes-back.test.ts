import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openKuduDir } from "../src/index.js";
import { collectChanges, collectRows } from "./json-rows.js";

const [first, second, third] = [7353439679910064129n, 7353439680855683073n, 7353439681703436289n];

describe("a key that is deleted and reinserted in one batch, only in the log", () => {
  it("is one row, as in the server", async () => {
    const tablet = await (await openKuduDir(pathToGolden("comes-back"))).tablet("comes_back");
    const rows = (asOf: bigint) => collectRows(tablet.scan({ asOf, withLog: true }));
    expect(await rows(first)).toEqual([
      [1, 10],
      [2, 20],
    ]);
    expect(await rows(second)).toEqual([
      [1, 12],
      [2, 21],
    ]);
    expect(await rows(third)).toEqual([[2, 21]]);
    const changes = (from: bigint, to: bigint) => collectChanges(tablet.diff(from, to, { withLog: true }));
    expect(await changes(first, second)).toEqual([
      [1, 12, { deleted: false }],
      [2, 21, { deleted: false }],
    ]);
    expect(await changes(first, third)).toEqual([
      [1, 12, { deleted: true }],
      [2, 21, { deleted: false }],
    ]);
    expect(await changes(second, third)).toEqual([[1, 12, { deleted: true }]]);
  });
});
