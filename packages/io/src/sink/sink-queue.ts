/**
 * How writers of files use a sink: finished bytes wait in a queue and go out in larger pieces, one write after the other;
 * after any error the sink is aborted and nothing more is taken, so that a file comes out complete or not at all.
 */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ByteSink } from "./byte-sink.js";

/** Maximum bytes in the queue, apart from those of a single step. */
const FLUSH_BYTES = 1 << 20;

/** Hands pieces to a sink one after the other, so that a writer need not wait after each. */
export class SinkQueue {
  /** Bytes taken so far: the file offset of the next ones. */
  position = 0;
  private readonly sink: ByteSink;
  private readonly queue: Uint8Array[] = [];
  private queued = 0;
  private state: "open" | "finished" | "failed" = "open";
  private flushing: Promise<void> = Promise.resolve();

  constructor(sink: ByteSink) {
    this.sink = sink;
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` when the file is finished or the write was aborted */
  requireOpen(): void {
    if (this.state !== "open") {
      throw invalidArgument(
        this.state === "finished" ? "the file is finished" : "the write was aborted after an error",
        { path: this.sink.name },
      );
    }
  }

  /** Takes the next bytes, which must not change any more. */
  emit(bytes: Uint8Array): void {
    this.queue.push(bytes);
    this.queued += bytes.length;
    this.position += bytes.length;
  }

  /**
   * Runs `step`, which emits bytes, and hands them on once there are enough. An error of either aborts the write.
   *
   * @throws CFileError `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error
   */
  async run(step: () => void): Promise<void> {
    this.requireOpen();
    try {
      step();
      await this.flush(FLUSH_BYTES);
    } catch (error) {
      throw await this.fail(error);
    }
  }

  /**
   * Runs `lastStep`, hands on what is left and closes the sink. An error of any aborts the write.
   *
   * @throws CFileError `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error
   */
  async finish<T>(lastStep: () => T): Promise<T> {
    this.requireOpen();
    let result: T;
    try {
      result = lastStep();
      await this.flush(0);
      await this.sink.close();
    } catch (error) {
      throw await this.fail(error);
    }
    this.state = "finished";
    return result;
  }

  /** Aborts the write: nothing stays behind. Does nothing after {@link finish}. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      await this.flushing.catch(() => undefined);
      await this.sink.abort(reason);
    }
  }

  /** Hands the queue to the sink when it holds more than `threshold` bytes. */
  private flush(threshold: number): Promise<void> {
    if (this.queued > threshold) {
      const pieces = this.queue.splice(0);
      this.queued = 0;
      this.flushing = this.flushing.then(async () => {
        for (const piece of pieces) {
          await this.sink.write(piece, true);
        }
      });
    }
    return this.flushing;
  }

  private async fail(error: unknown): Promise<unknown> {
    await this.abort(error);
    return isCFileError(error) && error instanceof CFileError
      ? error.within({ path: this.sink.name })
      : error;
  }
}
