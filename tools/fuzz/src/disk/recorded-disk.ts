/** Records all operations on the files of a folder, while they are executed: those through `node:fs/promises`, and blocking writes. */
import blockingFs from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { Operation } from "./simulated-disk.js";

type Handle = fs.FileHandle;
type WriteSync = (fd: number, bytes: Uint8Array, offset: number, length: number, position: number) => number;
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
  const writeSync = blockingFs.writeSync as WriteSync;
  /** By file descriptor. */
  const files = new Map<number, RecordedFile>();
  const done = <T>(operation: Operation, result: T): T => {
    operations.push(operation);
    return result;
  };
  const replaced: Partial<typeof fs> = {
    open: async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      files.delete(handle.fd);
      if (!isOwn(path)) {
        return handle;
      }
      const file = new RecordedFile(path, flags, operations);
      files.set(handle.fd, file);
      return recorded(handle, file);
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
  const recordedWrite: WriteSync = (fd, bytes, offset, length, position) => {
    const count = writeSync(fd, bytes, offset, length, position);
    files.get(fd)?.write(bytes.slice(offset, offset + count), position);
    return count;
  };
  Object.assign(fs, replaced);
  Object.assign(blockingFs, { writeSync: recordedWrite });
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    Object.assign(fs, { link, open, rename, rm, writeFile });
    Object.assign(blockingFs, { writeSync });
    syncBuiltinESMExports();
  }
  return operations;
}

/** Records the operations on an open file. A file that was opened for reading and is synced is a folder. */
class RecordedFile {
  private readonly path: string;
  private readonly operations: Operation[];
  private readonly isFolder: boolean;
  private end = 0;

  constructor(path: string, flags: unknown, operations: Operation[]) {
    this.path = path;
    this.operations = operations;
    // Sources pass the flags as numbers.
    this.isFolder = typeof flags !== "string" || flags === "r";
    if (!this.isFolder && flags !== "r+") {
      operations.push({ kind: "create", path });
    }
  }

  write(bytes: Uint8Array, position: number): void {
    const { end, path } = this;
    if (position !== end) {
      throw new Error(`bytes are written at ${position} (expected ${end}, as the simulated disk appends)`);
    }
    this.end += bytes.length;
    this.operations.push({ kind: "write", path, bytes });
  }

  sync(): void {
    this.operations.push({ kind: this.isFolder ? "sync directory" : "sync", path: this.path });
  }
}

function recorded(handle: Handle, file: RecordedFile): Handle {
  const { sync } = handle;
  const write = handle.write as Write;
  return Object.assign(handle, {
    write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      const result = await write.call(handle, bytes, offset, length, position);
      file.write(bytes.slice(offset, offset + result.bytesWritten), position);
      return result;
    },
    sync: async () => {
      await sync.call(handle);
      file.sync();
    },
  });
}
