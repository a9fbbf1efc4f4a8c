/** Small files and listings of a root directory. */
import { CFileError, isCFileError, withErrorContext } from "@cfile/bytes";
import {
  type ByteSource,
  type FileTree,
  type ReadOptions,
  readExactly,
  sizeOf,
  type TreeEntry,
} from "@cfile/io";

/** Maximum size of a file that is read as a whole: a manifest of about half a million store files. */
const MAX_WHOLE = 256 * 1024 * 1024;

/**
 * Reads a small file and parses it; errors name the file.
 * @throws {CFileError} `E_NOT_FOUND` for a missing file, `E_LIMIT` above 256 MiB, and what `parse` throws
 */
export async function parseFile<T>(
  tree: FileTree,
  path: string,
  parse: (bytes: Uint8Array) => T,
  options: ReadOptions = {},
): Promise<T> {
  const source = await tree.openSource(path);
  try {
    const bytes = await readWhole(source, options);
    return withErrorContext({ path: source.name }, () => parse(bytes));
  } finally {
    await source.close?.();
  }
}

async function readWhole(source: ByteSource, options: ReadOptions): Promise<Uint8Array> {
  const size = await sizeOf(source, options);
  if (size > MAX_WHOLE) {
    const details = { path: source.name, field: "file size", expected: MAX_WHOLE, actual: size };
    throw new CFileError("E_LIMIT", `file of ${size} bytes exceeds ${MAX_WHOLE}`, details);
  }
  return readExactly(source, 0, size, options);
}

/** The entries of a folder, ordered by name; empty if the folder is missing. */
async function entriesOf(tree: FileTree, folder: string): Promise<readonly TreeEntry[]> {
  const entries = (await ifPresent(tree.list(folder))) ?? [];
  return [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names of the folders in a folder, in order. */
export async function foldersIn(tree: FileTree, folder: string): Promise<readonly string[]> {
  return namesOfKind(await entriesOf(tree, folder), "folder");
}

/** Names of the files in a folder, in order. */
export async function filesIn(tree: FileTree, folder: string): Promise<readonly string[]> {
  return namesOfKind(await entriesOf(tree, folder), "file");
}

function namesOfKind(entries: readonly TreeEntry[], kind: TreeEntry["kind"]): readonly string[] {
  return entries.filter((entry) => entry.kind === kind).map(({ name }) => name);
}

/** The result, or `undefined` if a file or folder is missing. */
export async function ifPresent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return undefined;
    }
    throw error;
  }
}
