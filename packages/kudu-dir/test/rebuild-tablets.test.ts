/** The tablets that row sets may be in: those of the catalog, of the server's logs, and of the user's choice. */
import { describe, expect, it } from "vitest";
import { type KnownTable, tableOfColumns } from "../src/index.js";
import { entriesOf, filesWith, inserted, OTHER_TABLET, TABLET } from "./rebuild-log-files.js";
import { SERVER_IDENTITY, WrittenBlocks } from "./written-blocks.js";
import { SCHEMA, segmentBytes } from "./written-log.js";

describe("tablets of a server", () => {
  const known = async (servers: Readonly<Record<string, readonly string[]>>): Promise<KnownTable> => ({
    ...(await tableOfColumns("t", [
      { name: "id", type: "INT32", nullable: false, array: false, isKey: true },
      { name: "n", type: "INT32", nullable: false, array: false, isKey: false },
    ])),
    origin: "catalog",
    tablets: Object.entries(servers).map(([id, uuids]) => ({
      ...{ id, servers: uuids, message: undefined },
      partition: { hashBuckets: [], keyStart: new Uint8Array(0), keyEnd: new Uint8Array(0) },
    })),
  });
  const rowsOf = async (): Promise<WrittenBlocks> => {
    const written = new WrittenBlocks();
    await written.rowSet(
      SCHEMA,
      [1, 2, 3].map((id) => [id, 0]),
    );
    return written;
  };

  it("include those with a log that the catalog has on other servers only", async () => {
    const written = await rowsOf();
    const { server } = await written.rebuild();
    const tables = [await known({ [TABLET]: ["another server"], [OTHER_TABLET]: [server ?? ""] })];
    const places = async (files: ReadonlyMap<string, Uint8Array>) =>
      (await written.rebuild({ tables }, files)).rowSets.map((one) => one.places.map(({ tablet }) => tablet));
    expect(await places(SERVER_IDENTITY)).toEqual([[OTHER_TABLET]]);
    const withLog = filesWith([segmentBytes({ tabletId: TABLET }, entriesOf([inserted]))]);
    expect(await places(withLog)).toEqual([[TABLET, OTHER_TABLET]]);
  });

  it("can be chosen by the user", async () => {
    const written = await rowsOf();
    const tables = [await known({ [TABLET]: [], [OTHER_TABLET]: [] })];
    const id = (await written.rebuild({ tables })).rowSets[0]?.id ?? 0n;
    for (const [tablet, places] of [
      [TABLET, [TABLET]],
      [OTHER_TABLET, [OTHER_TABLET]],
      ["no such tablet", []],
    ] as const) {
      const choices = { tablets: new Map([[id, tablet]]) };
      const { rowSets } = await written.rebuild({ tables, choices });
      expect(rowSets.map((one) => one.places.map((place) => place.tablet))).toEqual([places]);
    }
  });

  it("are named by their logs on a server without an identity", async () => {
    const written = await rowsOf();
    const files = filesWith([segmentBytes({ tabletId: TABLET }, entriesOf([inserted]))], new Map());
    const { server, tablets } = await written.rebuild({}, files);
    expect(server).toBeUndefined();
    expect(
      tablets.map(({ id, table }) => ({ id, origin: table.origin, servers: table.tablets[0]?.servers })),
    ).toEqual([{ id: TABLET, origin: "log", servers: [] }]);
  });

  it("do not take a segment of another tablet for theirs", async () => {
    const written = await rowsOf();
    const files = filesWith([segmentBytes({ tabletId: OTHER_TABLET }, entriesOf([inserted]))]);
    const { tablets } = await written.rebuild({}, files);
    expect(tablets.map(({ table }) => table.origin)).toEqual(["guess"]);
  });
});
