/**
 * Table metadata, format version 2 (https://iceberg.apache.org/spec/#table-metadata-fields): schemas, snapshots, properties. Other fields
 * are kept as their writer wrote them.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import type { IcebergSchema } from "../schema/iceberg-schema.js";
import type { PartitionSpec } from "../schema/partition.js";
import { integerJson, integerOf, type MetadataJson } from "./metadata-json.js";

type JsonObject = { readonly [key: string]: MetadataJson };

/** A snapshot, as listed in its table's metadata. */
export interface Snapshot {
  readonly id: bigint;
  readonly parentId?: bigint | undefined;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Location of its manifest list. */
  readonly manifestList: string;
  readonly summary: Readonly<Record<string, string>>;
  readonly schemaId?: number | undefined;
}

/** The metadata of a table, as far as new snapshots require it. */
export interface TableMetadata {
  readonly json: JsonObject;
  readonly location: string;
  readonly schema: IcebergSchema;
  readonly properties: Readonly<Record<string, string>>;
  readonly lastSequenceNumber: bigint;
  readonly snapshots: readonly Snapshot[];
  readonly current: Snapshot | undefined;
  /** ID of the unpartitioned spec, if any. */
  readonly plainSpecId: number | undefined;
  /** The default spec, if it has fields. */
  readonly partitionSpec: PartitionSpec | undefined;
  readonly sortOrderId: number;
}

/**
 * Parses table metadata. Only the fields that are used are checked.
 *
 * @throws {CFileError} `E_CORRUPT`; `E_UNSUPPORTED` for another format version
 */
export function tableMetadata(json: MetadataJson): TableMetadata {
  const root = objectOf(json, "metadata");
  const version = root["format-version"];
  if (version !== 2) {
    throw unsupported(`format version ${JSON.stringify(version)} (expected 2)`, "format-version");
  }
  const schemas = arrayOf(root, "schemas").map((one) => objectOf(one, "schemas"));
  const schema = schemas.find((one) => one["schema-id"] === root["current-schema-id"]);
  if (schema === undefined || !isSchema(schema)) {
    throw missing("current-schema-id");
  }
  const specs = arrayOf(root, "partition-specs").map((one) => objectOf(one, "partition-specs"));
  const plainSpecId = specs.find((one) => arrayOf(one, "fields").length === 0)?.["spec-id"];
  const { location } = root;
  const sequence = integerOf(root["last-sequence-number"]);
  if (typeof location !== "string" || sequence === undefined) {
    throw missing(typeof location === "string" ? "last-sequence-number" : "location");
  }
  const snapshots = arrayOf(root, "snapshots").map(snapshotOf);
  const currentId = optionalInteger(root, "current-snapshot-id");
  const current = snapshots.find(({ id }) => id === currentId);
  // Some writers give a table without snapshots the ID -1.
  if (current === undefined && currentId !== undefined && currentId !== -1n) {
    throw missing("current-snapshot-id");
  }
  const order = root["default-sort-order-id"];
  return {
    json: root,
    location,
    schema,
    properties: textsOf(root["properties"] ?? {}),
    lastSequenceNumber: sequence,
    snapshots,
    current,
    plainSpecId: typeof plainSpecId === "number" ? plainSpecId : undefined,
    partitionSpec: specOf(specs.find((one) => one["spec-id"] === root["default-spec-id"])),
    sortOrderId: typeof order === "number" ? order : 0,
  };
}

/** A snapshot to add. */
export interface NewSnapshot extends Snapshot {
  readonly operation: "append" | "overwrite" | "delete";
  /** Path of the metadata file that is replaced, if any. */
  readonly replacedFile: string | undefined;
}

/** The metadata with a new current snapshot. */
export function withSnapshot(table: TableMetadata, snapshot: NewSnapshot): TableMetadata {
  const { json, current } = table;
  const { id, manifestList, operation, replacedFile, summary } = snapshot;
  const last = Number(integerOf(json["last-updated-ms"]) ?? 0n);
  // Readers expect times to increase, even if the clock is set back.
  const time = Math.max(snapshot.time, last + 1);
  const snapshotId = integerJson(id);
  const added: JsonObject = {
    "snapshot-id": snapshotId,
    ...(current === undefined ? {} : { "parent-snapshot-id": integerJson(current.id) }),
    "sequence-number": integerJson(table.lastSequenceNumber + 1n),
    "timestamp-ms": time,
    "manifest-list": manifestList,
    summary: { operation, ...summary },
    "schema-id": table.schema["schema-id"],
  };
  const replaced: MetadataJson[] =
    replacedFile === undefined ? [] : [{ "timestamp-ms": last, "metadata-file": replacedFile }];
  return tableMetadata({
    ...json,
    "last-sequence-number": integerJson(table.lastSequenceNumber + 1n),
    "last-updated-ms": time,
    "current-snapshot-id": snapshotId,
    refs: { ...objectOf(json["refs"] ?? {}, "refs"), main: { "snapshot-id": snapshotId, type: "branch" } },
    snapshots: [...arrayOf(json, "snapshots"), added],
    "snapshot-log": [...arrayOf(json, "snapshot-log"), { "timestamp-ms": time, "snapshot-id": snapshotId }],
    "metadata-log": [...arrayOf(json, "metadata-log"), ...replaced],
  });
}

