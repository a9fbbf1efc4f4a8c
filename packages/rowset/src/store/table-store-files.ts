/**
 * The files of a row set's directory and its manifest, changed so that a crash at any point leaves the old or the new state:
 *
 * | step | what a crash after it leaves |
 * | --- | --- |
 * | new files are written, their bytes and names made safe | the old state, and files that no manifest names |
 * | the new manifest is written beside the old one and made safe | the same |
 * | it is renamed over the old one, and the name made safe | the old or the new state |
 * | files that it does not name are removed | the new state, and perhaps files that no manifest names |
 *
 * Files that no manifest names are removed when the directory is next opened for writing.
 *
 * Whoever writes holds the directory's lock meanwhile, and changes only what is as it was when it was opened: no two writers can
 * overwrite each other's files or lose each other's changes.
 */
import { CFileError, equalBytes, invalidArgument, isCFileError } from "@cfile/bytes";
import {
  type ByteDirectory,
  type ByteSink,
  type ByteSource,
  type DirectoryLock,
  type ReadOptions,
  readExactly,
  sizeOf,
} from "@cfile/io";

import { encodeManifest, filesOf, MANIFEST_FILE, type Manifest } from "./manifest.js";
import { parseManifest } from "./parse-manifest.js";

const NEW_MANIFEST_FILE = "rowset.json.new";
const LOCK_FILE = "rowset.json.lock";
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** What a store names its files, and what a file on disk is called while it is written. */
const OWN_FILE = /^(\d{6,16}-[a-z0-9-]+\.cfile|rowset\.json\.new|\.cfile-[0-9a-f]{16}\.tmp)$/;

export class TableStoreFiles {
  readonly directory: ByteDirectory;
  private current: Manifest;
  /** The manifest as it stands in the directory. */
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
   * The row set in a directory.
   *
   * @throws CFileError `E_NOT_FOUND` without a manifest; as `parseManifest`
   */
  static async open(directory: ByteDirectory): Promise<TableStoreFiles> {
    const stored = await readManifest(directory);
    const path = pathIn(directory, MANIFEST_FILE);
    const manifest = parseManifest(stored, path);
    return new TableStoreFiles(directory, manifest, stored);
  }

