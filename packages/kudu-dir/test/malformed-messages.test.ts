/** Messages of superblocks, journals, instance files and logs that are valid protobuf, but are never written by Kudu. */
import { isCFileError } from "@cfile/bytes";
import { type MessageWriter, messageBytes } from "@cfile/protobuf/write";
import { describe, expect, it } from "vitest";
import { parseBlockRecord } from "../src/blocks/block-record.js";
import { replayJournal } from "../src/blocks/log-container.js";
import { parseConsensusMetadata } from "../src/catalog/consensus-message.js";
import { parseInstance } from "../src/catalog/instance.js";
import { hashOfRange, partitionSchemaOf } from "../src/catalog/partition-message.js";
import { schemaOf } from "../src/catalog/schema-message.js";
import { parseSuperblock } from "../src/catalog/superblock.js";
import { parseCatalogTable, parseCatalogTablet } from "../src/cluster/catalog-entries.js";
import type {
  BlockRecordPB,
  ColumnSchemaPB,
  RowSetDataPB,
  TabletSuperBlockPB,
} from "../src/generated/decode.js";
import {
  encodeBlockRecordPB,
  encodeConsensusMetadataPB,
  encodeInstanceMetadataPB,
  encodeLogEntryBatchPB,
  encodeSysTablesEntryPB,
  encodeSysTabletsEntryPB,
  encodeTabletSuperBlockPB,
} from "../src/generated/encode.js";
import { parseLogEntries } from "../src/log/log-messages.js";
import { countRowOperations, rowOperations } from "../src/log/row-operations.js";

const [INT32, STRING, BOOL, NESTED] = [5, 8, 9, 21];
const KEY: ColumnSchemaPB = { id: 10, name: "id", type: INT32, isKey: true };
const TEXT: ColumnSchemaPB = { id: 11, name: "text", type: STRING };
const ENCODED = new Uint8Array(0);

/** Code and field of the error. */
function refusalOf(action: () => unknown): string {
  try {
    action();
    return "no error";
  } catch (error) {
    return isCFileError(error) ? `${error.code} ${error.field}` : String(error);
  }
}

function parsed<M, T>(
  parse: (bytes: Uint8Array) => T,
  encode: (writer: MessageWriter, message: M) => void,
  message: M,
): T {
  return parse(messageBytes(encode, message));
}

describe("a block record", () => {
  const RECORD: BlockRecordPB = { blockId: { id: 1n }, opType: 1, timestampUs: 5n, offset: 0n, length: 9n };
  const recordOf = (change: Partial<BlockRecordPB>): Uint8Array =>
    messageBytes(encodeBlockRecordPB, { ...RECORD, ...change });

  it.each<[string, Partial<BlockRecordPB>, string]>([
    ["of an unknown operation", { opType: 3 }, "E_CORRUPT op_type"],
    ["without an offset", { offset: undefined }, "E_CORRUPT offset"],
    ["with a negative length", { length: -1n }, "E_CORRUPT length"],
    ["with an offset of 2^60", { offset: 2n ** 60n }, "E_CORRUPT offset"],
    ["of block 0", { blockId: { id: 0n } }, "E_CORRUPT block id"],
  ])("%s is refused", (_, change, expected) => {
    expect(refusalOf(() => parseBlockRecord(recordOf(change)))).toBe(expected);
  });

  it("that creates a block twice or deletes a missing one is skipped and reported", () => {
    const records = [
      recordOf({}),
      recordOf({ timestampUs: 4n }),
      recordOf({ blockId: { id: 2n }, opType: 2 }),
      recordOf({ opType: 2 }),
      recordOf({ blockId: { id: 3n }, timestampUs: 7n }),
    ];
    const { live, lastChange, problems } = replayJournal(
      {
        ...{ version: 2, description: undefined, type: undefined, end: 0, torn: false, damage: undefined },
        ...{ records, offsets: [10, 20, 30, 40, 50] },
      },
      "1.metadata",
    );
    expect([...live.keys()]).toEqual([3n]);
    expect(lastChange).toBe(7n);
    expect(problems).toMatchObject([
      { code: "E_CORRUPT", offset: 20, reason: "record creates an existing block: 1" },
      { code: "E_CORRUPT", offset: 30, reason: "record deletes a missing block: 2" },
    ]);
  });
});

