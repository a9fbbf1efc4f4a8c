/**
 * Finds the folders of a server (docs/spec/kudu-data-dir.md#1-directory-layout) in the given folders: roots, a folder that holds
 * them, or the `data` folder of a root.
 *
 * | entry of a root | content |
 * | --- | --- |
 * | `instance` | identity of the server |
 * | `data/` | blocks |
 * | `tablet-meta/` | superblocks |
 * | `consensus-meta/` | Raft configurations |
 * | `wals/` | write-ahead logs |
 */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import { type FileTree, readExactly, sizeOf } from "@cfile/io";

import { onlyRecord } from "../blocks/container-file.js";
import { type FilePlace, placeName } from "../blocks/file-pool.js";
import { collect, withPath } from "../blocks/problems.js";
import { type DataDirInstance, type Instance, parseDataDirInstance, parseInstance } from "./instance.js";
import { parseSuperblock } from "./superblock.js";

/** A data directory. */
export interface DataFolder extends FilePlace {
  readonly instance: DataDirInstance | undefined;
  /** Type of the block manager, from the instance file or else from the files present. */
  readonly type: string;
}

/** The folders of a server by content. */
export interface ServerRoots {
  /** All folders found, for display. */
  readonly names: readonly string[];
  /** Roots without an `instance` file, although a server writes one into each root. */
  readonly unnamed: readonly string[];
  readonly instance: Instance | undefined;
  readonly dataFolders: readonly DataFolder[];
  readonly metadataFolders: readonly FilePlace[];
  readonly consensusFolders: readonly FilePlace[];
  readonly logFolders: readonly FilePlace[];
  readonly problems: readonly CFileError[];
  /** The error for a second directory with the same content, such as a copied disk. */
  readonly copy: CFileError | undefined;
}

interface FoundRoot extends FilePlace {
  readonly entries: ReadonlySet<string>;
}

/** Folders that belong to a root and hold no other roots. */
const OWN_FOLDERS = /* @__PURE__ */ new Set(["data", "wals", "tablet-meta", "consensus-meta"]);
const MOST_LEVELS = 4;
const MOST_ROOTS = 1024;
const MAX_INSTANCE = 16 * 1024 * 1024;
const CONTAINER = /^[0-9a-f]{32}\.metadata$/;

/** @throws {CFileError} `E_NOT_FOUND` if there are no folders of a Kudu server, `E_INVALID_ARGUMENT` if there are several servers */
export async function findServerRoots(trees: readonly FileTree[]): Promise<ServerRoots> {
  const [first, second] = await requiredServers(trees);
  if (second !== undefined) {
    const reason = `directories of several servers: ${first.names[0]} and ${second.names[0]}; pass those of one`;
    throw invalidArgument(reason, { field: "uuid" });
  }
  return first;
}

/** As {@link findServers}. @throws {CFileError} `E_NOT_FOUND` if there are no folders of a Kudu server */
export async function requiredServers(
  trees: readonly FileTree[],
): Promise<readonly [ServerRoots, ...ServerRoots[]]> {
  const [first, ...others] = await findServers(trees);
  if (first === undefined) {
    const path = trees.map(({ name }) => name).join(", ");
    throw new CFileError("E_NOT_FOUND", "no directories of a Kudu server found", { path });
  }
  return [first, ...others];
}

/** The folders of each server, in the order found. Roots without an identity belong to the server whose data directories name them. */
async function findServers(trees: readonly FileTree[]): Promise<readonly ServerRoots[]> {
  const roots: FoundRoot[] = [];
  for (const tree of trees) {
    await collectRoots(tree, "", 0, roots);
  }
  const found = await Promise.all(roots.map(identify));
  const groups = new Map<string, IdentifiedRoot[]>();
  for (const root of found) {
    const uuid = root.instance?.uuid ?? ownerOf(root, found);
    groups.set(uuid, [...(groups.get(uuid) ?? []), root]);
  }
  const unknown = groups.get("");
  const [[only, identified] = [], ...others] = [...groups].filter(([uuid]) => uuid !== "");
  if (unknown !== undefined && only !== undefined && identified !== undefined && others.length === 0) {
    groups.delete("");
    groups.set(only, [...identified, ...unknown]);
  }
  return [...groups.values()].map(serverOf);
}

