/**
 * The files of a table store and its manifest. Changes are atomic: a crash at any point leaves the old or the new state.
 *
 * | step | left by a crash after it |
 * | --- | --- |
 * | new files are written, their bytes and names synced | the old state, and files that no manifest lists |
 * | the new manifest is written beside the old one and synced | the same |
 * | it is renamed over the old one, and the name synced | the old or the new state |
 * | files that it does not list are removed | the new state, and perhaps files that no manifest lists |
 *
 * Files that no manifest lists are removed when the store is next opened for writing.
 *
 * A writer holds the directory's lock, and only changes a manifest that is still the one it opened: two writers cannot overwrite
 * each other's files or lose each other's changes.
 */
import { CFileError, equalBytes, invalidArgument, isCFileError, mismatch } from "@cfile/bytes";
import {
  type ByteDirectory,
  type ByteSink,
  type ByteSource,
  type DirectoryLock,
  readExactly,
  sizeOf,
} from "@cfile/io";
import { encodeManifest, filesOf, MANIFEST_FILE, type Manifest } from "./manifest.js";
import { parseManifest } from "./parse-manifest.js";

const NEW_MANIFEST_FILE = "rowset.json.new";
const LOCK_FILE = "rowset.json.lock";
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** Names of a store's files, and of temporary files while they are written. */
const OWN_FILE = /^(\d{6,16}-[a-z0-9-]+\.cfile|rowset\.json\.new|\.cfile-[0-9a-f]{16}\.tmp)$/;

export class TableStoreFiles {
  readonly directory: ByteDirectory;
  private current: Manifest;
  /** Bytes of the manifest in the directory; empty before the first commit. */
  private stored: Uint8Array;
  private nextFile: number;
  private lock: DirectoryLock | undefined;

  private constructor(directory: ByteDirectory, manifest: Manifest, stored: Uint8Array) {
    this.directory = directory;
    this.current = manifest;
    this.stored = stored;
    this.nextFile = manifest.nextFile;
  }

  /**
   * The table store in a directory.
   *
   * @throws {CFileError} `E_NOT_FOUND` without a manifest; as `parseManifest`
   */
  static async open(directory: ByteDirectory): Promise<TableStoreFiles> {
    const stored = await readManifest(directory);
    const manifest = parseManifest(stored, pathIn(directory, MANIFEST_FILE));
    return new TableStoreFiles(directory, manifest, stored);
  }

  /**
   * A new table store, which holds the directory's lock until {@link endWriting}. Nothing is written before the first
   * {@link commit}.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when a store exists; `E_SOURCE_CHANGED` when another writer is creating one
   */
  static async create(directory: ByteDirectory, manifest: Manifest): Promise<TableStoreFiles> {
    const store = new TableStoreFiles(directory, manifest, new Uint8Array(0));
    await store.beginWriting();
    try {
      if ((await directory.list()).includes(MANIFEST_FILE)) {
        const path = pathIn(directory, MANIFEST_FILE);
        throw invalidArgument("the directory already contains a table store", { path });
      }
      await store.sweep();
      return store;
    } catch (error) {
      await store.endWriting();
      throw error;
    }
  }

  get manifest(): Manifest {
    return this.current;
  }

  /**
   * Takes the directory's lock, if it supports locks. Files are created and removed only while it is held.
   *
   * @throws {CFileError} `E_SOURCE_CHANGED` when another writer holds it; `E_IO`
   */
  async beginWriting(): Promise<void> {
    this.lock = await this.directory.lock?.(LOCK_FILE);
  }

  /** Releases the lock. Errors are ignored: the written files stay. */
  async endWriting(): Promise<void> {
    const { lock } = this;
    this.lock = undefined;
    await lock?.release().catch(() => undefined);
  }

  /** Creates a file with a name that was never used before. */
  async createFile(role: string): Promise<{ readonly file: string; readonly sink: ByteSink }> {
    const file = `${String(this.nextFile++).padStart(6, "0")}-${role}.cfile`;
    return { file, sink: await this.directory.createSink(file) };
  }

  /**
   * A file, opened when first read: `E_CORRUPT` when its size is not `bytes`, `E_SOURCE_CHANGED` when it is missing because another
   * writer has changed the store. After `close`, reads are rejected with `E_INVALID_ARGUMENT`: a late read would leave it open.
   */
  source(file: string, bytes: number): ByteSource {
    const name = pathIn(this.directory, file);
    let opened: Promise<ByteSource> | undefined;
    let isClosed = false;
    const open = (): Promise<ByteSource> => {
      if (isClosed) {
        return Promise.reject(invalidArgument("the file is closed", { path: name }));
      }
      if (opened === undefined) {
        opened = this.openFile(file, bytes);
        opened.catch(() => {
          opened = undefined;
        });
      }
      return opened;
    };
    return {
      name,
      size: async (options) => (await open()).size(options),
      read: async (offset, length, options) => (await open()).read(offset, length, options),
      close: async () => {
        isClosed = true;
        const closing = opened;
        opened = undefined;
        await (await closing?.catch(() => undefined))?.close?.();
      },
    };
  }

