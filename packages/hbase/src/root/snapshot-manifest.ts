/**
 * The two files of a snapshot, protobuf messages without `PBUF` (docs/spec/hbase-table.md#5-snapshots): `.snapshotinfo` describes it,
 * `data.manifest` has the table's descriptor and lists the store files of every region.
 */
import { CFileError, corrupt, invalidArgument, isCFileError } from "@cfile/bytes";
import type { FileTree, ReadOptions } from "@cfile/io";
import { MessageReader } from "@cfile/protobuf/read";
import { type FileReference, fileReferenceOf } from "../files/reference.js";
import {
  decodeSnapshotDescription,
  decodeSnapshotManifest,
  type RegionManifest,
} from "../generated/decode.js";
import { describeTable, type TableDescriptor } from "./descriptor.js";
import { type RegionInfo, regionInfoOf } from "./region-info.js";
import { isNamePart, storedTableName, type TableName } from "./table-name.js";
import { foldersIn, parseFile } from "./tree-files.js";

const SNAPSHOTS = ".hbase-snapshot";
const TYPES = ["DISABLED", "FLUSH", "SKIPFLUSH"] as const;
const VERSION = 2;

/** What `.snapshotinfo` says about a snapshot. */
export interface SnapshotInfo {
  readonly name: string;
  readonly table: TableName;
  /** Milliseconds since 1970. */
  readonly creationTime: number;
  /** How it was taken: of a disabled table, after a flush, or of flushed files only. */
  readonly type: (typeof TYPES)[number] | undefined;
  readonly version: number;
  readonly owner: string | undefined;
  /** Seconds after which HBase deletes it; 0 for never. */
  readonly ttlSeconds: number;
}

/** A store file that a snapshot names. */
interface ManifestFile {
  readonly name: string;
  readonly size: number | undefined;
  /** For a file that stands for half of another. */
  readonly reference: FileReference | undefined;
}

/** A region of a snapshot, with its files by family. */
export interface ManifestRegion {
  readonly info: RegionInfo;
  readonly families: ReadonlyMap<string, readonly ManifestFile[]>;
}

/** What `data.manifest` says. */
export interface SnapshotManifest {
  readonly descriptor: TableDescriptor;
  /** All regions, including those that were split and the region of MOB files. */
  readonly regions: readonly ManifestRegion[];
}

/** Names of the snapshots of a root, in order. */
export async function snapshotNames(tree: FileTree): Promise<readonly string[]> {
  return (await foldersIn(tree, SNAPSHOTS)).filter((name) => !name.startsWith("."));
}

/** @throws {CFileError} `E_NOT_FOUND`, `E_CORRUPT`, `E_UNSUPPORTED`; `E_INVALID_ARGUMENT` for an invalid name */
export async function readSnapshotInfo(
  tree: FileTree,
  name: string,
  options: ReadOptions,
): Promise<SnapshotInfo> {
  if (!isNamePart(name)) {
    throw invalidArgument(`invalid snapshot name: ${JSON.stringify(name)}`, { field: "snapshot" });
  }
  const path = `${SNAPSHOTS}/${name}/.snapshotinfo`;
  return parseFile(tree, path, parseSnapshotInfo, options);
}

function parseSnapshotInfo(bytes: Uint8Array): SnapshotInfo {
  const message = decodeSnapshotDescription(new MessageReader(bytes, "snapshot description"));
  const { name = "", version = 0, creationTime = 0, type, owner, ttlSeconds = 0 } = message;
  return {
    name,
    table: storedTableName(message.table ?? "", "table of the snapshot"),
    creationTime,
    type: type === undefined ? "FLUSH" : TYPES[type],
    version,
    owner,
    ttlSeconds,
  };
}

/** @throws {CFileError} `E_UNSUPPORTED` for a snapshot without a manifest, `E_CORRUPT`, `E_TRUNCATED` */
export async function readManifest(
  tree: FileTree,
  { name, version }: Pick<SnapshotInfo, "name" | "version">,
  options: ReadOptions,
): Promise<SnapshotManifest> {
  const path = `${SNAPSHOTS}/${name}/data.manifest`;
  if (version !== VERSION) {
    const details = { path: `${tree.name}/${path}`, field: "version", expected: VERSION, actual: version };
    throw new CFileError("E_UNSUPPORTED", `unsupported snapshot version ${version} (supported: 2)`, details);
  }
  try {
    return await parseFile(tree, path, parseManifest, options);
  } catch (cause) {
    if (!isCFileError(cause, "E_NOT_FOUND")) {
      throw cause;
    }
    const reason = "the snapshot has no data.manifest: it was not completed";
    throw new CFileError("E_UNSUPPORTED", reason, { path: `${tree.name}/${path}`, cause });
  }
}

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` */
export function parseManifest(bytes: Uint8Array): SnapshotManifest {
  const { tableSchema, regions } = decodeSnapshotManifest(new MessageReader(bytes, "snapshot manifest"));
  if (tableSchema === undefined) {
    throw corrupt("the snapshot's manifest has no table descriptor", { field: "table schema" });
  }
  const descriptor = describeTable(tableSchema);
  const known = new Set(descriptor.families.map(({ name }) => name));
  return { descriptor, regions: regions.map((region) => manifestRegion(region, known)) };
}

/** @param known names of the table's families: files of another family, or of one that is listed twice, would be missing */
function manifestRegion({ region, families }: RegionManifest, known: ReadonlySet<string>): ManifestRegion {
  const text = new TextDecoder();
  const found = new Map<string, ManifestFile[]>();
  for (const { family, files } of families) {
    const name = text.decode(family);
    if (!known.has(name) || found.has(name)) {
      const reason = `the snapshot's manifest has an unknown family, or one twice: ${JSON.stringify(name)}`;
      throw corrupt(reason, { field: "family", actual: name });
    }
    found.set(
      name,
      files.map(({ name: file = "", size, reference }) => ({
        name: file,
        size,
        reference: reference === undefined ? undefined : fileReferenceOf(reference),
      })),
    );
  }
  return { info: regionInfoOf(region), families: found };
}
