/**
 * The queue between a file writer and its sink: finished bytes wait in it and are written in sequence. Any error aborts the sink, so
 * that a file is either complete or absent.
 */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ByteSink } from "./byte-sink.js";

/** Number of queued bytes above which the queue is written. */
const FLUSH_BYTES = 1 << 20;

/** Passes pieces to a sink in order, so that a writer does not wait after each. */
export class SinkQueue {
  /** Bytes emitted so far: the file offset of the next bytes. */
  position = 0;
  private readonly sink: ByteSink;
  private readonly queue: Uint8Array[] = [];
  private queued = 0;
  private state: "open" | "finished" | "failed" = "open";
  private flushing: Promise<void> = Promise.resolve();

  constructor(sink: ByteSink) {
    this.sink = sink;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` after {@link finish}, and after an error */
  requireOpen(): void {
    if (this.state !== "open") {
      const reason =
        this.state === "finished" ? "the file is already finished" : "write aborted after an error";
      throw invalidArgument(reason, { path: this.sink.name });
    }
  }

  /** Queues the next bytes, which must not change afterwards. */
  emit(bytes: Uint8Array): void {
    this.queue.push(bytes);
    this.queued += bytes.length;
    this.position += bytes.length;
  }

  /**
   * Runs `step`, which emits bytes, and writes the queue if it is long enough. Any error aborts the write.
   *
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after {@link finish} or an error
   */
  async run(step: () => void): Promise<void> {
    this.requireOpen();
    try {
      step();
      if (this.queued > FLUSH_BYTES) {
        await this.flush();
      }
    } catch (error) {
      throw await this.failed(error);
    }
  }

  /**
   * Runs `lastStep`, writes the rest of the queue and closes the sink. Any error aborts the write.
   *
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after {@link finish} or an error
   */
  async finish<T>(lastStep: () => T): Promise<T> {
    this.requireOpen();
    try {
      const result = lastStep();
      await this.flush();
      await this.sink.close();
      this.state = "finished";
      return result;
    } catch (error) {
      throw await this.failed(error);
    }
  }

  /** Aborts the write: nothing remains of the file. Does nothing after {@link finish}. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      await this.flushing.catch(() => undefined);
      await this.sink.abort(reason);
    }
  }

  /** Writes the queue after everything that was queued before. */
  private flush(): Promise<void> {
    const pieces = this.queue.splice(0);
    this.queued = 0;
    this.flushing = this.flushing.then(async () => {
      for (const piece of pieces) {
        await this.sink.write(piece, true);
      }
    });
    return this.flushing;
  }

  /** Aborts the write. @returns the error to throw, with the name of the file */
  private async failed(error: unknown): Promise<unknown> {
    await this.abort(error);
    return isCFileError(error) && error instanceof CFileError
      ? error.within({ path: this.sink.name })
      : error;
  }
}
