/**
 * A directory in memory: for browsers, and for tests, as it shows what a crash would leave.
 */
import { CFileError } from "@cfile/bytes";
import type { ByteSink } from "../sink/byte-sink.js";
import { memorySink } from "../sink/memory-sink.js";
import type { ByteSource } from "../source/byte-source.js";
import { memorySource } from "../source/memory-source.js";
import { type ByteDirectory, checkFileName, type DirectoryLock } from "./byte-directory.js";

/** What was done to the directory, in order. */
export type DirectoryOperation =
  | { readonly kind: "create"; readonly file: string }
  | { readonly kind: "write"; readonly file: string; readonly bytes: number }
  | { readonly kind: "close"; readonly file: string; readonly content: Uint8Array }
  | { readonly kind: "sync" }
  | { readonly kind: "rename"; readonly file: string; readonly to: string }
  | { readonly kind: "remove"; readonly file: string };

/** What is in a new `MemoryDirectory`, and who watches it. */
export interface MemoryDirectoryOptions {
  /** Files that are there, by name. */
  readonly files?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Called before each operation; the operation is not done when it throws. */
  readonly onOperation?: ((operation: DirectoryOperation) => void) | undefined;
}

/** A `ByteDirectory` in memory, for tests and browsers. */
export class MemoryDirectory implements ByteDirectory {
  readonly name: string;
  private readonly files: Map<string, Uint8Array>;
  private readonly locks = new Map<string, DirectoryLock>();
  private readonly onOperation: ((operation: DirectoryOperation) => void) | undefined;

  constructor(name = "memory", options: MemoryDirectoryOptions = {}) {
    this.name = name;
    this.files = new Map(options.files);
    this.onOperation = options.onOperation;
  }

  /** The files as they are now, by name: for `MemoryDirectoryOptions`. */
  snapshot(): ReadonlyMap<string, Uint8Array> {
    return new Map(this.files);
  }

  async list(): Promise<readonly string[]> {
    return [...this.files.keys()];
  }

  async openSource(file: string): Promise<ByteSource> {
    const bytes = this.files.get(checkFileName(file));
    if (bytes === undefined) {
      throw this.notFound(file);
    }
    return memorySource(bytes, this.path(file));
  }

  async createSink(file: string): Promise<ByteSink> {
    checkFileName(file);
    this.onOperation?.({ kind: "create", file });
    const sink = memorySink(this.path(file));
    return {
      name: sink.name,
      write: (bytes) => {
        this.onOperation?.({ kind: "write", file, bytes: bytes.length });
        return sink.write(bytes);
      },
      close: async () => {
        await sink.close();
        const content = sink.bytes();
        this.onOperation?.({ kind: "close", file, content });
        this.files.set(file, content);
      },
      abort: (reason) => sink.abort(reason),
    };
  }

  async sync(): Promise<void> {
    this.onOperation?.({ kind: "sync" });
  }

  async rename(from: string, to: string): Promise<void> {
    const bytes = this.files.get(checkFileName(from));
    checkFileName(to);
    if (bytes === undefined) {
      throw this.notFound(from);
    }
    this.onOperation?.({ kind: "rename", file: from, to });
    this.files.delete(from);
    this.files.set(to, bytes);
  }

  async remove(file: string): Promise<void> {
    checkFileName(file);
    this.onOperation?.({ kind: "remove", file });
    this.files.delete(file);
  }

  async lock(file: string): Promise<DirectoryLock> {
    checkFileName(file);
    if (this.locks.has(file)) {
      throw this.locked(file);
    }
    const lock: DirectoryLock = {
      check: async () => {
        if (this.locks.get(file) !== lock) {
          throw this.locked(file);
        }
      },
      release: async () => {
        if (this.locks.get(file) === lock) {
          this.locks.delete(file);
        }
      },
    };
    this.locks.set(file, lock);
    return lock;
  }

  private locked(file: string): CFileError {
    return new CFileError("E_SOURCE_CHANGED", "somebody else holds the lock", {
      path: this.path(file),
      field: "lock",
    });
  }

  private path(file: string): string {
    return `${this.name}/${file}`;
  }

  private notFound(file: string): CFileError {
    return new CFileError("E_NOT_FOUND", "there is no such file in the directory", {
      path: this.path(file),
      field: file,
    });
  }
}
