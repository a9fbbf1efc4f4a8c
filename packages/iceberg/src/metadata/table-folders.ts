/**
 * A table in the layout of Iceberg's Hadoop catalog:
 *
 * | file | content |
 * | --- | --- |
 * | `metadata/vN.metadata.json` | the table's metadata; the highest N is current, and each commit adds one |
 * | `metadata/version-hint.text` | N, or an older version |
 * | `metadata/snap-ID.avro` | manifest list of a snapshot |
 * | `metadata/ID-data.avro`, `metadata/ID-partitions.avro`, `metadata/ID-deletes.avro` | its manifests: unpartitioned and partitioned data files, deletes |
 * | `data/` | data and delete files |
 */
import { CFileError, withErrorContext } from "@cfile/bytes";
import { type ByteDirectory, type FileTree, readExactly, sizeOf } from "@cfile/io";
import { parseMetadata } from "./metadata-json.js";
import { type TableMetadata, tableMetadata } from "./table-metadata.js";

/** The folders of a table. */
export interface TableFolders {
  readonly data: ByteDirectory;
  /** The same folder for reading, including the folders in it, which other writers create per partition. Default: only {@link data}. */
  readonly dataTree?: FileTree | undefined;
  readonly metadata: ByteDirectory;
  /** The path or URL of a new table; an existing table has its own. */
  readonly location: string;
}

/** A table and the version of its metadata. */
export interface IcebergTable {
  readonly folders: TableFolders;
  readonly version: number;
  readonly metadata: TableMetadata;
}

const VERSION_HINT = "version-hint.text";
/** Maximum bytes of a metadata file; metadata of thousands of snapshots is far smaller. */
const MAX_METADATA = 256 << 20;

export function metadataFile(version: number): string {
  return `v${version}.metadata.json`;
}

/**
 * The table; `undefined` if it does not exist.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for a table of another catalog or version; `E_CORRUPT`
 */
export async function openIcebergTable(folders: TableFolders): Promise<IcebergTable | undefined> {
  const { metadata: folder } = folders;
  const names = await folder.list();
  const versions = names.flatMap((name) => /^v(\d{1,9})\.metadata\.json$/.exec(name)?.[1] ?? []).map(Number);
  if (versions.length === 0) {
    const other = names.find((name) => name.endsWith(".metadata.json"));
    if (other === undefined) {
      return undefined;
    }
    const reason = `table of another catalog (found ${other}, expected v1.metadata.json)`;
    throw new CFileError("E_UNSUPPORTED", reason, { path: folder.name });
  }
  const version = Math.max(...versions);
  const file = metadataFile(version);
  const text = new TextDecoder().decode(await readWhole(folder, file));
  const metadata = withErrorContext({ path: `${folder.name}/${file}` }, () =>
    tableMetadata(parseMetadata(text)),
  );
  return { folders: { ...folders, location: metadata.location }, version, metadata };
}

/** All bytes of a file. */
export async function readWhole(folder: ByteDirectory, file: string): Promise<Uint8Array> {
  const source = await folder.openSource(file);
  try {
    const size = await sizeOf(source);
    if (size > MAX_METADATA) {
      throw new CFileError("E_LIMIT", `metadata exceed ${MAX_METADATA} bytes`, { path: source.name });
    }
    return await readExactly(source, 0, size);
  } finally {
    await source.close?.();
  }
}

/** Writes a file; with `isNew`, the file must not exist. */
export async function writeWhole(
  folder: ByteDirectory,
  file: string,
  bytes: Uint8Array,
  isNew = false,
): Promise<void> {
  const sink = await folder.createSink(file, { isNew });
  try {
    await sink.write(bytes);
    await sink.close();
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

/** Writes the version hint. Readers that find an older hint look for later versions. */
export function writeHint(folder: ByteDirectory, version: number): Promise<void> {
  return writeWhole(folder, VERSION_HINT, new TextEncoder().encode(String(version)));
}
