/** The metadata of a new table. */
import { invalidArgument } from "@cfile/bytes";
import { type IcebergSchema, lastColumnId } from "../schema/iceberg-schema.js";
import { FIRST_FIELD_ID, fieldsJson, type PartitionField, partitionType } from "../schema/partition.js";
import { type TableMetadata, tableMetadata } from "./table-metadata.js";

/** Initial settings of a new table. */
export interface NewTable {
  readonly location: string;
  readonly schema: IcebergSchema;
  /** IDs of the columns by which each data file is sorted. */
  readonly sortedBy: readonly number[];
  /** Default: none. */
  readonly partitionedBy?: readonly PartitionField[] | undefined;
  readonly properties: Readonly<Record<string, string>>;
}

/** IDs of the specs of a new table: deletes, and files outside a single partition, are unpartitioned. */
const PLAIN_SPEC = 0;
const PARTITION_SPEC = 1;

/**
 * The metadata of a table without snapshots.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a column that cannot be partitioned by
 */
export function newTableMetadata({
  location,
  schema,
  sortedBy,
  partitionedBy = [],
  properties,
}: NewTable): TableMetadata {
  const isPartitioned = partitionedBy.length > 0;
  const wrong = partitionedBy.find((field) => partitionType(field, schema) === undefined);
  if (wrong !== undefined) {
    throw invalidArgument(`the table cannot be partitioned by ${wrong.name}`, { field: "partitionedBy" });
  }
  const order = sortedBy.length === 0 ? 0 : 1;
  const sortFields = sortedBy.map((id) => ({
    transform: "identity",
    "source-id": id,
    direction: "asc",
    "null-order": "nulls-first",
  }));
  return tableMetadata({
    "format-version": 2,
    "table-uuid": crypto.randomUUID(),
    location,
    "last-sequence-number": 0,
    "last-updated-ms": 0,
    "last-column-id": lastColumnId(schema),
    "current-schema-id": schema["schema-id"],
    schemas: [JSON.parse(JSON.stringify(schema))],
    "default-spec-id": isPartitioned ? PARTITION_SPEC : PLAIN_SPEC,
    "partition-specs": [
      { "spec-id": PLAIN_SPEC, fields: [] },
      ...(isPartitioned ? [{ "spec-id": PARTITION_SPEC, fields: fieldsJson(partitionedBy) }] : []),
    ],
    "last-partition-id": FIRST_FIELD_ID - 1 + partitionedBy.length,
    "default-sort-order-id": order,
    "sort-orders": [
      { "order-id": 0, fields: [] },
      ...(order === 0 ? [] : [{ "order-id": order, fields: sortFields }]),
    ],
    properties,
    "current-snapshot-id": null,
    refs: {},
    snapshots: [],
    "snapshot-log": [],
    "metadata-log": [],
  });
}