interface IdentifiedRoot {
  readonly root: FoundRoot;
  readonly instance: Instance | undefined;
  readonly data: DataFolder | undefined;
  /** Without an instance file: UUIDs of the data directories of a tablet. */
  readonly tabletDirs: readonly string[];
  readonly problems: readonly CFileError[];
}

async function identify(root: FoundRoot): Promise<IdentifiedRoot> {
  const problems: CFileError[] = [];
  const instance = await collect(problems, () => readInstance(root));
  const data = await collect(problems, () => dataFolderOf(root, problems));
  const tabletDirs = instance === undefined ? await tabletDirsOf(root) : [];
  return { root, instance, data, tabletDirs, problems };
}

/** The data directories of the first tablet whose superblock can be read. */
async function tabletDirsOf({ tree, path, entries }: FoundRoot): Promise<readonly string[]> {
  const folder = joined(path, "tablet-meta");
  const files = entries.has("tablet-meta") ? await tree.list(folder) : [];
  for (const { name, kind } of files) {
    const place = { tree, path: joined(folder, name) };
    const superblock = kind === "file" ? await collect([], () => parseAt(place, parseSuperblock)) : undefined;
    if (superblock !== undefined && superblock.dataDirs.length > 0) {
      return superblock.dataDirs;
    }
  }
  return [];
}

/**
 * The server of a root without an instance file: the one whose data directories list its own, or those of its tablets. Empty if unknown.
 * Several servers without instance files differ in their data directories.
 */
function ownerOf({ data, tabletDirs }: IdentifiedRoot, all: readonly IdentifiedRoot[]): string {
  const uuids = data?.instance === undefined ? tabletDirs : [data.instance.uuid];
  const [first] = uuids;
  const owners = all.filter((other) => uuids.some((uuid) => other.data?.instance?.allUuids.includes(uuid)));
  const named = owners.find(({ instance }) => instance !== undefined)?.instance?.uuid;
  if (named !== undefined || first !== undefined) {
    return named ?? `data directory ${owners[0]?.data?.instance?.allUuids[0] ?? first}`;
  }
  return "";
}

function serverOf(found: readonly IdentifiedRoot[]): ServerRoots {
  const problems = found.flatMap((one) => one.problems);
  const copies: CFileError[] = [];
  const uuid =
    found.find(({ instance }) => instance !== undefined)?.instance?.uuid ?? "without an instance file";
  const dataFolders: DataFolder[] = [];
  for (const folder of found.flatMap(({ data }) => data ?? [])) {
    const actual = folder.instance?.uuid;
    const twin = dataFolders.find(({ instance }) => instance && instance.uuid === actual);
    if (twin === undefined) {
      dataFolders.push(folder);
    } else if (placeName(twin) !== placeName(folder)) {
      const reason = `same data directory as ${placeName(twin)}, which is read instead`;
      problems.push(corrupt(reason, { path: placeName(folder), field: "uuid", actual }));
      copies.push(copyError(uuid, "data", twin, folder));
    }
  }
  const roots = found.map(({ root }) => root);
  const below = (name: string): FilePlace[] =>
    roots
      .filter(({ entries }) => entries.has(name))
      .map((root) => ({ tree: root.tree, path: joined(root.path, name) }));
  const [metadata, copy] = below("tablet-meta");
  if (metadata !== undefined && copy !== undefined) {
    const reason = `second metadata directory of one server; ${placeName(metadata)} is read instead (is this a copied disk?)`;
    problems.push(corrupt(reason, { path: placeName(copy), field: "uuid" }));
    copies.push(copyError(uuid, "metadata", metadata, copy));
  }
  return {
    names: roots.map(placeName),
    unnamed: roots.filter(isUnnamed).map(placeName),
    instance: found.find(({ instance }) => instance !== undefined)?.instance,
    dataFolders,
    metadataFolders: below("tablet-meta"),
    consensusFolders: below("consensus-meta"),
    logFolders: below("wals"),
    problems,
    copy: copies[0],
  };
}

