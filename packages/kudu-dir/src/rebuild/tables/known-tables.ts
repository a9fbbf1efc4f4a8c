/** The tables that row sets may belong to: from a catalog, from superblocks of other servers, described by the user, or guessed. */
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import {
  type Partition,
  type PartitionSchema,
  partitionOf,
  partitionSchemaOf,
} from "../../catalog/partition-message.js";
import { type KuduSchema, schemaOf } from "../../catalog/schema-message.js";
import type { KuduCluster } from "../../cluster/kudu-cluster.js";
import { CATALOG_TABLET } from "../../cluster/read-catalog.js";
import type { ColumnSchemaPB, PartitionPB, SysTablesEntryPB } from "../../generated/decode.js";
import { planRestore } from "../../restore/restore-plan.js";
import type { LoggedWrites } from "../logs/logged-writes.js";

/** A tablet that row sets may belong to. */
export interface KnownTablet {
  readonly id: string;
  readonly partition: Partition;
  /** @internal */
  readonly message: PartitionPB | undefined;
  /** UUIDs of the servers with a replica, as far as is known. */
  readonly servers: readonly string[];
}

/** The origin of a table's schema: `log` if only the log of one tablet has it, `guess` if it follows from row sets alone. */
export type TableOrigin = "catalog" | "given" | "log" | "guess";

/** A table that row sets may belong to. */
export interface KnownTable {
  readonly id: string;
  readonly name: string;
  readonly schema: KuduSchema;
  readonly partitionSchema: PartitionSchema | undefined;
  /** The ID of the next column, if known. */
  readonly nextColumnId: number | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
  /** If empty, each row set is read as a separate tablet. */
  readonly tablets: readonly KnownTablet[];
  readonly origin: TableOrigin;
  /** @internal */
  readonly message: Pick<SysTablesEntryPB, "schema" | "version" | "partitionSchema" | "extraConfig">;
}

/** A column of a table that the user describes. */
export interface GivenColumn {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly isKey: boolean;
  /** Digits after the point, for decimals only. */
  readonly scale?: number | undefined;
}

/** The partition of a tablet whose bounds are unknown. */
export const EVERYWHERE: Partition = {
  hashBuckets: [],
  keyStart: new Uint8Array(0),
  keyEnd: new Uint8Array(0),
};
const NESTED = 21;
const DIGITS: Partial<Record<DataType, number>> = { DECIMAL32: 9, DECIMAL64: 18, DECIMAL128: 38 };

/** See `on-demand.ts`. */
export async function tablesOfCluster(cluster: KuduCluster): Promise<readonly KnownTable[]> {
  const { tables } = await planRestore(cluster, undefined);
  return tables.map(({ id, entry, tablets }) => ({
    ...tableOf(id, entry.name, entry, "catalog"),
    ...(isFromCatalog(tablets)
      ? { nextColumnId: entry.nextColumnId, createdAt: (entry.createTimestamp ?? 0) * 1000 }
      : {}),
    tablets: tablets.map(({ partition, source }) => ({
      id: source.id,
      partition: partitionOf(partition),
      message: partition,
      servers: (source.catalog?.config?.peers ?? []).map(({ uuid }) => uuid),
    })),
  }));
}

/** Without a master, the time of creation and dropped columns are unknown. */
function isFromCatalog(tablets: readonly { readonly source: { readonly catalog: unknown } }[]): boolean {
  return tablets.some(({ source }) => source.catalog !== undefined);
}

/** A table whose columns have their positions as IDs, and whose tablets are unknown. */
export function tableOfColumns(
  name: string,
  columns: readonly GivenColumn[],
  origin: "given" | "guess",
): KnownTable {
  const message = { schema: { columns: columns.map(columnMessage) }, version: 0 };
  return tableOf(name, name, message, origin);
}

/** A table for each tablet that only a log knows: its ID and its partition are not in the log, its name only if it was renamed. */
export function tablesOfLogs(
  logs: ReadonlyMap<string, LoggedWrites>,
  tables: readonly KnownTable[],
  server: string | undefined,
): readonly KnownTable[] {
  const known = new Set(tables.flatMap(({ tablets }) => tablets.map(({ id }) => id)));
  return [...logs.values()].flatMap(({ tablet, newest }) => {
    const { message: schema, version, tableName = `tablet_${tablet}` } = newest;
    const servers = server === undefined ? [] : [server];
    const only: KnownTablet = { id: tablet, partition: EVERYWHERE, message: undefined, servers };
    return known.has(tablet) || tablet === CATALOG_TABLET
      ? []
      : [{ ...tableOf(tablet, tableName, { schema, version }, "log"), tablets: [only] }];
  });
}

/** The tables, with the schemas in the logs of their tablets: a lagging replica still has an older schema. */
export function withLoggedSchemas(
  tables: readonly KnownTable[],
  logs: ReadonlyMap<string, LoggedWrites>,
): readonly KnownTable[] {
  return tables.flatMap((table) => {
    const tablets: KnownTablet[] = [];
    const split: KnownTable[] = [];
    for (const tablet of table.tablets) {
      const log = logs.get(tablet.id);
      if (log === undefined || log.newest.version >= table.message.version) {
        tablets.push(tablet);
      } else {
        const { message: schema, version, tableName: name = table.name } = log.newest;
        const message = { ...table.message, schema, version };
        split.push({ ...table, name, schema: log.schema, message, tablets: [tablet] });
      }
    }
    // A table without tablets would be a guess.
    return split.length > 0 && tablets.length === 0 ? split : [{ ...table, tablets }, ...split];
  });
}

function tableOf(id: string, name: string, message: KnownTable["message"], origin: TableOrigin): KnownTable {
  const { partitionSchema } = message;
  const schema = schemaOf(message.schema);
  return {
    id,
    name,
    schema,
    partitionSchema: partitionSchema && partitionSchemaOf(partitionSchema, schema),
    nextColumnId: undefined,
    createdAt: undefined,
    tablets: [],
    origin,
    message,
  };
}

function columnMessage(
  { name, type, nullable, array, isKey, scale }: GivenColumn,
  id: number,
): ColumnSchemaPB {
  const { id: number } = DATA_TYPES[type];
  const precision = DIGITS[type];
  return {
    id,
    name,
    type: array ? NESTED : number,
    isKey,
    isNullable: nullable,
    typeAttributes: precision === undefined ? undefined : { precision, scale: scale ?? 0 },
    nestedType: array ? { array: { type: number } } : undefined,
  };
}