/** The current snapshot and its retained ancestors, newest first. */
export function* history({ current, snapshots }: TableMetadata): Generator<Snapshot, void, void> {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  for (let at = current; at !== undefined; at = byId.get(at.parentId ?? -1n)) {
    yield at;
    // A snapshot that is its own ancestor ends the walk.
    byId.delete(at.id);
  }
}

/** The snapshot that was current at a time in milliseconds since 1970; `undefined` before the first snapshot, and if it has expired. */
export function snapshotAt({ json, snapshots }: TableMetadata, time: number): Snapshot | undefined {
  const log = arrayOf(json, "snapshot-log").map((one) => objectOf(one, "snapshot-log"));
  const last = log.findLast(({ "timestamp-ms": at }) => typeof at === "number" && at <= time);
  const id = integerOf(last?.["snapshot-id"]);
  return snapshots.find((snapshot) => snapshot.id === id);
}

/**
 * The schema with which a snapshot was written; the table's current schema if the snapshot names none.
 *
 * @throws {CFileError} `E_CORRUPT` for a schema that the table does not have
 */
export function schemaOf({ json, schema }: TableMetadata, snapshot: Snapshot | undefined): IcebergSchema {
  const id = snapshot?.schemaId;
  if (id === undefined) {
    return schema;
  }
  const own = arrayOf(json, "schemas").find((one) => objectOf(one, "schemas")["schema-id"] === id);
  if (own === undefined || !isSchema(own)) {
    throw missing("schema-id");
  }
  return own;
}

/** IDs of the columns that a partition spec contains with the `identity` transform. @throws {CFileError} `E_CORRUPT` without such a spec */
export function identityColumns({ json }: TableMetadata, specId: bigint): number[] {
  const specs = arrayOf(json, "partition-specs").map((one) => objectOf(one, "partition-specs"));
  const spec = specs.find((one) => integerOf(one["spec-id"]) === specId);
  if (spec === undefined) {
    throw missing("partition-specs");
  }
  const fields = specOf(spec)?.fields ?? [];
  return fields.filter(({ transform }) => transform === "identity").map(({ sourceId }) => sourceId);
}

function snapshotOf(json: MetadataJson): Snapshot {
  const object = objectOf(json, "snapshots");
  const id = integerOf(object["snapshot-id"]);
  const manifestList = object["manifest-list"];
  if (id === undefined || typeof manifestList !== "string") {
    throw missing(id === undefined ? "snapshot-id" : "manifest-list");
  }
  const time = object["timestamp-ms"];
  if (typeof time !== "number") {
    throw missing("timestamp-ms");
  }
  const parentId = optionalInteger(object, "parent-snapshot-id");
  const schemaId = optionalInteger(object, "schema-id");
  return {
    id,
    parentId,
    time,
    manifestList,
    summary: textsOf(object["summary"] ?? {}),
    ...(schemaId !== undefined && { schemaId: Number(schemaId) }),
  };
}

/** @returns `undefined` without fields */
function specOf(json: JsonObject | undefined): PartitionSpec | undefined {
  const id = json?.["spec-id"];
  const fields = json === undefined ? [] : arrayOf(json, "fields");
  if (typeof id !== "number" || fields.length === 0) {
    return undefined;
  }
  return {
    id,
    fields: fields.map((field) => {
      const { "source-id": sourceId, transform, name } = objectOf(field, "partition-specs");
      if (typeof sourceId !== "number" || typeof transform !== "string" || typeof name !== "string") {
        throw missing("partition-specs");
      }
      return { sourceId, transform, name };
    }),
  };
}

function isSchema(json: unknown): json is IcebergSchema {
  return (
    typeof json === "object" &&
    json !== null &&
    isIdList("identifier-field-ids" in json ? json["identifier-field-ids"] : undefined) &&
    "fields" in json &&
    Array.isArray(json.fields) &&
    json.fields.every((field: unknown) => {
      const { id, name, required, type } = Object(field);
      const isType = typeof type === "string" || (typeof type === "object" && type !== null);
      return typeof id === "number" && typeof name === "string" && typeof required === "boolean" && isType;
    })
  );
}

function isIdList(ids: unknown): boolean {
  return ids === undefined || (Array.isArray(ids) && ids.every((id: unknown) => typeof id === "number"));
}

function textsOf(json: MetadataJson): Record<string, string> {
  const entries = Object.entries(objectOf(json, "properties"));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function objectOf(json: MetadataJson, field: string): JsonObject {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw missing(field);
  }
  return json as JsonObject;
}

/** An integer that may be absent or null. */
function optionalInteger(json: JsonObject, field: string): bigint | undefined {
  const value = json[field] ?? undefined;
  const integer = integerOf(value);
  if (integer === undefined && value !== undefined) {
    throw missing(field);
  }
  return integer;
}

function arrayOf(json: JsonObject, field: string): readonly MetadataJson[] {
  const list = json[field] ?? [];
  if (!Array.isArray(list)) {
    throw missing(field);
  }
  return list;
}

function missing(field: string): CFileError {
  return corrupt(`invalid table metadata: ${field} is missing or malformed`, { field });
}

function unsupported(reason: string, field: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `unsupported Iceberg table: ${reason}`, { field });
}
