/**
 * A flat folder of files, each written once and as a whole.
 *
 * Unsynced changes may reach the disk in any order: the content of a file is safe when its sink is closed; new, renamed and
 * removed names are safe after {@link ByteDirectory.sync}.
 */
import { invalidArgument } from "@cfile/bytes";
import type { ByteSink } from "../sink/byte-sink.js";
import type { ByteSource } from "../source/byte-source.js";

/** A flat folder of files that can be listed, read, written, renamed and locked: on disk, in memory, or your own. */
export interface ByteDirectory {
  /** Path or another name, for errors. */
  readonly name: string;
  /** Names of all files, in any order. */
  list(): Promise<readonly string[]>;
  /** @throws {CFileError} `E_NOT_FOUND` when there is no such file */
  openSource(file: string): Promise<ByteSource>;
  /** A new file, safe once its `close` is done. Replaces a file of this name; with `isNew`, `close` fails with `E_IO` instead. */
  createSink(file: string, options?: { readonly isNew?: boolean }): Promise<ByteSink>;
  /** Makes all earlier creations, renames and removals safe. */
  sync(): Promise<void>;
  /** Renames a file in one step, replacing a file of that name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; does nothing if it does not exist. */
  remove(file: string): Promise<void>;
  /**
   * Takes the lock named after a file, which at most one user of the directory holds; does not wait. Omitted by directories
   * without locks.
   *
   * @throws {CFileError} `E_SOURCE_CHANGED` when another process holds it (`actual` names it); `E_IO`
   */
  lock?(file: string): Promise<DirectoryLock>;
}

/** A lock that this user of the directory holds. */
export interface DirectoryLock {
  /** @throws {CFileError} `E_SOURCE_CHANGED` when another process has taken it; `E_IO` */
  check(): Promise<void>;
  /** Releases it; does nothing when another process has taken it. */
  release(): Promise<void>;
}

/** Whether `file` is a file name without a path, valid on every system. */
export function isFileName(file: unknown): file is string {
  return typeof file === "string" && /^(?!\.{1,2}$)[\w.-]{1,255}$/.test(file);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless {@link isFileName} */
export function checkFileName(file: string): string {
  if (!isFileName(file)) {
    throw invalidArgument(
      `invalid file name: ${JSON.stringify(file)} (must be 1 to 255 of A-Z a-z 0-9 _ . -)`,
      { field: "file" },
    );
  }
  return file;
}
