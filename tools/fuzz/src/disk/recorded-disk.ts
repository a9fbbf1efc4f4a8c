/** Records all operations on the files of a folder through `node:fs/promises`, while they are executed. */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { Operation } from "./simulated-disk.js";

type Handle = fs.FileHandle;
type Write = (
  this: Handle,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;

/** @returns the operations of `action` on files below `root` */
export async function recordOperations(root: string, action: () => Promise<unknown>): Promise<Operation[]> {
  const operations: Operation[] = [];
  const isOwn = (path: unknown): path is string => typeof path === "string" && path.startsWith(`${root}/`);
  const { link, open, rename, rm, writeFile } = fs;
  const done = <T>(operation: Operation, result: T): T => {
    operations.push(operation);
    return result;
  };
  const replaced: Partial<typeof fs> = {
    open: async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      return isOwn(path) ? recorded(handle, path, flags, operations) : handle;
    },
    link: async (from, to) => {
      await link(from, to);
      if (isOwn(from) && isOwn(to)) {
        operations.push({ kind: "link", path: from, to });
      }
    },
    rename: async (from, to) => {
      await rename(from, to);
      if (isOwn(from) && isOwn(to)) {
        operations.push({ kind: "rename", path: from, to });
      }
    },
    rm: async (path, options) => done({ kind: "remove", path: String(path) }, await rm(path, options)),
    writeFile: async (path, data, options) => {
      await writeFile(path, data, options);
      if (isOwn(path) && typeof data === "string") {
        operations.push({ kind: "create", path }, { kind: "write", path, bytes: Buffer.from(data) });
      }
    },
  };
  Object.assign(fs, replaced);
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    Object.assign(fs, { link, open, rename, rm, writeFile });
    syncBuiltinESMExports();
  }
  return operations;
}

/** A handle that records its operations. A handle that was opened for reading and is synced belongs to a folder. */
function recorded(handle: Handle, path: string, flags: unknown, operations: Operation[]): Handle {
  const { sync } = handle;
  let end = 0;
  const write = handle.write as Write;
  // Sources pass the flags as numbers.
  const isRead = typeof flags !== "string" || flags === "r";
  if (!isRead) {
    operations.push({ kind: "create", path });
  }
  return Object.assign(handle, {
    write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      if (position !== end) {
        throw new Error(`bytes are written at ${position} (expected ${end}, as the simulated disk appends)`);
      }
      const result = await write.call(handle, bytes, offset, length, position);
      end += result.bytesWritten;
      operations.push({ kind: "write", path, bytes: bytes.slice(offset, offset + result.bytesWritten) });
      return result;
    },
    sync: async () => {
      await sync.call(handle);
      operations.push(isRead ? { kind: "sync directory", path } : { kind: "sync", path });
    },
  });
}
