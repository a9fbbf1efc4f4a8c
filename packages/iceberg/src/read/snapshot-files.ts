/**
 * The files of a snapshot, from its manifests: data files, each with the delete files that apply to it. A position delete applies to rows
 * written before or with it, an equality delete to rows written before it (https://iceberg.apache.org/spec/#scan-planning).
 */
import { type AvroObject, type AvroValue, readAvroContainer } from "@cfile/avro";
import { CFileError, corrupt, withErrorContext } from "@cfile/bytes";
import { isFileName } from "@cfile/io";
import { listedManifests } from "../manifest/write-manifest.js";
import { type IcebergTable, readWhole, type TableFolders } from "../metadata/table-folders.js";
import type { Snapshot } from "../metadata/table-metadata.js";

/** A file of deleted rows: their positions in a data file, or their keys. */
interface DeleteFile {
  /** Name in the folder `data`. */
  readonly name: string;
  /** IDs of the columns by which rows are deleted; `undefined` for positions. */
  readonly equalityIds: readonly number[] | undefined;
}

/** A data file of a snapshot. */
export interface SnapshotFile {
  /** Name in the folder `data`. */
  readonly name: string;
  /** The path that position deletes state. */
  readonly path: string;
  /** ID of its partition spec. */
  readonly specId: bigint;
  readonly deletes: readonly DeleteFile[];
}

interface Entry {
  readonly content: bigint;
  readonly path: string;
  readonly sequence: bigint;
  readonly specId: bigint;
  /** For partitioned tables: the same text for all files of a partition. */
  readonly partition: string;
  readonly equalityIds: readonly number[] | undefined;
}

const STATUS = { existing: 0n, added: 1n, removed: 2n } as const;
const CONTENT = { data: 0n, positionDeletes: 1n, equalityDeletes: 2n } as const;

/**
 * Reads the manifests of a snapshot.
 *
 * @throws {CFileError} `E_CORRUPT`; `E_UNSUPPORTED` for files that are not Parquet or not in the table's folder
 */
export async function snapshotFiles({ folders }: IcebergTable, snapshot: Snapshot): Promise<SnapshotFile[]> {
  const { metadata } = folders;
  const listName = nameIn(folders, "metadata", snapshot.manifestList);
  const list = await readWhole(metadata, listName);
  const entries: Entry[] = [];
  for (const manifest of await inFile(listName, listedManifests(list))) {
    const name = nameIn(folders, "metadata", text(manifest, "manifest_path"));
    const bytes = await readWhole(metadata, name);
    entries.push(...(await inFile(name, entriesIn(bytes, manifest))));
  }
  const deletes = entries.filter(({ content }) => content !== CONTENT.data);
  return entries
    .filter(({ content }) => content === CONTENT.data)
    .map((data) => ({
      name: nameIn(folders, "data", data.path),
      path: data.path,
      specId: data.specId,
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

/** Adds the name of the file to errors. */
function inFile<T>(path: string, result: Promise<T>): Promise<T> {
  return result.catch((error: unknown) =>
    withErrorContext({ path }, () => {
      throw error;
    }),
  );
}

async function entriesIn(bytes: Uint8Array, manifest: AvroObject): Promise<Entry[]> {
  return (await readAvroContainer(bytes)).flatMap((value) => entriesOf(value, manifest));
}

/** @returns an empty list for a removed file */
function entriesOf(value: AvroValue, manifest: AvroObject): Entry[] {
  const entry = record(value, "manifest_entry");
  const status = numberIn(entry, "status", Object.values(STATUS));
  if (status === STATUS.removed) {
    return [];
  }
  const file = record(entry["data_file"], "data_file");
  const format = text(file, "file_format");
  const path = text(file, "file_path");
  if (format.toUpperCase() !== "PARQUET") {
    throw new CFileError("E_UNSUPPORTED", `unsupported file format: ${format} (expected PARQUET)`, { path });
  }
  const partition = Object.entries(record(file["partition"], "partition"));
  const specId = numberIn(manifest, "partition_spec_id");
  // Manifests of format version 1 have neither field.
  const content = numberIn({ content: 0, ...file }, "content", Object.values(CONTENT));
  const ofManifest = numberIn({ sequence_number: 0, ...manifest }, "sequence_number");
  const isInherited =
    (entry["sequence_number"] ?? null) === null && (status === STATUS.added || ofManifest === 0n);
  return [
    {
      content,
      path,
      sequence: isInherited ? ofManifest : numberIn(entry, "sequence_number"),
      specId,
      partition: partition.length === 0 ? "" : [specId, ...partition.flat()].map(valueText).join("\n"),
      equalityIds: content === CONTENT.equalityDeletes ? equalityIds(file) : undefined,
    },
  ];
}

/** A text that differs between strings and other values. */
function valueText(value: AvroValue): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function equalityIds(file: AvroObject): number[] {
  const ids = file["equality_ids"];
  if (!Array.isArray(ids) || ids.length === 0) {
    throw corrupt("invalid manifest: equality deletes without columns", { field: "equality_ids" });
  }
  return ids.map(Number);
}

/** @param known valid values; default: all */
function numberIn(object: AvroObject, field: string, known?: readonly bigint[]): bigint {
  const value = object[field];
  const isInteger = Number.isInteger(value) || typeof value === "bigint";
  const number = isInteger ? BigInt(value as number | bigint) : undefined;
  if (number === undefined || known?.includes(number) === false) {
    throw corrupt(`invalid manifest: ${field} is ${String(value)}`, { field });
  }
  return number;
}

/** The name of a file in a folder of the table; the table may have been written as `file:/path` or `/path`. */
function nameIn(
  { location, metadata, dataTree }: TableFolders,
  folder: "data" | "metadata",
  path: string,
): string {
  const plain = (one: string): string => one.replace(/^file:\/*/, "/");
  const prefix = `${plain(location)}/${folder}/`;
  const name = plain(path).slice(prefix.length);
  const isFlat = folder === "metadata" || dataTree === undefined;
  const isName = isFlat ? isFileName(name) : !name.split("/").some((one) => /^\.{0,2}$|[\\\0]/.test(one));
  if (!plain(path).startsWith(prefix) || !isName) {
    throw new CFileError("E_UNSUPPORTED", `file outside the table: ${path} (expected ${prefix}…)`, {
      path: metadata.name,
    });
  }
  return name;
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
