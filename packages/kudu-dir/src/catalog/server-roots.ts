/**
 * The folders of a server (docs/spec/kudu-data-dir.md#1-directory-layout), found in what somebody gave: roots themselves, a
 * folder that holds them, or the `data` folder of one.
 *
 * | in a root | is |
 * | --- | --- |
 * | `instance` | whose it is |
 * | `data/` | blocks |
 * | `tablet-meta/` | superblocks |
 * | `wals/` | write-ahead logs |
 */
import { CFileError, corrupt, invalidArgument, isCFileError } from "@cfile/bytes";
import { type FileTree, readExactly, sizeOf } from "@cfile/io";

import { onlyRecord } from "../blocks/container-file.js";
import { type FilePlace, placeName } from "../blocks/file-pool.js";
import { type DataDirInstance, type Instance, parseDataDirInstance, parseInstance } from "./instance.js";

/** A data directory. */
export interface DataFolder extends FilePlace {
  readonly instance: DataDirInstance | undefined;
  /** Kind of block manager, from the instance file or from what is there. */
  readonly type: string;
}

/** The folders of a server by what is in them. */
export interface ServerRoots {
  /** All folders that were found, for people. */
  readonly names: readonly string[];
  readonly instance: Instance | undefined;
  readonly dataFolders: readonly DataFolder[];
  readonly metadataFolders: readonly FilePlace[];
  readonly logFolders: readonly FilePlace[];
  readonly problems: readonly CFileError[];
}

interface FoundRoot extends FilePlace {
  readonly entries: ReadonlySet<string>;
}

/** Of a root itself, with no others in them. */
const OWN_FOLDERS = /* @__PURE__ */ new Set(["data", "wals", "tablet-meta", "consensus-meta"]);
const MOST_LEVELS = 4;
const MOST_ROOTS = 1024;
const MAX_INSTANCE = 16 * 1024 * 1024;
const CONTAINER = /^[0-9a-f]{32}\.metadata$/;

/**
 * @throws CFileError `E_NOT_FOUND` when there is nothing of a server, `E_INVALID_ARGUMENT` when there are several servers
 */
export async function findServerRoots(trees: readonly FileTree[]): Promise<ServerRoots> {
  const roots: FoundRoot[] = [];
  for (const tree of trees) {
    await collectRoots(tree, "", 0, roots);
  }
  removeTwins(roots);
  if (roots.length === 0) {
    const path = trees.map(({ name }) => name).join(", ");
    throw new CFileError("E_NOT_FOUND", "no directories of a Kudu server are here", { path });
  }
  const problems: CFileError[] = [];
  const dataFolders: DataFolder[] = [];
  const instances: { readonly instance: Instance; readonly name: string }[] = [];
  for (const root of roots) {
    const instance = await attempt(problems, () => readInstance(root));
    if (instance !== undefined) {
      instances.push({ instance, name: placeName(root) });
    }
    const folder = await attempt(problems, () => dataFolderOf(root, problems));
    const twin = dataFolders.find(({ instance }) => instance && instance.uuid === folder?.instance?.uuid);
    if (folder !== undefined && twin === undefined) {
      dataFolders.push(folder);
    } else if (folder !== undefined && twin !== undefined && placeName(twin) !== placeName(folder)) {
      problems.push(
        corrupt(`the same data directory as ${placeName(twin)}, which is read instead`, {
          path: placeName(folder),
          field: "uuid",
          actual: folder.instance?.uuid,
        }),
      );
    }
  }
  const [first, ...others] = instances;
  const stranger = others.find(({ instance }) => instance.uuid !== first?.instance.uuid);
  if (stranger !== undefined) {
    throw invalidArgument(
      `directories of several servers: ${first?.name} and ${stranger.name}; give those of one`,
      { field: "uuid" },
    );
  }
  const below = (name: string): FilePlace[] =>
    roots
      .filter(({ entries }) => entries.has(name))
      .map((root) => ({ tree: root.tree, path: joined(root.path, name) }));
  return {
    names: roots.map(placeName),
    instance: first?.instance,
    dataFolders,
    metadataFolders: below("tablet-meta"),
    logFolders: below("wals"),
    problems,
  };
}

/** What was given and is also in another folder that was given. */
function removeTwins(roots: FoundRoot[]): void {
  const names = new Set<string>();
  const kept = roots.filter((root) => !names.has(placeName(root)) && names.add(placeName(root)));
  roots.splice(0, roots.length, ...kept);
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
    found.push({ tree, path, entries: names });
  }
  // Roots may lie in each other, as data directories in the root of the log.
  if (level < MOST_LEVELS && !(isRoot && !names.has("instance"))) {
    for (const { name, kind } of entries) {
      if (kind === "folder" && !name.startsWith(".") && !(isRoot && OWN_FOLDERS.has(name))) {
        await collectRoots(tree, joined(path, name), level + 1, found);
      }
    }
  }
}

async function readInstance(root: FoundRoot): Promise<Instance | undefined> {
  if (!root.entries.has("instance")) {
    return undefined;
  }
  const place = { tree: root.tree, path: joined(root.path, "instance") };
  return parseAt(place, parseInstance);
}

async function dataFolderOf(root: FoundRoot, problems: CFileError[]): Promise<DataFolder | undefined> {
  const isDataFolder =
    root.entries.has("block_manager_instance") || [...root.entries].some((name) => CONTAINER.test(name));
  if (!isDataFolder && !root.entries.has("data")) {
    return undefined;
  }
  const path = isDataFolder ? root.path : joined(root.path, "data");
  const entries = await root.tree.list(path);
  const instance = await attempt(problems, async () =>
    parseAt({ tree: root.tree, path: joined(path, "block_manager_instance") }, parseDataDirInstance),
  );
  const guessed = entries.some(({ name }) => CONTAINER.test(name)) ? "log" : "file";
  return { tree: root.tree, path, instance, type: instance?.type ?? guessed };
}

async function parseAt<T>(place: FilePlace, parse: (bytes: Uint8Array) => T): Promise<T> {
  const path = placeName(place);
  const source = await place.tree.openSource(place.path);
  try {
    const size = await sizeOf(source);
    if (size > MAX_INSTANCE) {
      throw new CFileError("E_LIMIT", `an instance file of ${size} bytes`, { path, field: "file size" });
    }
    return parse(onlyRecord(await readExactly(source, 0, size), path));
  } catch (error) {
    throw isCFileError(error) ? error.within({ path }) : error;
  } finally {
    await source.close?.();
  }
}

async function attempt<T>(problems: CFileError[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    problems.push(error);
    return undefined;
  }
}

/** A path of a folder's path and a name. */
export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
