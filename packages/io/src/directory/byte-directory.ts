/**
 * A flat folder of files, each written once and as a whole.
 *
 * Nothing is expected of the order in which unsynced changes reach the disk: a file's bytes are safe when its sink is closed,
 * names (of new, renamed and removed files) when {@link ByteDirectory.sync} is done.
 */
import { invalidArgument } from "@cfile/bytes";
import type { ByteSink } from "../sink/byte-sink.js";
import type { ByteSource } from "../source/byte-source.js";

/** A flat folder of files that can be listed, read, written, renamed and locked: on a disk, in memory, or what you make. */
export interface ByteDirectory {
  /** Path or another name, for errors. */
  readonly name: string;
  /** Names of all files, in any order. */
  list(): Promise<readonly string[]>;
  /** @throws CFileError `E_NOT_FOUND` when there is no such file */
  openSource(file: string): Promise<ByteSource>;
  /** A file to be written; when its `close` is done, its bytes are safe. One with this name is replaced. */
  createSink(file: string): Promise<ByteSink>;
  /** Makes all names safe that were given, changed or removed before. */
  sync(): Promise<void>;
  /** Gives a file another name, in one step; a file that has it is replaced. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; does nothing when it does not exist. */
  remove(file: string): Promise<void>;
  /**
   * Takes a lock by the name of a file: at most one user of the directory holds it at a time. Does not wait for it. A directory
   * without locks has no such method.
   *
   * @throws CFileError `E_SOURCE_CHANGED` when another process holds it, with its name; `E_IO`
   */
  lock?(file: string): Promise<DirectoryLock>;
}

/** A lock that is held. */
export interface DirectoryLock {
  /** @throws CFileError `E_SOURCE_CHANGED` when another process has taken it; `E_IO` */
  check(): Promise<void>;
  /** Releases it; does nothing when another process has taken it. */
  release(): Promise<void>;
}

const FILE_NAME = /^(?!\.{1,2}$)[\w.-]{1,255}$/;

/** Whether `file` is a plain file name that leads nowhere else, on any system. */
export function isFileName(file: unknown): file is string {
  return typeof file === "string" && FILE_NAME.test(file);
}

/** @throws CFileError `E_INVALID_ARGUMENT` for what is no plain file name */
export function checkFileName(file: string): string {
  if (!isFileName(file)) {
    throw invalidArgument(`${JSON.stringify(file)} is no plain file name`, { field: "file" });
  }
  return file;
}
