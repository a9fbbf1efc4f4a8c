/**
 * A file of this machine, read by ranges. It is opened for each read: the directories of a server have more files than a process
 * may keep open.
 */
import { open, stat } from "node:fs/promises";
import type { RangedFile } from "./ranged-file.js";

export function diskFile(path: string): RangedFile {
  return {
    size: async () => (await stat(path)).size,
    read: async (offset, length) => {
      const file = await open(path);
      try {
        const { size } = await file.stat();
        const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
        return bytes.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
  };
}