describe("a superblock", () => {
  const ROW_SET: RowSetDataPB = { id: 1n, columns: [], redoDeltas: [], undoDeltas: [] };
  const SUPERBLOCK: TabletSuperBlockPB = {
    ...{ tabletId: "t", tableId: "u", tableName: "table", lastDurableMrsId: 1n },
    ...{ rowsets: [], schema: { columns: [KEY] }, orphanedBlocks: [], txnMetadata: [], tabletDataState: 0 },
  };
  const superblockOf = (change: Partial<TabletSuperBlockPB>): ReturnType<typeof parseSuperblock> =>
    parsed(parseSuperblock, encodeTabletSuperBlockPB, { ...SUPERBLOCK, ...change });
  const column = (columnId: number, id: bigint) => ({ columnId, block: { id } });

  it.each<[string, Partial<TabletSuperBlockPB>, string]>([
    ["of an unknown state", { tabletDataState: 77 }, "E_CORRUPT tablet_data_state"],
    ["with two row sets of one ID", { rowsets: [ROW_SET, ROW_SET] }, "E_CORRUPT rowsets"],
    [
      "with a block in two roles",
      { rowsets: [{ ...ROW_SET, columns: [column(1, 5n)], bloomBlock: { id: 5n } }] },
      "E_CORRUPT rowsets",
    ],
    [
      "with two blocks of a column",
      { rowsets: [{ ...ROW_SET, columns: [column(1, 5n), column(1, 6n)] }] },
      "E_CORRUPT column_id",
    ],
    ["with block 0", { orphanedBlocks: [{ id: 0n }] }, "E_CORRUPT block id"],
  ])("%s is refused", (_, change, expected) => {
    expect(refusalOf(() => superblockOf(change))).toBe(expected);
  });

  it("may lack what older servers do not write", () => {
    const { rowSets, ...superblock } = superblockOf({
      rowsets: [ROW_SET],
      txnMetadata: [
        {},
        { key: 4n, value: {} },
        { key: 5n, value: { aborted: true, flushedCommittedMrs: true } },
      ],
    });
    expect(rowSets).toMatchObject([{ lastDurableDmsId: -1n, liveRowCount: undefined }]);
    expect(superblock).toMatchObject({
      ...{ schemaVersion: 0, supportsLiveRowCount: false, dataDirs: [], partitionSchema: undefined },
      partition: { hashBuckets: [], keyStart: new Uint8Array(0), keyEnd: new Uint8Array(0) },
    });
    const open = { aborted: false, commitTimestamp: undefined, flushed: false };
    expect(superblock.transactions).toEqual(
      new Map([
        [0n, open],
        [4n, open],
        [5n, { aborted: true, commitTimestamp: undefined, flushed: true }],
      ]),
    );
  });
});

describe("a schema", () => {
  it.each<[string, ColumnSchemaPB[], string]>([
    ["with an unknown type", [{ ...KEY, type: 99 }], "E_UNSUPPORTED type"],
    ["with an array without a type", [KEY, { ...TEXT, type: NESTED }], "E_CORRUPT type"],
    [
      "with an invalid default",
      [KEY, { id: 12, name: "n", type: INT32, readDefaultValue: ENCODED }],
      "E_CORRUPT read_default_value",
    ],
    ["with a name twice", [KEY, { ...TEXT, name: "id" }], "E_CORRUPT schema"],
    ["with a key after other columns", [TEXT, KEY], "E_CORRUPT is_key"],
  ])("%s is refused", (_, columns, expected) => {
    expect(refusalOf(() => schemaOf({ columns }))).toBe(expected);
  });

  it("has arrays with the type of their elements", () => {
    const tags = { ...TEXT, type: NESTED, nestedType: { array: { type: STRING } } };
    expect(schemaOf({ columns: [KEY, tags] }).columns[1]).toMatchObject({ type: "STRING", array: true });
  });
});

describe("a range with its own hash partitioning", () => {
  const [LOWER, UPPER] = [6, 7];
  const schema = schemaOf({ columns: [KEY, TEXT] });
  const range = (rows: readonly number[] | undefined) => ({
    rangeBounds: rows === undefined ? undefined : { rows: Uint8Array.from(rows) },
    hashSchema: [{ columns: [{ id: 10 }, { name: "id" }], numBuckets: 4 }],
  });
  const partitionsOf = (rows: readonly number[] | undefined) =>
    partitionSchemaOf(
      { hashSchema: [], rangeSchema: { columns: [{ id: 10 }] }, customHashSchemaRanges: [range(rows)] },
      schema,
    );
  const partition = (keyStart: readonly number[]) => ({
    ...{ hashBuckets: [], keyStart: Uint8Array.from(keyStart), keyEnd: new Uint8Array(0) },
  });

  it("may have no bounds, or only a lower one", () => {
    const unbounded = partitionsOf(undefined);
    expect(unbounded.customRanges).toMatchObject([
      {
        lower: { key: new Uint8Array(0) },
        upper: { key: new Uint8Array(0) },
        hash: [{ columnIds: [10], buckets: 4 }],
      },
    ]);
    expect(hashOfRange(unbounded, partition([]))).toMatchObject([{ buckets: 4 }]);
    const lower = partitionsOf([LOWER, 1, 7, 0, 0, 0]);
    expect(hashOfRange(lower, partition([0x80, 0, 0, 7]))).toMatchObject([{ buckets: 4 }]);
    expect(hashOfRange(lower, partition([0x80, 0, 0, 6]))).toEqual([]);
    const both = partitionsOf([LOWER, 1, 7, 0, 0, 0, UPPER, 1, 9, 0, 0, 0]);
    expect(hashOfRange(both, partition([0x80, 0, 0, 9]))).toEqual([]);
  });

  it("is refused if its column has no key", () => {
    const flags = schemaOf({ columns: [{ ...KEY, type: BOOL }] });
    const message = { hashSchema: [], customHashSchemaRanges: [range([LOWER, 1, 1])] };
    expect(refusalOf(() => partitionSchemaOf(message, flags))).toBe("E_CORRUPT range_bounds");
  });
});