  /**
   * A store for a directory in which there is no row set yet; nothing is written before the first {@link commit}.
   *
   * The store holds the directory's lock until {@link endWriting}.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` when there is one; `E_SOURCE_CHANGED` when somebody is making one
   */
  static async create(directory: ByteDirectory, manifest: Manifest): Promise<TableStoreFiles> {
    const store = new TableStoreFiles(directory, manifest, new Uint8Array(0));
    await store.beginWriting();
    try {
      if ((await directory.list()).includes(MANIFEST_FILE)) {
        throw invalidArgument("there is a row set in the directory already", {
          path: pathIn(directory, MANIFEST_FILE),
        });
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
   * Takes the directory's lock, where there are such: files are made and removed only while it is held.
   *
   * @throws CFileError `E_SOURCE_CHANGED` when somebody else is writing; `E_IO`
   */
  async beginWriting(): Promise<void> {
    this.lock = await this.directory.lock?.(LOCK_FILE);
  }

  /** Gives the lock back. What was written stays, whether or not that succeeds. */
  async endWriting(): Promise<void> {
    const { lock } = this;
    this.lock = undefined;
    await lock?.release().catch(() => undefined);
  }

  /** A new file, with a name that no other file has had. */
  async createFile(role: string): Promise<{ readonly file: string; readonly sink: ByteSink }> {
    const file = `${String(this.nextFile++).padStart(6, "0")}-${role}.cfile`;
    return { file, sink: await this.directory.createSink(file) };
  }

  /**
   * A file, opened when it is first read. It must be as long as `bytes`; it is `E_SOURCE_CHANGED` when it is not there because
   * somebody else has changed the row set.
   */
  source(file: string, bytes: number): ByteSource {
    return new StoredFile(this, file, bytes);
  }

  /**
   * Makes the manifest the directory's; the files that it names are complete. Files that it does not name are removed.
   *
   * @throws CFileError `E_SOURCE_CHANGED` when somebody else has changed the row set; `E_IO`: the directory failed, and the
   *   state is the old one, or the new one if only what comes after the renaming failed
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
   * Removes the files of ours that the manifest does not name, such as those of an operation that was broken off.
   *
   * @throws CFileError `E_SOURCE_CHANGED` when somebody else has changed the row set, and perhaps named them; `E_IO`
   */
  async sweep(): Promise<void> {
    await this.checkUnchanged();
    const named = new Set(this.current.rowSets.flatMap(filesOf).map(({ file }) => file));
    for (const file of await this.directory.list()) {
      if (OWN_FILE.test(file) && !named.has(file)) {
        await this.directory.remove(file);
      }
    }
  }

  /** @throws CFileError `E_SOURCE_CHANGED` when somebody else has changed the row set since it was opened or changed here */
  async checkUnchanged(): Promise<void> {
    let stored: Uint8Array;
    try {
      stored = await readManifest(this.directory);
    } catch (error) {
      if (!isCFileError(error, "E_NOT_FOUND")) {
        throw error;
      }
      stored = new Uint8Array(0);
    }
    if (!equalBytes(stored, this.stored)) {
      throw new CFileError("E_SOURCE_CHANGED", "somebody else has changed the row set", {
        path: pathIn(this.directory, MANIFEST_FILE),
      });
    }
  }

  /** Whether somebody else has changed the row set since it was opened or changed here. */
  async isOutdated(): Promise<boolean> {
    try {
      await this.checkUnchanged();
      return false;
    } catch (error) {
      if (isCFileError(error, "E_SOURCE_CHANGED")) {
        return true;
      }
      throw error;
    }
  }

  /** @throws CFileError `E_BLOCK_MISSING` without a file that the manifest names */
  async requireFiles({ rowSets }: Pick<Manifest, "rowSets"> = this.current): Promise<void> {
    const there = new Set(await this.directory.list());
    for (const { file } of rowSets.flatMap(filesOf)) {
      if (!there.has(file)) {
        throw new CFileError(
          "E_BLOCK_MISSING",
          `${MANIFEST_FILE} names the file ${file}, which is not there`,
          {
            path: pathIn(this.directory, file),
            field: file,
          },
        );
      }
    }
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
      throw new CFileError("E_LIMIT", `a manifest of ${size} bytes, ${MAX_MANIFEST_BYTES} are allowed`, {
        path: source.name,
        field: "file size",
      });
    }
    return (await readExactly(source, 0, size, { field: "manifest" })).slice();
  } finally {
    await source.close?.();
  }
}

/** A file of the manifest, opened when it is first asked for. */
class StoredFile implements ByteSource {
  readonly name: string;
  private readonly store: TableStoreFiles;
  private readonly file: string;
  private readonly bytes: number;
  private opened: Promise<ByteSource> | undefined;

  constructor(store: TableStoreFiles, file: string, bytes: number) {
    this.store = store;
    this.file = file;
    this.bytes = bytes;
    this.name = pathIn(store.directory, file);
  }

  async size(options?: ReadOptions): Promise<number> {
    return (await this.source()).size(options);
  }

  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    return (await this.source()).read(offset, length, options);
  }

  async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await (await opened?.catch(() => undefined))?.close?.();
  }

  private source(): Promise<ByteSource> {
    if (this.opened === undefined) {
      const opening = this.open();
      this.opened = opening;
      opening.catch(() => {
        this.opened = undefined;
      });
    }
    return this.opened;
  }

  private async open(): Promise<ByteSource> {
    const source = await this.found();
    const size = await sizeOf(source);
    if (size !== this.bytes) {
      await source.close?.();
      throw this.foreign(size);
    }
    return source;
  }

  private async found(): Promise<ByteSource> {
    try {
      return await this.store.directory.openSource(this.file);
    } catch (error) {
      if (isCFileError(error, "E_NOT_FOUND")) {
        await this.store.checkUnchanged();
      }
      throw error;
    }
  }

  private foreign(size: number): CFileError {
    return new CFileError("E_CORRUPT", `the file has ${size} bytes, ${MANIFEST_FILE} says ${this.bytes}`, {
      path: this.name,
      field: "file size",
      expected: this.bytes,
      actual: size,
    });
  }
}
