/**
 * The Avro schemas of manifests and manifest lists, version 2 (https://iceberg.apache.org/spec/#manifests). Readers find fields by
 * `field-id`. A map whose keys are not strings is an array of records with the logical type `map`.
 */
import { FIRST_FIELD_ID } from "../schema/partition.js";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const required = (id: number, name: string, type: Json): Json => ({ name, type, "field-id": id });
const optional = (id: number, name: string, type: Json): Json => ({
  name,
  type: ["null", type],
  default: null,
  "field-id": id,
});

const map = (key: number, value: number, type: Json): Json => ({
  type: "array",
  items: {
    type: "record",
    name: `k${key}_v${value}`,
    fields: [required(key, "key", "int"), required(value, "value", type)],
  },
  logicalType: "map",
});

const list = (id: number, items: Json): Json => ({ type: "array", items, "element-id": id });

const dataFile = (partition: readonly Json[]): Json => ({
  type: "record",
  name: "r2",
  fields: [
    required(134, "content", "int"),
    required(100, "file_path", "string"),
    required(101, "file_format", "string"),
    required(102, "partition", { type: "record", name: "r102", fields: partition }),
    required(103, "record_count", "long"),
    required(104, "file_size_in_bytes", "long"),
    optional(108, "column_sizes", map(117, 118, "long")),
    optional(109, "value_counts", map(119, 120, "long")),
    optional(110, "null_value_counts", map(121, 122, "long")),
    optional(125, "lower_bounds", map(126, 127, "bytes")),
    optional(128, "upper_bounds", map(129, 130, "bytes")),
    optional(132, "split_offsets", list(133, "long")),
    optional(135, "equality_ids", list(136, "int")),
    optional(140, "sort_order_id", "int"),
  ],
});

/** Types of partition values by their names in Iceberg. */
const PARTITION_TYPES: Readonly<Record<string, Json>> = /* @__PURE__ */ Object.freeze({
  date: { type: "int", logicalType: "date" },
  timestamptz: { type: "long", logicalType: "timestamp-micros", "adjust-to-utc": true },
});

/** The Avro name of a partition field. Avro allows only these characters; readers find fields by ID. */
export function partitionName(name: string, index: number): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `p${index}`;
}

/** Files of one partition spec. @param fields with the types of their values; empty for an unpartitioned spec */
export function manifestEntrySchema(
  fields: readonly { readonly name: string; readonly type: string }[],
): string {
  const partition = fields.map(({ name, type }, i) =>
    optional(FIRST_FIELD_ID + i, partitionName(name, i), PARTITION_TYPES[type] ?? type),
  );
  return JSON.stringify({
    type: "record",
    name: "manifest_entry",
    fields: [
      required(0, "status", "int"),
      optional(1, "snapshot_id", "long"),
      optional(3, "sequence_number", "long"),
      optional(4, "file_sequence_number", "long"),
      required(2, "data_file", dataFile(partition)),
    ],
  });
}

const FIELD_SUMMARY: Json = {
  type: "record",
  name: "r508",
  fields: [
    required(509, "contains_null", "boolean"),
    optional(518, "contains_nan", "boolean"),
    optional(510, "lower_bound", "bytes"),
    optional(511, "upper_bound", "bytes"),
  ],
};

export const MANIFEST_FILE: string = /* @__PURE__ */ JSON.stringify({
  type: "record",
  name: "manifest_file",
  fields: [
    required(500, "manifest_path", "string"),
    required(501, "manifest_length", "long"),
    required(502, "partition_spec_id", "int"),
    required(517, "content", "int"),
    required(515, "sequence_number", "long"),
    required(516, "min_sequence_number", "long"),
    required(503, "added_snapshot_id", "long"),
    required(504, "added_files_count", "int"),
    required(505, "existing_files_count", "int"),
    required(506, "deleted_files_count", "int"),
    required(512, "added_rows_count", "long"),
    required(513, "existing_rows_count", "long"),
    required(514, "deleted_rows_count", "long"),
    optional(507, "partitions", list(508, FIELD_SUMMARY)),
    optional(519, "key_metadata", "bytes"),
  ],
});
