/**
 * Entries of `sys.catalog` (docs/spec/kudu-cluster.md#2-the-catalog): tables, tablets and the cluster's ID. Entries with
 * private keys are counted and never decoded.
 */
import { MessageReader } from "@cfile/protobuf/read";
import { type RaftConfig, raftConfigOf } from "../catalog/consensus-message.js";
import {
  type Partition,
  type PartitionSchema,
  partitionOf,
  partitionSchemaOf,
} from "../catalog/partition-message.js";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import {
  decodeSysClusterIdEntryPB,
  decodeSysTablesEntryPB,
  decodeSysTabletsEntryPB,
} from "../generated/decode.js";

/** State of a table; `removed`: dropped, `soft deleted`: dropped and still recoverable. */
export type TableState = "unknown" | "preparing" | "running" | "altering" | "removed" | "soft deleted";

/** A table in the catalog. */
export interface CatalogTable {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly state: TableState;
  readonly owner: string | undefined;
  readonly comment: string | undefined;
  readonly replicas: number;
  readonly version: number;
  readonly schema: KuduSchema;
  readonly partitionSchema: PartitionSchema | undefined;
  /** Extra configuration, by Kudu's names: `kudu.table.history_max_age_sec` and so on. */
  readonly extraConfig: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
  readonly alteredAt: number | undefined;
  /** When a soft-deleted table is removed for good, in milliseconds since 1970. */
  readonly reservedUntil: number | undefined;
  /** Whether it holds the status of multi-row transactions. */
  readonly isTransactionStatus: boolean;
}

/** State of a tablet in the catalog. */
export type CatalogTabletState =
  | "unknown"
  | "preparing"
  | "creating"
  | "running"
  | "replaced"
  | "deleted"
  | "soft deleted";

/** A tablet in the catalog. */
export interface CatalogTablet {
  readonly id: string;
  readonly tableId: string;
  readonly state: CatalogTabletState;
  readonly partition: Partition;
  /** UUID of the leader as the master last knew it. */
  readonly leader: string | undefined;
  readonly term: bigint | undefined;
  readonly config: RaftConfig | undefined;
}

const TABLE_STATES: readonly TableState[] = [
  "unknown",
  "preparing",
  "running",
  "altering",
  "removed",
  "soft deleted",
];
const TABLET_STATES: readonly CatalogTabletState[] = [
  "preparing",
  "creating",
  "running",
  "replaced",
  "deleted",
  "soft deleted",
];
const TRANSACTION_STATUS = 1;

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` or `E_UNSUPPORTED` naming the field */
export function parseCatalogTable(id: string, bytes: Uint8Array): CatalogTable {
  const message = decodeSysTablesEntryPB(new MessageReader(bytes, "SysTablesEntryPB"));
  const { partitionSchema, extraConfig = {}, createTimestamp, alterTimestamp } = message;
  const { deleteTimestamp, softDeletedReservedSeconds = 0 } = message;
  const { historyMaxAgeSec, maintenancePriority, disableCompaction } = extraConfig;
  const extra = [
    ["kudu.table.history_max_age_sec", historyMaxAgeSec],
    ["kudu.table.maintenance_priority", maintenancePriority],
    ["kudu.table.disable_compaction", disableCompaction],
  ] as const;
  const state = TABLE_STATES[message.state ?? 0] ?? "unknown";
  const schema = schemaOf(message.schema);
  return {
    id,
    name: message.name,
    state,
    owner: message.owner,
    comment: message.comment,
    replicas: message.numReplicas,
    version: message.version,
    schema,
    partitionSchema: partitionSchema && partitionSchemaOf(partitionSchema, schema),
    extraConfig: new Map(
      extra.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const])),
    ),
    createdAt: milliseconds(createTimestamp),
    alteredAt: milliseconds(alterTimestamp),
    reservedUntil:
      state === "soft deleted" && deleteTimestamp !== undefined
        ? milliseconds(deleteTimestamp + softDeletedReservedSeconds)
        : undefined,
    isTransactionStatus: message.tableType === TRANSACTION_STATUS,
  };
}

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseCatalogTablet(id: string, bytes: Uint8Array): CatalogTablet {
  const message = decodeSysTabletsEntryPB(new MessageReader(bytes, "SysTabletsEntryPB"));
  const { consensusState, tableId, partition, state } = message;
  return {
    id,
    tableId,
    state: (state === undefined ? undefined : TABLET_STATES[state]) ?? "unknown",
    partition: partitionOf(partition),
    leader: consensusState?.leaderUuid || undefined,
    term: consensusState?.currentTerm,
    config: consensusState && raftConfigOf(consensusState.committedConfig),
  };
}

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseClusterId(bytes: Uint8Array): string {
  return decodeSysClusterIdEntryPB(new MessageReader(bytes, "SysClusterIdEntryPB")).clusterId;
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
