/** The catalog of a new master (docs/spec/kudu-cluster.md#2-the-catalog), written as a row set. The master itself adds new private keys. */
import { compareBytes, utf8Bytes } from "@cfile/bytes";
import { messageBytes } from "@cfile/protobuf/write";
import { schemaOf } from "../catalog/schema-message.js";
import { CATALOG_TABLET, ENTRY } from "../cluster/read-catalog.js";
import type { SchemaPB, SysTablesEntryPB, SysTabletsEntryPB } from "../generated/decode.js";
import {
  encodeSysClusterIdEntryPB,
  encodeSysTablesEntryPB,
  encodeSysTabletsEntryPB,
} from "../generated/encode.js";
import { LoadedRowSet } from "../load/loaded-row-set.js";
import { batchOfCells } from "../log/stored-cells.js";
import type { NewServer } from "./new-server.js";

const INT8 = 1;
const STRING = 8;
const READY = 1;
const VOTER = 1;

const column = (id: number, name: string, type: number, isKey: boolean) => ({
  id,
  name,
  type,
  isKey,
  isNullable: false,
  encoding: 0,
  compression: 0,
  cfileBlockSize: 0,
  immutable: false,
});

const SCHEMA: SchemaPB = {
  columns: [
    column(0, "entry_type", INT8, true),
    column(1, "entry_id", STRING, true),
    column(2, "metadata", STRING, false),
  ],
};

/** Rows of the catalog. */
export class CatalogRows {
  private readonly rows: { type: number; id: Uint8Array; message: Uint8Array }[] = [];

  addTable(id: string, entry: SysTablesEntryPB): void {
    this.add(ENTRY.table, id, messageBytes(encodeSysTablesEntryPB, entry));
  }

  addTablet(id: string, entry: SysTabletsEntryPB): void {
    this.add(ENTRY.tablet, id, messageBytes(encodeSysTabletsEntryPB, entry));
  }

  addClusterId(clusterId: string): void {
    this.add(ENTRY.clusterId, "cluster_id", messageBytes(encodeSysClusterIdEntryPB, { clusterId }));
  }

  add(type: number, id: string, message: Uint8Array): void {
    this.rows.push({ type, id: utf8Bytes(id), message });
  }

  /** Writes the tablet of the catalog. @param timestamp when its rows were inserted */
  async write(master: NewServer, timestamp: bigint): Promise<void> {
    const schema = schemaOf(SCHEMA);
    const rowSet = new LoadedRowSet(schema);
    const rows = this.rows.sort((left, right) => left.type - right.type || compareBytes(left.id, right.id));
    const cells = [
      rows.map(({ type }) => Uint8Array.of(type)),
      rows.map(({ id }) => id),
      rows.map(({ message }) => message),
    ];
    await rowSet.append(schema.columns.map((one, i) => batchOfCells(one, cells[i] ?? [])));
    const written = await rowSet.finish(0n, timestamp, await master.blocks(), true);
    await master.writeTablet({
      superblock: {
        tableId: "sys.catalog.id",
        tabletId: CATALOG_TABLET,
        lastDurableMrsId: 0n,
        rowsets: [written],
        tableName: "sys.catalog",
        schema: SCHEMA,
        schemaVersion: 0,
        tabletDataState: READY,
        partition: {
          hashBuckets: [],
          partitionKeyStart: new Uint8Array(0),
          partitionKeyEnd: new Uint8Array(0),
        },
        partitionSchema: {
          hashSchema: [],
          rangeSchema: { columns: [{ id: 0 }, { id: 1 }] },
          customHashSchemaRanges: [],
        },
        supportsLiveRowCount: true,
      },
      config: { opidIndex: -1n, peers: [{ permanentUuid: master.uuid, memberType: VOTER }] },
      operation: { id: { term: 1n, index: 2n }, timestamp: timestamp + 1n },
    });
  }
}
