/** Manifests, which list the files of a snapshot with their statistics, and the list of a snapshot's manifests. */
import { type AvroObject, type AvroValue, readAvroContainer } from "@cfile/avro";
import { writeAvroContainer } from "@cfile/avro/write";
import { CFileError, corrupt, fromHex, invalidArgument } from "@cfile/bytes";
import type { IcebergSchema } from "../schema/iceberg-schema.js";
import {
  comparePartitions,
  fieldsJson,
  type PartitionSpec,
  type PartitionValue,
  partitionType,
  serializedPartition,
} from "../schema/partition.js";
import type { IcebergFile } from "../write/iceberg-file.js";
import { MANIFEST_FILE, manifestEntrySchema, partitionName } from "./manifest-schema.js";

/** Files of one kind and one partition spec that a snapshot adds. */
export interface NewManifest {
  /** Location of the manifest. */
  readonly path: string;
  readonly content: "data" | "deletes";
  readonly files: readonly IcebergFile[];
  readonly snapshotId: bigint;
  readonly sequenceNumber: bigint;
  readonly spec: PartitionSpec;
}

/** Status of an added file. */
const ADDED = 1;

/** @param locationOf the location of a data file */
export function manifestBytes(
  { content, files, snapshotId, spec }: NewManifest,
  schema: IcebergSchema,
  locationOf: (file: IcebergFile) => string,
): Promise<Uint8Array> {
  const entries = files.map((file) => ({
    status: ADDED,
    snapshot_id: snapshotId,
    // Null stands for the number of the snapshot that adds the manifest.
    sequence_number: null,
    file_sequence_number: null,
    data_file: dataFile(file, locationOf(file), spec),
  }));
  const metadata = {
    schema: JSON.stringify(schema),
    "schema-id": String(schema["schema-id"]),
    "partition-spec": JSON.stringify(fieldsJson(spec.fields)),
    "partition-spec-id": String(spec.id),
    "format-version": "2",
    content,
  };
  return writeAvroContainer(manifestEntrySchema(typedFields(spec, schema)), entries, { metadata });
}

function dataFile(file: IcebergFile, path: string, { fields }: PartitionSpec): AvroObject {
  const { columns } = file;
  const perColumn = (of: (column: IcebergFile["columns"][number]) => AvroValue | undefined): AvroValue =>
    columns.flatMap((column) => {
      const value = of(column);
      return value === undefined ? [] : [{ key: column.id, value }];
    });
  const bound = (hex: string | undefined): Uint8Array | undefined =>
    hex === undefined ? undefined : fromHex(hex);
  return {
    content: file.equalityIds === undefined ? 0 : 2,
    file_path: path,
    file_format: "PARQUET",
    partition: Object.fromEntries(
      fields.map(({ name }, i) => [partitionName(name, i), partitionOf(file, i)]),
    ),
    record_count: file.rows,
    file_size_in_bytes: file.bytes,
    column_sizes: perColumn(({ bytes }) => bytes),
    value_counts: perColumn(({ values }) => values),
    null_value_counts: perColumn(({ nulls }) => nulls),
    lower_bounds: perColumn(({ lower }) => bound(lower)),
    upper_bounds: perColumn(({ upper }) => bound(upper)),
    split_offsets: [...file.groupOffsets],
    equality_ids: file.equalityIds === undefined ? null : [...file.equalityIds],
    sort_order_id: file.sortOrderId,
  };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for a file without the value */
function partitionOf({ name, partition }: IcebergFile, index: number): PartitionValue {
  const value = partition?.[index];
  if (value === undefined) {
    throw invalidArgument(`${name} lacks a value of the partition spec`, { field: "partition" });
  }
  return value;
}

/** @throws {CFileError} `E_UNSUPPORTED` for a partition field that only other writers support */
function typedFields({ fields }: PartitionSpec, schema: IcebergSchema) {
  return fields.map((field) => {
    const type = partitionType(field, schema);
    if (type === undefined) {
      const reason = `unsupported partition field: ${field.name} (${field.transform})`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: "partition-specs" });
    }
    return { name: field.name, type };
  });
}

/** The entry of a new manifest in the list. */
export function manifestEntry(manifest: NewManifest, length: number, schema: IcebergSchema): AvroObject {
  const { content, files, path, sequenceNumber, snapshotId, spec } = manifest;
  return {
    manifest_path: path,
    manifest_length: length,
    partition_spec_id: spec.id,
    content: content === "data" ? 0 : 1,
    sequence_number: sequenceNumber,
    min_sequence_number: sequenceNumber,
    added_snapshot_id: snapshotId,
    added_files_count: files.length,
    existing_files_count: 0,
    deleted_files_count: 0,
    added_rows_count: files.reduce((sum, { rows }) => sum + rows, 0),
    existing_rows_count: 0,
    deleted_rows_count: 0,
    partitions: typedFields(spec, schema).map(({ type }, i) => {
      const values = files.map((file) => partitionOf(file, i)).sort(comparePartitions);
      // A manifest has at least one file. Without bounds, readers treat all values as null.
      const bound = (value: PartitionValue | undefined): Uint8Array =>
        serializedPartition(type, value as PartitionValue);
      const [lower, upper] = [bound(values[0]), bound(values.at(-1))];
      return { contains_null: false, contains_nan: false, lower_bound: lower, upper_bound: upper };
    }),
  };
}

const KINDS = ["added", "existing", "deleted"] as const;

/**
 * The entries of a manifest list, as values for {@link manifestListBytes}.
 *
 * @throws {CFileError} `E_CORRUPT` as the decoder, or for a list without manifests
 */
export async function listedManifests(bytes: Uint8Array): Promise<AvroObject[]> {
  return (await readAvroContainer(bytes)).map((value) => {
    if (!isRecord(value)) {
      throw corrupt("invalid manifest list", { field: "manifest_file" });
    }
    const counts = KINDS.flatMap((kind) => {
      const name = `${kind}_files_count`;
      // Older writers call it a count of data files.
      return [[name, value[name] ?? value[`${kind}_data_files_count`] ?? null]];
    });
    const kept = ENTRY_FIELDS.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]]));
    return Object.fromEntries([...kept, ...counts]);
  });
}

const ENTRY_FIELDS: readonly string[] = JSON.parse(MANIFEST_FILE).fields.map(
  ({ name }: { readonly name: string }) => name,
);

function isRecord(value: AvroValue): value is AvroObject {
  return typeof value === "object" && value !== null && "manifest_path" in value;
}

/** A manifest list. */
export function manifestListBytes(
  entries: readonly AvroObject[],
  {
    snapshotId,
    parentId,
    sequenceNumber,
  }: {
    readonly snapshotId: bigint;
    readonly parentId: bigint | undefined;
    readonly sequenceNumber: bigint;
  },
): Promise<Uint8Array> {
  const metadata = {
    "snapshot-id": String(snapshotId),
    "parent-snapshot-id": parentId === undefined ? "null" : String(parentId),
    "sequence-number": String(sequenceNumber),
    "format-version": "2",
  };
  return writeAvroContainer(MANIFEST_FILE, entries, { metadata });
}