/** Whether a root lacks its `instance` file. The `data` folder of a root, which can be given by itself, never has one. */
function isUnnamed({ entries }: FoundRoot): boolean {
  return !entries.has("instance") && [...OWN_FOLDERS].some((name) => entries.has(name));
}

function copyError(uuid: string, kind: string, first: FilePlace, second: FilePlace): CFileError {
  const reason = `two ${kind} directories of server ${uuid}: ${placeName(first)} and ${placeName(second)}; pass only one of them (is one a copied disk?)`;
  return invalidArgument(reason, { path: placeName(second), field: "uuid" });
}

async function collectRoots(tree: FileTree, path: string, level: number, found: FoundRoot[]): Promise<void> {
  const entries = await tree.list(path);
  const names = new Set(entries.map(({ name }) => name));
  const isRoot =
    ["instance", "tablet-meta", "wals", "block_manager_instance"].some((name) => names.has(name)) ||
    entries.some(({ name }) => CONTAINER.test(name));
  if (isRoot) {
    if (found.length === MOST_ROOTS) {
      throw new CFileError("E_LIMIT", `more than ${MOST_ROOTS} roots`, { path: tree.name });
    }
    const root = { tree, path, entries: names };
    // A folder can be given both by itself and inside another one.
    if (!found.some((known) => placeName(known) === placeName(root))) {
      found.push(root);
    }
  }
  // Roots can be nested, such as data directories in the root of the log.
  if (level < MOST_LEVELS && !(isRoot && !names.has("instance"))) {
    for (const { name, kind } of entries) {
      if (kind === "folder" && !name.startsWith(".") && !(isRoot && OWN_FOLDERS.has(name))) {
        await collectRoots(tree, joined(path, name), level + 1, found);
      }
    }
  }
}

async function readInstance(root: FoundRoot): Promise<Instance | undefined> {
  return root.entries.has("instance")
    ? parseAt({ tree: root.tree, path: joined(root.path, "instance") }, parseInstance)
    : undefined;
}

async function dataFolderOf(root: FoundRoot, problems: CFileError[]): Promise<DataFolder | undefined> {
  const isDataFolder =
    root.entries.has("block_manager_instance") || [...root.entries].some((name) => CONTAINER.test(name));
  if (!isDataFolder && !root.entries.has("data")) {
    return undefined;
  }
  const path = isDataFolder ? root.path : joined(root.path, "data");
  const entries = await root.tree.list(path);
  const instance = await collect(problems, () =>
    parseAt({ tree: root.tree, path: joined(path, "block_manager_instance") }, parseDataDirInstance),
  );
  const guessed = entries.some(({ name }) => CONTAINER.test(name)) ? "log" : "file";
  return { tree: root.tree, path, instance, type: instance?.type ?? guessed };
}

async function parseAt<T>(place: FilePlace, parse: (bytes: Uint8Array) => T): Promise<T> {
  const path = placeName(place);
  const source = await place.tree.openSource(place.path);
  try {
    return await withPath(path, async () => {
      const size = await sizeOf(source);
      if (size > MAX_INSTANCE) {
        const reason = `instance file of ${size} bytes (maximum ${MAX_INSTANCE})`;
        throw new CFileError("E_LIMIT", reason, { field: "file size" });
      }
      return parse(onlyRecord(await readExactly(source, 0, size), path).record);
    });
  } finally {
    await source.close?.();
  }
}

/** Joins the path of a folder and a name. */
export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