describe("an entry of the catalog", () => {
  it("may have a state that is not known, or none", () => {
    const table = { name: "t", version: 0, schema: { columns: [KEY] }, numReplicas: 1 };
    const stateOfTable = (state?: number) =>
      parsed((bytes) => parseCatalogTable("id", bytes), encodeSysTablesEntryPB, { ...table, state }).state;
    expect([stateOfTable(), stateOfTable(77)]).toEqual(["unknown", "unknown"]);
    const stateOfTablet = (state?: number) =>
      parsed((bytes) => parseCatalogTablet("id", bytes), encodeSysTabletsEntryPB, { tableId: "id", state })
        .state;
    expect([stateOfTablet(), stateOfTablet(77), stateOfTablet(2)]).toEqual(["unknown", "unknown", "running"]);
  });
});

describe("an instance file", () => {
  it("has the key of the default tenant, or of the first one that has a key", () => {
    const instanceOf = (change: object) =>
      parsed(parseInstance, encodeInstanceMetadataPB, { uuid: "u", tenants: [], ...change });
    expect(instanceOf({})).toEqual({ uuid: "u", formatStamp: "", serverKey: undefined });
    expect(instanceOf({ serverKey: "aa" }).serverKey).toEqual({
      key: "aa",
      iv: undefined,
      version: undefined,
    });
    const other = { tenantId: "1", tenantKey: "bb", tenantKeyIv: "cc", tenantKeyVersion: "1" };
    const tenants = [{ tenantId: "0" }, other];
    expect(instanceOf({ tenants }).serverKey).toEqual({ key: "bb", iv: "cc", version: "1" });
    const byDefault = { tenantId: "0".repeat(32), tenantKey: "dd" };
    expect(instanceOf({ tenants: [...tenants, byDefault] }).serverKey?.key).toBe("dd");
  });
});

describe("consensus metadata", () => {
  it("may lack the index of the configuration, and types and addresses of its members", () => {
    const message = { committedConfig: { peers: [{}, { memberType: 0 }] }, currentTerm: 3n };
    expect(parsed(parseConsensusMetadata, encodeConsensusMetadataPB, message)).toEqual({
      term: 3n,
      config: {
        index: -1n,
        peers: [
          { uuid: "", isVoter: true, address: undefined },
          { uuid: "", isVoter: false, address: undefined },
        ],
      },
    });
  });
});

describe("an entry of a log", () => {
  it("may have a write without a schema and operations", () => {
    const id = { term: 1n, index: 2n };
    const write = { tabletId: ENCODED, autoIncrementingColumn: {} };
    const entry = [
      { replicate: { id, timestamp: 3n, opType: 3, writeRequest: write } },
      { replicate: { id, timestamp: 3n } },
      { commit: { commitedOpId: id, opType: 77 } },
    ];
    const [first, second, third] = parsed(parseLogEntries, encodeLogEntryBatchPB, { entry });
    expect(first?.replicate?.write).toEqual({
      ...{
        schema: { columns: [] },
        rows: ENCODED,
        indirect: ENCODED,
        transaction: undefined,
        autoIncrement: 0n,
      },
    });
    expect(second?.replicate).toMatchObject({ operation: "0", write: undefined, schema: undefined });
    expect(third?.commit).toEqual({ id, operation: "77", results: [] });
  });

  it("is refused with an unknown operation, or a value outside the indirect data", () => {
    const schema = schemaOf({ columns: [KEY, TEXT] });
    const request = (rows: readonly number[]) => ({ schema, rows: Uint8Array.from(rows), indirect: ENCODED });
    const unknown = request([4, 1, 7, 0, 0, 0]);
    expect(refusalOf(() => countRowOperations(unknown))).toBe("E_CORRUPT row operation");
    const outside = request([1, 3, 7, 0, 0, 0, ...[0, 0, 0, 0, 0, 0, 0, 0], ...[1, 0, 0, 0, 0, 0, 0, 0]]);
    expect(refusalOf(() => countRowOperations(outside))).toBe("E_CORRUPT indirect_data");
    const write = { ...outside, transaction: undefined, autoIncrement: undefined };
    expect(refusalOf(() => [...rowOperations(write)])).toBe("E_CORRUPT indirect_data");
  });
});
