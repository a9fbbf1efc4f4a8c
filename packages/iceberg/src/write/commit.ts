/** Adds a snapshot to a table. Until the new metadata file exists under its name, readers see the table as it was. */
import { CFileError, toHex } from "@cfile/bytes";
import {
  listedManifests,
  manifestBytes,
  manifestEntry,
  manifestListBytes,
  type NewManifest,
} from "../manifest/write-manifest.js";
import { metadataText } from "../metadata/metadata-json.js";
import { type NewTable, newTableMetadata } from "../metadata/new-table.js";
import {
  type IcebergTable,
  metadataFile,
  readWhole,
  type TableFolders,
  writeHint,
  writeWhole,
} from "../metadata/table-folders.js";
import { type Snapshot, type TableMetadata, withSnapshot } from "../metadata/table-metadata.js";
import type { PartitionSpec } from "../schema/partition.js";
import type { IcebergFile } from "./iceberg-file.js";

/** The content of a new snapshot. Files without rows are left out. */
export interface SnapshotContent {
  readonly dataFiles: readonly IcebergFile[];
  /** They apply to the rows of earlier snapshots. */
  readonly deleteFiles?: readonly IcebergFile[] | undefined;
  /** Additional entries of the summary. */
  readonly summary?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a table with its first snapshot. The files of the snapshot are in the folder `data`.
 *
 * @throws {CFileError} `E_IO` if the table exists
 */
export function createIcebergTable(
  folders: TableFolders,
  table: Omit<NewTable, "location">,
  content: SnapshotContent,
): Promise<IcebergTable> {
  const metadata = newTableMetadata({ ...table, location: folders.location });
  return commit({ folders, version: 0, metadata }, content);
}

/**
 * Adds a snapshot.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` if another writer has added one since the table was opened
 */
export async function commitSnapshot(table: IcebergTable, content: SnapshotContent): Promise<IcebergTable> {
  const names = await table.folders.metadata.list();
  if (names.includes(metadataFile(table.version + 1))) {
    throw new CFileError("E_SOURCE_CHANGED", "another writer has changed the table", {
      path: table.folders.metadata.name,
    });
  }
  return commit(table, content);
}

async function commit(table: IcebergTable, content: SnapshotContent): Promise<IcebergTable> {
  const { folders, metadata, version } = table;
  const { metadata: folder } = folders;
  const dataFiles = content.dataFiles.filter(({ rows }) => rows > 0);
  const deleteFiles = (content.deleteFiles ?? []).filter(({ rows }) => rows > 0);
  const id = newSnapshotId();
  const sequenceNumber = metadata.lastSequenceNumber + 1n;
  const entries = metadata.current === undefined ? [] : await currentManifests(folders, metadata.current);
  const manifests = [
    { kind: "data", content: "data", files: dataFiles.filter(({ partition }) => partition === undefined) },
    { kind: "partitions", content: "data", files: dataFiles.filter(({ partition }) => partition) },
    // Without a partition, deletes apply to all files, even if another writer has changed the spec.
    { kind: "deletes", content: "deletes", files: deleteFiles },
  ] as const;
  const newFiles: (readonly [name: string, bytes: Uint8Array])[] = [];
  for (const { kind, content: ofManifest, files } of manifests) {
    if (files.length > 0) {
      const name = `${id}-${kind}.avro`;
      const path = `${folders.location}/metadata/${name}`;
      const spec = specFor(metadata, kind === "partitions");
      const manifest: NewManifest = {
        ...{ path, content: ofManifest, files, snapshotId: id, sequenceNumber, spec },
      };
      const bytes = await manifestBytes(
        manifest,
        metadata.schema,
        (file) => `${folders.location}/data/${file.name}`,
      );
      newFiles.push([name, bytes]);
      entries.push(manifestEntry(manifest, bytes.length, metadata.schema));
    }
  }
  const list = `snap-${id}.avro`;
  const numbers = { snapshotId: id, parentId: metadata.current?.id, sequenceNumber };
  newFiles.push([list, await manifestListBytes(entries, numbers)]);
  const next = withSnapshot(metadata, {
    id,
    manifestList: `${folders.location}/metadata/${list}`,
    operation: deleteFiles.length === 0 ? "append" : dataFiles.length === 0 ? "delete" : "overwrite",
    summary: { ...summaryOf(dataFiles, deleteFiles, metadata), ...content.summary },
    replacedFile: version === 0 ? undefined : `${folders.location}/metadata/${metadataFile(version)}`,
    time: Date.now(),
  });
  // All are on the disk before the metadata names them.
  await Promise.all([
    folders.data.sync(),
    ...newFiles.map(([name, bytes]) => writeWhole(folder, name, bytes)),
  ]);
  await folder.sync();
  const text = new TextEncoder().encode(metadataText(next.json));
  await writeWhole(folder, metadataFile(version + 1), text, true);
  await folder.sync();
  await writeHint(folder, version + 1);
  return { folders, version: version + 1, metadata: next };
}

/** @throws {CFileError} `E_UNSUPPORTED` for a table without such a spec */
function specFor({ plainSpecId, partitionSpec }: TableMetadata, isPartitioned: boolean): PartitionSpec {
  const plain = plainSpecId === undefined ? undefined : { id: plainSpecId, fields: [] };
  const spec = isPartitioned ? partitionSpec : plain;
  if (spec === undefined) {
    const reason = `the table has no ${isPartitioned ? "partition" : "unpartitioned"} spec`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "partition-specs" });
  }
  return spec;
}

async function currentManifests({ metadata, location }: TableFolders, { manifestList }: Snapshot) {
  const name = manifestList.slice(manifestList.lastIndexOf("/") + 1);
  if (manifestList.slice(0, -name.length) !== `${location}/metadata/`) {
    throw new CFileError("E_UNSUPPORTED", `the manifest list is elsewhere: ${manifestList}`, {
      path: metadata.name,
    });
  }
  return listedManifests(await readWhole(metadata, name));
}

/** An ID of 49 bits, which every JSON parser keeps exactly. */
function newSnapshotId(): bigint {
  return BigInt(`0x1${toHex(crypto.getRandomValues(new Uint8Array(6)))}`);
}

/** The additions of the snapshot, and the new totals if those of the previous snapshot are known. */
function summaryOf(
  dataFiles: readonly IcebergFile[],
  deleteFiles: readonly IcebergFile[],
  { current }: TableMetadata,
): Record<string, string> {
  const total = (files: readonly IcebergFile[], of: "rows" | "bytes"): number =>
    files.reduce((sum, file) => sum + file[of], 0);
  const added: Readonly<Record<string, number>> = {
    "data-files": dataFiles.length,
    records: total(dataFiles, "rows"),
    "files-size": total(dataFiles, "bytes") + total(deleteFiles, "bytes"),
    "delete-files": deleteFiles.length,
    "equality-delete-files": deleteFiles.length,
    "equality-deletes": total(deleteFiles, "rows"),
    "position-deletes": 0,
  };
  return Object.fromEntries(
    Object.entries(added).flatMap(([name, count]) => {
      const before = current === undefined ? 0 : Number(current.summary[`total-${name}`] ?? Number.NaN);
      const entries = count > 0 ? [[`added-${name}`, String(count)]] : [];
      // Other writers state no total of equality delete files.
      return name === "equality-delete-files" || Number.isNaN(before)
        ? entries
        : [...entries, [`total-${name}`, String(before + count)]];
    }),
  );
}
