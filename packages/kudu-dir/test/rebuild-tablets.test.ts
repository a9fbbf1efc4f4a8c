/** The possible tablets of row sets: those of the catalog, of the server's logs, and of the user's choice. */
import { MemoryDirectory } from "@cfile/io";
import { MessageReader } from "@cfile/protobuf/read";
import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { catalogEntries, ENTRY } from "../src/cluster/read-catalog.js";
import { decodeSysTablesEntryPB } from "../src/generated/decode.js";
import {
  CATALOG_TABLET,
  type KnownTable,
  openKuduCluster,
  openKuduDir,
  rebuildKuduDir,
  tableOfColumns,
  tablesOfCluster,
} from "../src/index.js";
import { CatalogRows } from "../src/restore/catalog-tablet.js";
import { NewServer } from "../src/restore/new-server.js";
import { entriesOf, filesWith, inserted, OTHER_TABLET } from "./rebuild-log-files.js";
import { serverFiles, treeOf } from "./servers.js";
import { TABLET } from "./single-table.js";
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

describe("tables of a catalog without times of creation", () => {
  /** A master with the entries of another, without the optional field. */
  async function masterWithoutTimes(path: string): Promise<ReadonlyMap<string, Uint8Array>> {
    await using master = await openKuduDir(path);
    const rows = new CatalogRows();
    for await (const { type, id, message } of catalogEntries(await master.tablet(CATALOG_TABLET))) {
      if (message !== undefined && type === ENTRY.table) {
        const entry = decodeSysTablesEntryPB(new MessageReader(message, "SysTablesEntryPB"));
        expect(entry.createTimestamp).toBeGreaterThan(0);
        rows.addTable(id, { ...entry, createTimestamp: undefined });
      } else if (message !== undefined) {
        rows.add(type, id, message);
      }
    }
    const description =
      (await master.metadataFile("tablet-meta", CATALOG_TABLET))?.description ?? new Uint8Array(0);
    const folders = new Map<string, MemoryDirectory>();
    const server = new NewServer({
      openFolder: (folder) => {
        const opened = folders.get(folder) ?? new MemoryDirectory(folder);
        folders.set(folder, opened);
        return Promise.resolve(opened);
      },
      ...{
        root: "master",
        descriptions: { superblock: description, consensus: description },
        blockSize: 4096,
      },
    });
    await rows.write(server, 1n << 12n);
    await server.finish();
    return new Map(
      [...folders].flatMap(([folder, content]) =>
        [...content.snapshot()].map(([name, bytes]) => [`${folder}/${name}`, bytes] as const),
      ),
    );
  }

  it("may have row sets of any time", async () => {
    const path = pathToGolden("server-masters/file");
    const files = [...serverFiles("file")].filter(([name]) => !name.startsWith("ts/wal/"));
    const placesBy = async (input: Parameters<typeof openKuduCluster>[0]) => {
      await using cluster = await openKuduCluster(input);
      const tables = await tablesOfCluster(cluster);
      await using dir = await openKuduDir(treeOf(new Map(files)));
      const { rowSets } = await rebuildKuduDir(dir, { tables });
      const places = rowSets.map(({ id, places: all }) => [id, all.map(({ tablet }) => tablet)]);
      return { places, times: tables.map(({ createdAt }) => createdAt) };
    };
    const withTimes = await placesBy([path]);
    const without = await placesBy([treeOf(await masterWithoutTimes(path))]);
    expect(withTimes.times.every((time) => time !== undefined && time > 0)).toBe(true);
    expect(without.times).toEqual(withTimes.times.map(() => 0));
    expect(withTimes.places.length).toBeGreaterThan(5);
    expect(without.places).toEqual(withTimes.places);
  });
});
