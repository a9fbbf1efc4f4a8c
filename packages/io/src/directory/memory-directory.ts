/** A directory in memory, for browsers, and for tests, which can observe what a crash would leave behind. */
import { CFileError } from "@cfile/bytes";
import type { ByteSink } from "../sink/byte-sink.js";
import { memorySink } from "../sink/memory-sink.js";
import type { ByteSource } from "../source/byte-source.js";
import { memorySource } from "../source/memory-source.js";
import { type ByteDirectory, checkFileName, type DirectoryLock } from "./byte-directory.js";
import { absentFile } from "./file-tree.js";

/** A change of the directory. */
export type DirectoryOperation =
  | { readonly kind: "create"; readonly file: string }
  | { readonly kind: "write"; readonly file: string; readonly bytes: number }
  | { readonly kind: "close"; readonly file: string; readonly content: Uint8Array }
  | { readonly kind: "sync" }
  | { readonly kind: "rename"; readonly file: string; readonly to: string }
  | { readonly kind: "remove"; readonly file: string };

/** Initial content and observer of a `MemoryDirectory`. */
export interface MemoryDirectoryOptions {
  /** Initial files, by name. */
  readonly files?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Called before each operation, which does not happen if this throws. */
  readonly onOperation?: ((operation: DirectoryOperation) => void) | undefined;
}

/** A `ByteDirectory` in memory, for tests and browsers. */
export class MemoryDirectory implements ByteDirectory {
  readonly name: string;
  private readonly files: Map<string, Uint8Array>;
  private readonly locks = new Map<string, DirectoryLock>();
  private readonly onOperation: (operation: DirectoryOperation) => void;

  constructor(name = "memory", { files, onOperation = () => undefined }: MemoryDirectoryOptions = {}) {
    this.name = name;
    this.files = new Map(files);
    this.onOperation = onOperation;
  }

  /** The current files, by name: for `MemoryDirectoryOptions`. */
  snapshot(): ReadonlyMap<string, Uint8Array> {
    return new Map(this.files);
  }

  async list(): Promise<readonly string[]> {
    return [...this.files.keys()];
  }

  async openSource(file: string): Promise<ByteSource> {
    return memorySource(this.contentOf(file), this.path(file));
  }

  async createSink(file: string, { isNew = false }: { readonly isNew?: boolean } = {}): Promise<ByteSink> {
    checkFileName(file);
    this.onOperation({ kind: "create", file });
    const sink = memorySink(this.path(file));
    return {
      name: sink.name,
      write: (bytes) => {
        this.onOperation({ kind: "write", file, bytes: bytes.length });
        return sink.write(bytes);
      },
      close: async () => {
        await sink.close();
        const content = sink.bytes();
        this.onOperation({ kind: "close", file, content });
        if (isNew && this.files.has(file)) {
          throw new CFileError("E_IO", "cannot complete the file: it already exists", {
            path: this.path(file),
          });
        }
        this.files.set(file, content);
      },
      abort: (reason) => sink.abort(reason),
    };
  }

  async sync(): Promise<void> {
    this.onOperation({ kind: "sync" });
  }

  async rename(from: string, to: string): Promise<void> {
    checkFileName(to);
    const bytes = this.contentOf(from);
    this.onOperation({ kind: "rename", file: from, to });
    this.files.delete(from);
    this.files.set(to, bytes);
  }

  async remove(file: string): Promise<void> {
    checkFileName(file);
    this.onOperation({ kind: "remove", file });
    this.files.delete(file);
  }

  async lock(file: string): Promise<DirectoryLock> {
    checkFileName(file);
    const isHeld = () => this.locks.get(file) === lock;
    const details = { path: this.path(file), field: "lock" };
    const locked = () => new CFileError("E_SOURCE_CHANGED", "lock held by another user", details);
    const lock: DirectoryLock = {
      check: async () => {
        if (!isHeld()) {
          throw locked();
        }
      },
      release: async () => {
        if (isHeld()) {
          this.locks.delete(file);
        }
      },
    };
    if (this.locks.has(file)) {
      throw locked();
    }
    this.locks.set(file, lock);
    return lock;
  }

  private path(file: string): string {
    return `${this.name}/${file}`;
  }

  private contentOf(file: string): Uint8Array {
    const bytes = this.files.get(checkFileName(file));
    if (bytes === undefined) {
      throw absentFile(this.path(file), file);
    }
    return bytes;
  }
}