  /**
   * Replaces the manifest. The files that the new one lists are complete; files that it does not list are removed.
   *
   * @throws {CFileError} `E_SOURCE_CHANGED` when another writer has changed the store; `E_IO` when the directory fails, in which
   *   case the state is the old one, or the new one if only a step after the renaming failed
   */
  async commit(manifest: Omit<Manifest, "nextFile">): Promise<void> {
    const { directory } = this;
    const next: Manifest = { ...manifest, nextFile: this.nextFile };
    const bytes = encodeManifest(next);
    await this.checkUnchanged();
    await this.requireFiles(next);
    await directory.sync();
    const sink = await directory.createSink(NEW_MANIFEST_FILE);
    try {
      await sink.write(bytes);
      await sink.close();
    } catch (error) {
      await sink.abort(error);
      throw error;
    }
    await directory.sync();
    await this.lock?.check();
    await directory.rename(NEW_MANIFEST_FILE, MANIFEST_FILE);
    this.current = next;
    this.stored = bytes;
    await directory.sync();
    await this.sweep().catch(() => undefined);
  }

  /**
   * Removes files of the store that the manifest does not list, such as those of an interrupted write.
   *
   * @throws {CFileError} `E_SOURCE_CHANGED` when another writer has changed the store, and may have listed them; `E_IO`
   */
  async sweep(): Promise<void> {
    await this.checkUnchanged();
    const listed = new Set(this.current.rowSets.flatMap(filesOf).map(({ file }) => file));
    for (const file of await this.directory.list()) {
      if (OWN_FILE.test(file) && !listed.has(file)) {
        await this.directory.remove(file);
      }
    }
  }

  /** @throws {CFileError} `E_SOURCE_CHANGED` when another writer has changed the store since it was opened or changed here */
  async checkUnchanged(): Promise<void> {
    if (await this.isOutdated()) {
      const path = pathIn(this.directory, MANIFEST_FILE);
      throw new CFileError("E_SOURCE_CHANGED", "another writer has changed the table store", { path });
    }
  }

  /** Whether another writer has changed the store since it was opened or changed here. */
  async isOutdated(): Promise<boolean> {
    try {
      return !equalBytes(await readManifest(this.directory), this.stored);
    } catch (error) {
      if (isCFileError(error, "E_NOT_FOUND")) {
        return this.stored.length > 0;
      }
      if (isCFileError(error, "E_SOURCE_CHANGED")) {
        return true;
      }
      throw error;
    }
  }

  /** @throws {CFileError} `E_BLOCK_MISSING` naming a file that the manifest lists and the directory lacks */
  async requireFiles({ rowSets }: Pick<Manifest, "rowSets"> = this.current): Promise<void> {
    const present = new Set(await this.directory.list());
    for (const { file } of rowSets.flatMap(filesOf)) {
      if (!present.has(file)) {
        const details = { path: pathIn(this.directory, file), field: file };
        throw new CFileError("E_BLOCK_MISSING", `missing file ${file}, listed in ${MANIFEST_FILE}`, details);
      }
    }
  }

  private async openFile(file: string, bytes: number): Promise<ByteSource> {
    let source: ByteSource;
    try {
      source = await this.directory.openSource(file);
    } catch (error) {
      if (isCFileError(error, "E_NOT_FOUND")) {
        await this.checkUnchanged();
      }
      throw error;
    }
    const size = await sizeOf(source);
    if (size !== bytes) {
      await source.close?.();
      const details = { path: pathIn(this.directory, file), field: "file size" };
      throw mismatch(`file size differs from ${MANIFEST_FILE}`, bytes, size, details);
    }
    return source;
  }
}

function pathIn(directory: ByteDirectory, file: string): string {
  return `${directory.name}/${file}`;
}

async function readManifest(directory: ByteDirectory): Promise<Uint8Array> {
  const source = await directory.openSource(MANIFEST_FILE);
  try {
    const size = await sizeOf(source);
    if (size > MAX_MANIFEST_BYTES) {
      const reason = `manifest too large: ${size} bytes (maximum ${MAX_MANIFEST_BYTES})`;
      throw new CFileError("E_LIMIT", reason, { path: source.name, field: "file size" });
    }
    return (await readExactly(source, 0, size, { field: "manifest" })).slice();
  } finally {
    await source.close?.();
  }
}
