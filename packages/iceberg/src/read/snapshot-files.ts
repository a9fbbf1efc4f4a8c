/**
 * The files of a snapshot, from its manifests: data files, each with the delete files that apply to it. A position delete applies to rows
 * written before or with it, an equality delete to rows written before it (https://iceberg.apache.org/spec/#scan-planning).
 */
import { type AvroObject, type AvroValue, readAvroContainer } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import { listedManifests } from "../manifest/write-manifest.js";
import { type IcebergTable, readWhole, type TableFolders } from "../metadata/table-folders.js";
import type { Snapshot } from "../metadata/table-metadata.js";

/** A file whose rows are deleted rows: their positions in a data file, or their keys. */
export interface DeleteFile {
  /** Name in the folder `data`. */
  readonly name: string;
  /** IDs of the columns by which rows are deleted; `undefined` for positions. */
  readonly equalityIds: readonly number[] | undefined;
}

/** A data file of a snapshot. */
export interface SnapshotFile {
  /** Name in the folder `data`. */
  readonly name: string;
  /** The path by which position deletes name it. */
  readonly path: string;
  /** With those that are deleted. */
  readonly rows: number;
  readonly deletes: readonly DeleteFile[];
}

interface Entry {
  readonly content: number;
  readonly path: string;
  readonly rows: number;
  readonly sequence: number;
  /** Of a partitioned table: text that files of one partition share. */
  readonly partition: string;
  readonly equalityIds: readonly number[] | undefined;
}

const REMOVED = 2;
const CONTENT = { data: 0, positionDeletes: 1, equalityDeletes: 2 } as const;

/**
 * Reads the manifests of a snapshot.
 *
 * @throws {CFileError} `E_CORRUPT`; `E_UNSUPPORTED` for files that are not Parquet or not in the table's folder
 */
export async function snapshotFiles({ folders }: IcebergTable, snapshot: Snapshot): Promise<SnapshotFile[]> {
  const { metadata } = folders;
  const list = await readWhole(metadata, nameIn(folders, "metadata", snapshot.manifestList));
  const entries: Entry[] = [];
  for (const manifest of await listedManifests(list)) {
    const name = nameIn(folders, "metadata", text(manifest, "manifest_path"));
    for (const value of await readAvroContainer(await readWhole(metadata, name))) {
      const entry = record(value, "manifest_entry");
      if (entry["status"] !== REMOVED) {
        entries.push(entryOf(entry, manifest));
      }
    }
  }
  const deletes = entries.filter(({ content }) => content !== CONTENT.data);
  return entries
    .filter(({ content }) => content === CONTENT.data)
    .map((data) => ({
      name: nameIn(folders, "data", data.path),
      path: data.path,
      rows: data.rows,
      deletes: deletes
        .filter((file) => applies(file, data))
        .map(({ path, equalityIds }) => ({ name: nameIn(folders, "data", path), equalityIds })),
    }));
}

function applies({ content, sequence, partition }: Entry, data: Entry): boolean {
  const isLater = content === CONTENT.positionDeletes ? sequence >= data.sequence : sequence > data.sequence;
  // Deletes of an unpartitioned spec apply to all partitions.
  return isLater && (partition === "" || partition === data.partition);
}

function entryOf(entry: AvroObject, manifest: AvroObject): Entry {
  const file = record(entry["data_file"], "data_file");
  const format = text(file, "file_format");
  const path = text(file, "file_path");
  if (format.toUpperCase() !== "PARQUET") {
    throw new CFileError("E_UNSUPPORTED", `unsupported file format: ${format} (expected PARQUET)`, { path });
  }
  const partition = Object.entries(record(file["partition"] ?? {}, "partition"));
  const content = Number(file["content"] ?? 0);
  const ids = file["equality_ids"];
  return {
    content,
    path,
    rows: Number(file["record_count"]),
    // A new file has the sequence number of its manifest.
    sequence: Number(entry["sequence_number"] ?? manifest["sequence_number"] ?? 0),
    partition:
      partition.length === 0
        ? ""
        : [manifest["partition_spec_id"], ...partition.flat()].map(String).join("\n"),
    equalityIds: content === CONTENT.equalityDeletes && Array.isArray(ids) ? ids.map(Number) : undefined,
  };
}

/** The name of a file in a folder of the table; the table may have been written as `file:/path` or `/path`. */
function nameIn({ location, metadata }: TableFolders, folder: string, path: string): string {
  const plain = (one: string): string => one.replace(/^file:\/*/, "/");
  const prefix = `${plain(location)}/${folder}/`;
  if (!plain(path).startsWith(prefix)) {
    throw new CFileError("E_UNSUPPORTED", `file outside the table: ${path} (expected ${prefix}…)`, {
      path: metadata.name,
    });
  }
  return plain(path).slice(prefix.length);
}

function record(value: AvroValue | undefined, field: string): AvroObject {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isRecord || value instanceof Uint8Array || value instanceof Map) {
    throw corrupt(`invalid manifest: ${field} is not a record`, { field });
  }
  return value;
}

function text(object: AvroObject, field: string): string {
  const value = object[field];
  if (typeof value !== "string") {
    throw corrupt(`invalid manifest: ${field} is not text`, { field });
  }
  return value;
}
