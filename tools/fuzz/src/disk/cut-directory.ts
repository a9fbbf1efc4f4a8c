/** The remains of a folder after a power cut: any unsynced operations may have reached the disk, in any order. */
import type { DirectoryOperation } from "@cfile/io";
import type { Files } from "./simulated-disk.js";

/** Random numbers from 0 to `limit - 1`. */
export type Next = (limit: number) => number;

const MOST_BYTES = 3000;

/**
 * The files after these operations.
 *
 * @param showsOpen whether a file that was not closed may exist, with any bytes; default: files appear when they are closed
 */
export function afterCut(
  before: Files,
  operations: readonly DirectoryOperation[],
  next: Next,
  showsOpen = false,
): Map<string, Uint8Array> {
  const odds = next(5);
  const files = new Map(before);
  const contents = new Map(before);
  const open = new Set<string>();
  let unsynced: (() => void)[] = [];
  const give = (name: string, content: Uint8Array, old?: string): void => {
    contents.set(name, content);
    unsynced.push(() => {
      files.set(name, content);
      if (old !== undefined) {
        files.delete(old);
      }
    });
  };
  for (const operation of operations) {
    if (operation.kind === "create" && showsOpen) {
      open.add(operation.file);
      give(operation.file, new Uint8Array(0));
    } else if (operation.kind === "close") {
      open.delete(operation.file);
      give(operation.file, operation.content);
    } else if (operation.kind === "rename") {
      give(operation.to, contents.get(operation.file) ?? new Uint8Array(0), operation.file);
    } else if (operation.kind === "remove") {
      unsynced.push(() => files.delete(operation.file));
    } else if (operation.kind === "sync") {
      for (const apply of unsynced) {
        apply();
      }
      unsynced = [];
    }
  }
  for (const apply of unsynced.filter(() => next(4) < odds)) {
    apply();
  }
  for (const file of open) {
    if (files.has(file)) {
      files.set(
        file,
        Uint8Array.from({ length: next(MOST_BYTES) }, () => next(256)),
      );
    }
  }
  return files;
}
