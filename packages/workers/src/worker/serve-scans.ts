/** The worker's side of a pool: opens files and scans the rows it is told to. */
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

/** What a worker of your own scans with. */
export interface ServeOptions {
  /** Codecs to expand blocks with. Default: the built-in LZ4, Snappy and zlib. */
  readonly codecs?: CodecSet | undefined;
}

/** Decoded batches are sent when they have this many bytes, or at the end of the task. */
const MESSAGE_BYTES = 512 * 1024;
/** Memory kept for the next blocks: what the tasks that are under way or wait for the consumer take. */
const KEPT = { maxBuffers: 256, maxBytes: 64 * 1024 * 1024 };

/**
 * Answers a pool. A worker's script calls this once with its own end of the channel: `self` on the web, `parentPort` in
 * Node.
 */
export function serveScans(end: MessageEnd, options: ServeOptions = {}): void {
  const server = new ScanServer(end, options);
  onMessage(end, (message) => server.receive(message as PoolMessage));
}

class ScanServer {
  private readonly end: MessageEnd;
  private readonly options: ServeOptions;
  /** Opened at the first task. */
  private readonly files = new Map<number, () => Promise<CFileReader>>();
  private readonly running = new Map<number, AbortController>();
  /**
   * What batches are decoded into goes to the consumer with them and comes back: new memory costs a thread more than decoding into it,
   * and returning it to the system stops all threads of the process.
   */
  private readonly memory = new MemoryArena(KEPT);

  constructor(end: MessageEnd, options: ServeOptions) {
    this.end = end;
    this.options = options;
  }

  receive(message: PoolMessage): void {
    switch (message.kind) {
      case "open":
        this.files.set(
          message.file,
          once(() => this.open(message)),
        );
        break;
      case "scan":
        void this.scan(message);
        break;
      case "cancel":
        this.running.get(message.task)?.abort();
        break;
      case "reuse":
        this.memory.adopt(message.buffers);
        break;
      case "close":
        void this.close(message.file);
        break;
    }
  }

  private async open({ input, identity, options }: OpenMessage): Promise<CFileReader> {
    const source = await openInput(input);
    try {
      const file = await openCFile(source, { ...options, codecs: this.options.codecs });
      checkIdentity(file, identity);
      return file;
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }

  private async close(id: number): Promise<void> {
    const open = this.files.get(id);
    this.files.delete(id);
    try {
      await (await open?.())?.close();
    } catch {
      // The tasks told why it could not be opened.
    }
  }

  /** Tasks run side by side: one decodes while the other waits for its bytes. */
  private async scan({ task, file, rows, options, reuseMemory }: ScanMessage): Promise<void> {
    const controller = new AbortController();
    this.running.set(task, controller);
    let error: unknown;
    try {
      const reader = await this.files.get(file)?.();
      if (reader !== undefined) {
        const arena = reuseMemory ? this.memory.share() : undefined;
        await this.sendRows(task, reader, rows, { ...options, arena, signal: controller.signal });
      }
    } catch (cause) {
      error = cause;
    }
    this.running.delete(task);
    this.send({ kind: "end", task, error: error === undefined ? undefined : fieldsOf(error) });
  }

  private async sendRows(
    task: number,
    file: CFileReader,
    { from, to, next }: ScanMessage["rows"],
    options: ScanOptions,
  ): Promise<void> {
    const { arena } = options;
    let packer = new BatchPacker(arena);
    let nextRow = from;
    const flush = (): void => {
      const { batches, transfer } = packer;
      this.send({ kind: "batches", task, batches, buffers: arena ? transfer : [] }, transfer);
      packer = new BatchPacker(arena);
    };
    // A batch may share memory with its block until the scan goes on to the next one.
    let ofBlock: ColumnBatch[] = [];
    const pack = (): void => {
      for (const batch of ofBlock) {
        packer.add(batch);
      }
      ofBlock = [];
    };
    const onBlock = (behind: number): void => {
      nextRow = behind;
      pack();
      if (packer.bytes >= MESSAGE_BYTES) {
        flush();
      }
    };
    try {
      for await (const batch of file.scan({ ...options, rows: { from, to }, onBlock })) {
        ofBlock.push(batch);
      }
    } finally {
      pack();
      flush();
      arena?.recycle();
    }
    if (next !== undefined && (options.where === undefined ? nextRow !== to : nextRow > to)) {
      throw corrupt(`a block ends before row ${nextRow}, the index has the next one start at row ${to}`, {
        path: file.path,
        block: next,
        field: "ordinal",
        expected: nextRow,
        actual: to,
      });
    }
  }

  private send(message: WorkerMessage, transfer: ArrayBuffer[] = []): void {
    this.end.postMessage(message, transfer);
  }
}

/** The same promise at every call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
