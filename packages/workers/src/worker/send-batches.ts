/** Sends the batches of a task to the pool. */
import type { MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { CFileReader, ScanOptions } from "@cfile/format";
import { BatchPacker } from "../messages/batch-message.js";
import type { BatchesMessage } from "../messages/messages.js";
import type { RowTask } from "../pool/row-tasks.js";
import { TaskBatches } from "./task-batches.js";

/** Batches are sent when they have this many bytes, and at the end of the task. */
const MESSAGE_BYTES = 512 * 1024;

/**
 * @param options with `arena`, the consumer returns the memory of the batches
 * @throws {CFileError} as {@link TaskBatches}, after the batches before the error
 */
export async function sendBatches(
  send: (message: Omit<BatchesMessage, "task">, transfer: ArrayBuffer[]) => void,
  file: CFileReader,
  rows: RowTask,
  options: ScanOptions & { readonly arena: MemoryArena | undefined },
): Promise<void> {
  const { arena } = options;
  let packer = new BatchPacker(arena);
  // A batch may share memory with its block until the scan reaches the next one.
  const ofBlock: ColumnBatch[] = [];
  const pack = (minBytes: number): void => {
    for (const batch of ofBlock.splice(0)) {
      packer.add(batch);
    }
    if (packer.bytes >= minBytes) {
      const { batches, transfer } = packer;
      send({ kind: "batches", batches, buffers: arena ? transfer : [] }, transfer);
      packer = new BatchPacker(arena);
    }
  };
  try {
    for await (const batch of new TaskBatches(file, rows, {
      ...options,
      onBlock: () => pack(MESSAGE_BYTES),
    })) {
      ofBlock.push(batch);
    }
  } finally {
    pack(0);
  }
}
