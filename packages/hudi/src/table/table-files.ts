/** The files of a table. Paths are relative to the table's folder and cannot lead out of it. */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { type ByteSource, type FileTree, readExactly, sizeOf, type TreeEntry } from "@cfile/io";

/** Maximum size of a file that is read as a whole. */
const MAX_WHOLE = 1 << 30;

/** The files and folders of a table, or of its metadata table. */
export class TableFiles {
  readonly tree: FileTree;
  /** Path of the table below the root of the tree; empty for the data table. */
  readonly root: string;

  constructor(tree: FileTree, root = "") {
    this.tree = tree;
    this.root = root;
  }

  /** The files of a folder of this table, as a separate table. */
  below(folder: string): TableFiles {
    return new TableFiles(this.tree, this.path(folder));
  }

  /** The path below the root of the tree. */
  path(relative: string): string {
    return this.root === "" ? relative : relative === "" ? this.root : `${this.root}/${relative}`;
  }

  /** Path or URL for errors. */
  nameOf(relative: string): string {
    const path = this.path(relative);
    return path === "" ? this.tree.name : `${this.tree.name}/${path}`;
  }

  /** Names in a folder; empty if the folder does not exist. @throws {CFileError} `E_IO` when it cannot be listed */
  async list(folder: string): Promise<readonly TreeEntry[]> {
    try {
      return await this.tree.list(this.path(folder));
    } catch (error) {
      if (isCFileError(error, "E_NOT_FOUND")) {
        return [];
      }
      throw error;
    }
  }

  /** Names of the files in a folder, without checksum files of Hadoop's local file system. */
  async fileNames(folder: string): Promise<string[]> {
    const entries = await this.list(folder);
    return entries
      .filter(({ name, kind }) => kind === "file" && !name.endsWith(".crc"))
      .map(({ name }) => name);
  }

  /** @throws {CFileError} `E_NOT_FOUND` if the file does not exist */
  open(path: string): Promise<ByteSource> {
    return this.tree.openSource(this.path(path));
  }

  /** A reader of a file, which is closed again if `read` throws. */
  async openWith<T>(path: string, read: (source: ByteSource) => Promise<T>): Promise<T> {
    const source = await this.open(path);
    try {
      return await read(source);
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }

  /** All bytes of a file. @throws {CFileError} `E_NOT_FOUND`; `E_LIMIT` above 1 GiB */
  async read(path: string): Promise<Uint8Array> {
    const source = await this.open(path);
    try {
      const size = await sizeOf(source);
      if (size > MAX_WHOLE) {
        const details = { path: source.name, expected: MAX_WHOLE, actual: size };
        throw new CFileError("E_LIMIT", `file of ${size} bytes exceeds ${MAX_WHOLE}`, details);
      }
      return (await readExactly(source, 0, size)).slice();
    } finally {
      await source.close?.();
    }
  }

  /** All bytes of a file; `undefined` if the file does not exist. */
  async readIfPresent(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.read(path);
    } catch (error) {
      if (isCFileError(error, "E_NOT_FOUND")) {
        return undefined;
      }
      throw error;
    }
  }

  /** Size of a file in bytes. */
  async size(path: string): Promise<number> {
    const source = await this.open(path);
    try {
      return await sizeOf(source);
    } finally {
      await source.close?.();
    }
  }

  /** When a file was last changed, in milliseconds since 1970; `undefined` if unknown. */
  async modified(path: string): Promise<number | undefined> {
    return this.tree.modified?.(this.path(path));
  }
}

/**
 * Requires that a path from a file of the table is relative and stays in the table.
 * @throws {CFileError} `E_CORRUPT` for absolute paths, URLs, `..`, empty names, backslashes and NUL
 */
export function requireInside(path: string, field: string): string {
  const isInside =
    path === "" || (!/[\\\0]/.test(path) && path.split("/").every((name) => !/^\.{0,2}$/.test(name)));
  if (!isInside || /^[a-z][\w+.-]*:/i.test(path)) {
    const actual = JSON.stringify(path.slice(0, 200));
    throw corrupt(`path leads out of the table: ${actual}`, { field, actual });
  }
  return path;
}

/** Requires that a name from a file of the table is a single name. @throws {CFileError} `E_CORRUPT` */
export function requireName(name: string, field: string): string {
  if (name.includes("/") || name === "") {
    const actual = JSON.stringify(name.slice(0, 200));
    throw corrupt(`invalid file name: ${actual}`, { field, actual });
  }
  return requireInside(name, field);
}

/** The name after the last `/`. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
