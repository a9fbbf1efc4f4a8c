import { createHash } from "node:crypto";
import { readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { parseContainerFile, parseSuperblock, type Superblock } from "../src/catalog.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { collectRows } from "./json-rows.js";
import { type ServerName, serverPath, treeOf } from "./servers.js";

const SERVERS: readonly ServerName[] = ["log", "file", "encrypted"];

interface JsonBlock {
  readonly block: { readonly id: string };
  readonly columnId?: number;
}

interface JsonSuperblock {
  readonly tableId: string;
  readonly tabletId: string;
  readonly tableName: string;
  readonly lastDurableMrsId: string;
  readonly schemaVersion: number;
  readonly tabletDataState: string;
  readonly rowsets?: readonly {
    readonly id: string;
    readonly lastDurableDmsId: string;
    readonly columns: readonly JsonBlock[];
    readonly redoDeltas?: readonly JsonBlock[];
    readonly undoDeltas?: readonly JsonBlock[];
    readonly bloomBlock?: { readonly id: string };
    readonly adhocIndexBlock?: { readonly id: string };
    readonly liveRowCount?: string;
  }[];
  readonly schema: { readonly columns: readonly Record<string, unknown>[] };
  readonly partition: {
    readonly hashBuckets?: readonly number[];
    readonly partitionKeyStart?: string;
    readonly partitionKeyEnd?: string;
  };
  readonly partitionSchema: {
    readonly hashSchema?: readonly { columns: { id: number }[]; numBuckets: number; seed: number }[];
    readonly rangeSchema?: { readonly columns?: readonly { readonly id: number }[] };
  };
  readonly dataDirGroup: { readonly uuids: readonly string[] };
  readonly supportsLiveRowCount: boolean;
  readonly extraConfig?: { readonly historyMaxAgeSec?: number };
  readonly orphanedBlocks?: readonly { readonly id: string }[];
}

const base64Text = (text: string): string => Buffer.from(text, "base64").toString();
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The parsed superblock, in the format of the JSON. */
function comparable(superblock: Superblock): unknown {
  const { partition, partitionSchema, rowSets, schema } = superblock;
  return {
    tableId: superblock.tableId,
    tabletId: superblock.tabletId,
    tableName: superblock.tableName,
    lastDurableMrsId: String(superblock.lastDurableMrsId),
    schemaVersion: superblock.schemaVersion,
    state: superblock.state,
    rowsets: rowSets.map((rowSet) => ({
      id: String(rowSet.id),
      dms: String(rowSet.lastDurableDmsId),
      columns: [...rowSet.columns].map(([column, id]) => [column, String(id)]),
      redo: rowSet.redo.map(String),
      undo: rowSet.undo.map(String),
      bloom: rowSet.bloom === undefined ? undefined : String(rowSet.bloom),
      adhoc: rowSet.adhocIndex === undefined ? undefined : String(rowSet.adhocIndex),
      live: rowSet.liveRowCount,
    })),
    columns: schema.columns.map((column) => ({
      id: column.id,
      name: column.name,
      type: column.type,
      isKey: column.isKey,
      isNullable: column.nullable,
      encoding: column.encoding,
      compression: column.compression ?? "DEFAULT_COMPRESSION",
      size: column.blockSize ?? 0,
      comment: column.comment,
      precision: column.precision,
      scale: column.scale,
      length: column.length,
      immutable: column.immutable,
      autoIncrementing: column.autoIncrementing,
      writeDefault: column.writeDefault && base64(column.writeDefault),
      hasReadDefault: column.readDefault !== undefined,
    })),
    partition: [partition.hashBuckets, base64(partition.keyStart), base64(partition.keyEnd)],
    hash: partitionSchema?.hash.map(({ columnIds, buckets, seed }) => ({ columnIds, buckets, seed })),
    range: partitionSchema?.rangeColumnIds,
    dirs: superblock.dataDirs,
    live: superblock.supportsLiveRowCount,
    age: superblock.historyMaxAgeSeconds,
    orphaned: superblock.orphanedBlocks.map(String),
  };
}

function expected(json: JsonSuperblock): unknown {
  const attribute = (column: Record<string, unknown>, name: string): unknown =>
    (column["typeAttributes"] as Record<string, unknown> | undefined)?.[name];
  return {
    tableId: base64Text(json.tableId),
    tabletId: base64Text(json.tabletId),
    tableName: json.tableName,
    lastDurableMrsId: json.lastDurableMrsId,
    schemaVersion: json.schemaVersion,
    state: json.tabletDataState.replace("TABLET_DATA_", "").toLowerCase(),
    rowsets: (json.rowsets ?? []).map((rowSet) => ({
      id: rowSet.id,
      dms: rowSet.lastDurableDmsId,
      columns: rowSet.columns.map(({ columnId, block }) => [columnId, block.id]),
      redo: (rowSet.redoDeltas ?? []).map(({ block }) => block.id),
      undo: (rowSet.undoDeltas ?? []).map(({ block }) => block.id),
      bloom: rowSet.bloomBlock?.id,
      adhoc: rowSet.adhocIndexBlock?.id,
      live: rowSet.liveRowCount === undefined ? undefined : Number(rowSet.liveRowCount),
    })),
    columns: json.schema.columns.map((column) => ({
      id: column["id"],
      name: column["name"],
      type: column["type"],
      isKey: column["isKey"],
      isNullable: column["isNullable"],
      encoding: column["encoding"],
      compression: column["compression"],
      size: column["cfileBlockSize"],
      comment: column["comment"],
      precision: attribute(column, "precision"),
      scale: attribute(column, "scale"),
      length: attribute(column, "length"),
      immutable: column["immutable"] ?? false,
      autoIncrementing: column["isAutoIncrementing"] ?? false,
      writeDefault: column["writeDefaultValue"],
      hasReadDefault: column["readDefaultValue"] !== undefined,
    })),
    partition: [
      json.partition.hashBuckets ?? [],
      json.partition.partitionKeyStart ?? "",
      json.partition.partitionKeyEnd ?? "",
    ],
    hash: (json.partitionSchema.hashSchema ?? []).map(({ columns, numBuckets, seed }) => ({
      columnIds: columns.map(({ id }) => id),
      buckets: numBuckets,
      seed,
    })),
    range:
      json.partitionSchema.rangeSchema &&
      (json.partitionSchema.rangeSchema.columns ?? []).map(({ id }) => id),
    dirs: json.dataDirGroup.uuids.map(base64Text),
    live: json.supportsLiveRowCount,
    age: json.extraConfig?.historyMaxAgeSec,
    orphaned: (json.orphanedBlocks ?? []).map(({ id }) => id),
  };
}

describe.each(SERVERS)("the directories of server %s", (server) => {
  it("have the superblocks that Kudu's tool prints", async () => {
    const superblocks = readGoldenJson<Record<string, JsonSuperblock>>(
      `servers/${server}/facts/superblocks.json`,
    );
    await using dir = await openKuduDir(serverPath(server));
    const tablets = await dir.tablets();
    expect(tablets.map(({ id }) => id).sort()).toEqual(Object.keys(superblocks).sort());
    for (const { id, superblock } of tablets) {
      expect(comparable(superblock)).toEqual(expected(superblocks[id] as JsonSuperblock));
    }
  });

  it("have the blocks that Kudu's tool lists, with the same uses", async () => {
    const listed = readGoldenJson<Record<string, string>[]>(`servers/${server}/facts/fs_list.json`);
    await using dir = await openKuduDir(serverPath(server));
    const uses = await dir.blockUses();
    const blocks = await dir.blocks.list();
    expect(blocks.map(({ id }) => String(id)).sort()).toEqual(listed.map((row) => row["block-id"]).sort());
    for (const row of listed) {
      const [use, ...others] = uses.get(BigInt(row["block-id"] ?? 0)) ?? [];
      expect(others).toEqual([]);
      expect(use).toEqual({
        tablet: row["tablet-id"],
        table: row["table"],
        rowSet: BigInt(row["rowset-id"] ?? -1),
        role: row["block-kind"] === "column" ? `column ${row["column-id"]}` : row["block-kind"],
      });
      const size = await (await dir.block(BigInt(row["block-id"] ?? 0))).source.size();
      if (/^\d+B$/.test(row["cfile-size"] ?? "")) {
        expect(`${size}B`).toBe(row["cfile-size"]);
      }
    }
  });

  it("pass the check", async () => {
    await using dir = await openKuduDir(serverPath(server));
    const problems: unknown[] = [];
    const result = await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    expect(result).toMatchObject({ ok: true, orphaned: [], missing: [] });
    const live = (await dir.tablets()).reduce((sum, { liveRowCount = 0 }) => sum + liveRowCount, 0);
    expect(result.liveRows).toBe(live);
  });
});

const CONTAINER = "0123456789abcdef0123456789abcdef";

function containerTree(folder: string, superblock?: string) {
  const files = new Map([
    ["data/block_manager_instance", readGolden(`${folder}/block_manager_instance`)],
    [`data/${CONTAINER}.data`, readGolden(`${folder}/container.data`)],
    [`data/${CONTAINER}.metadata`, readGolden(`${folder}/container.metadata`)],
  ]);
  if (superblock !== undefined) {
    files.set(`tablet-meta/${superblock}`, readGolden(`${folder}/superblock`));
  }
  return treeOf(files);
}

describe("containers that Kudu's block manager wrote", () => {
  it("have the blocks that were added, without the deleted one", async () => {
    const facts = readGoldenJson<{
      blocks: { block_id: string; length: number; sha256: string }[];
      deleted: string[];
    }>("lbm/container.json");
    await using dir = await openKuduDir(containerTree("lbm"));
    const live = facts.blocks.filter(({ block_id }) => !facts.deleted.includes(block_id));
    expect((await dir.blocks.list()).map(({ id }) => id)).toEqual(
      live.map(({ block_id }) => BigInt(`0x${block_id}`)),
    );
    for (const { block_id, length, sha256 } of live) {
      const { source } = await dir.block(BigInt(`0x${block_id}`));
      const bytes = await source.read(0, await source.size());
      expect(bytes.length).toBe(length);
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    }
    for (const id of facts.deleted) {
      await expect(dir.block(BigInt(`0x${id}`))).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
    }
    expect(await dir.blocks.problems()).toEqual([]);
  });

  it("have a table with the written rows", async () => {
    const rows = readGoldenJson<unknown[][]>("tablet/latest_rows.json");
    const id = "fedcba9876543210fedcba9876543210";
    await using dir = await openKuduDir(containerTree("tablet-container", id));
    const tablet = await dir.tablet("sample_table");
    expect(await collectRows(tablet.scan())).toEqual(rows.toSorted(byKey));
    expect(tablet.liveRowCount).toBe(rows.length);
  });

  it("start with the name of their messages", () => {
    const file = parseContainerFile(readGolden("lbm/container.metadata"), "journal");
    expect(file).toMatchObject({ version: 2, type: "kudu.BlockRecordPB", torn: false, damage: undefined });
    const superblock = parseContainerFile(readGolden("tablet-container/superblock"), "superblock");
    expect(superblock.type).toBe("kudu.tablet.TabletSuperBlockPB");
    expect(parseSuperblock(superblock.records[0] ?? new Uint8Array(0)).tableName).toBe("sample_table");
  });
});

/** Orders by a number, hexadecimal text, and a number as text. */
function byKey(left: readonly unknown[], right: readonly unknown[]): number {
  if (left[0] !== right[0]) {
    return Number(left[0]) - Number(right[0]);
  }
  if (left[1] !== right[1]) {
    return String(left[1]) < String(right[1]) ? -1 : 1;
  }
  return Number(left[2]) - Number(right[2]);
}
