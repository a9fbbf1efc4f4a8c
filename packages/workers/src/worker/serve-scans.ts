/** The worker's side of a pool: opens files and scans the requested rows. */
import { corrupt, MemoryArena } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import type { ColumnBatch } from "@cfile/encodings";
import { type CFileReader, openCFile, type ScanOptions } from "@cfile/format";
import { BatchPacker } from "../messages/batch-message.js";
import { fieldsOf } from "../messages/error-fields.js";
import type { OpenMessage, PoolMessage, ScanMessage, WorkerMessage } from "../messages/messages.js";
import { checkIdentity } from "../pool/file-identity.js";
import { openInput } from "../pool/file-input.js";
import { type MessageEnd, onMessage } from "../pool/worker-like.js";

/** Options of a worker script of your own. */
export interface ServeOptions {
  /** Codecs to expand blocks with. Default: the built-in LZ4, Snappy and zlib. */
  readonly codecs?: CodecSet | undefined;
}

/** Batches are sent when they have this many bytes, and at the end of the task. */
const MESSAGE_BYTES = 512 * 1024;
/** Memory kept for the next blocks: as much as the tasks that run or wait for the consumer take. */
const KEPT = { maxBuffers: 256, maxBytes: 64 * 1024 * 1024 };

/**
 * Serves a pool. A worker script calls this once with its own end of the channel: `self` on the web, `parentPort` in Node.
 * Failures are sent to the pool, not thrown.
 */
export function serveScans(end: MessageEnd, { codecs }: ServeOptions = {}): void {
  const files = new Map<number, () => Promise<CFileReader>>();
  const running = new Map<number, AbortController>();
  // The memory of batches goes to the consumer with them and comes back: allocating it costs a thread more than decoding into it, and
  // releasing it to the system stops all threads of the process.
  const memory = new MemoryArena(KEPT);

  /** Tasks run concurrently: one decodes while the other waits for its bytes. */
  const scan = async ({ task, file, rows, options, reuseMemory }: ScanMessage): Promise<void> => {
    const controller = new AbortController();
    running.set(task, controller);
    const work = async () => {
      const arena = reuseMemory ? memory.share() : undefined;
      const reader = await files.get(file)?.();
      await (reader && sendRows(end, task, reader, rows, { ...options, arena, signal: controller.signal }));
    };
    const error = await work().then(() => undefined, fieldsOf);
    running.delete(task);
    send(end, { kind: "end", task, error });
  };
  onMessage(end, (data) => {
    const message = data as PoolMessage;
    switch (message.kind) {
      case "open": {
        let opened: Promise<CFileReader> | undefined;
        files.set(message.file, () => {
          opened ??= open(message, codecs);
          return opened;
        });
        break;
      }
      case "scan":
        void scan(message);
        break;
      case "cancel":
        running.get(message.task)?.abort();
        break;
      case "reuse":
        memory.adopt(message.buffers);
        break;
      case "close":
        // Tasks have already reported files that cannot be opened.
        files
          .get(message.file)?.()
          .then((file) => file.close())
          .catch(() => undefined);
        files.delete(message.file);
        break;
    }
  });
}

async function open(
  { input, identity, options }: OpenMessage,
  codecs: CodecSet | undefined,
): Promise<CFileReader> {
  const source = await openInput(input);
  try {
    const file = await openCFile(source, { ...options, codecs });
    checkIdentity(file, identity);
    return file;
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

async function sendRows(
  end: MessageEnd,
  task: number,
  file: CFileReader,
  { from, to, next }: ScanMessage["rows"],
  options: ScanOptions,
): Promise<void> {
  const { arena } = options;
  let packer = new BatchPacker(arena);
  let nextRow = from;
  // A batch may share memory with its block until the scan reaches the next one.
  const ofBlock: ColumnBatch[] = [];
  const pack = (minBytes: number): void => {
    for (const batch of ofBlock.splice(0)) {
      packer.add(batch);
    }
    if (packer.bytes >= minBytes) {
      const { batches, transfer } = packer;
      send(end, { kind: "batches", task, batches, buffers: arena ? transfer : [] }, transfer);
      packer = new BatchPacker(arena);
    }
  };
  const onBlock = (blockEnd: number): void => {
    nextRow = blockEnd;
    pack(MESSAGE_BYTES);
  };
  try {
    for await (const batch of file.scan({ ...options, rows: { from, to }, onBlock })) {
      ofBlock.push(batch);
    }
  } finally {
    pack(0);
    arena?.recycle();
  }
  if (next !== undefined && (options.where === undefined ? nextRow !== to : nextRow > to)) {
    throw corrupt(`block ends before row ${nextRow} (the positional index has the next one at row ${to})`, {
      path: file.path,
      block: next,
      field: "ordinal",
      expected: nextRow,
      actual: to,
    });
  }
}

function send(end: MessageEnd, message: WorkerMessage, transfer: ArrayBuffer[] = []): void {
  end.postMessage(message, transfer);
}
