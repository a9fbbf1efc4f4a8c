/** Writes text to a stream, with backpressure. */
import type { Writable } from "node:stream";
import { CFileError } from "@cfile/bytes";

/** The reader has closed the output, as in `| head`: the command ends without an error. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

export class TextOutput {
  private readonly stream: Writable;
  private failure: unknown;

  constructor(stream: Writable) {
    this.stream = stream;
    stream.on("error", this.onError);
  }

  /**
   * Settles when the stream can take more.
   *
   * @throws OutputClosed when the reader has closed the output
   * @throws {CFileError} `E_IO` when the stream failed
   */
  async write(piece: string | Uint8Array): Promise<void> {
    this.check();
    if (piece.length > 0 && !this.stream.write(piece)) {
      await this.drained();
    }
    this.check();
  }

  line(text = ""): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** Settles when all output has left the process, or has failed to. */
  async flush(): Promise<void> {
    if (this.failure === undefined) {
      await new Promise<void>((settle) => {
        this.stream.write("", () => settle());
      });
      // A stream reports its failure right after the callback.
      await new Promise<void>((settle) => setImmediate(settle));
    }
    this.check();
  }

  /** Stops listening to the stream. */
  release(): void {
    this.stream.off("error", this.onError);
  }

  private readonly onError = (error: unknown): void => {
    this.failure ??= error;
  };

  private drained(): Promise<void> {
    const { stream } = this;
    const events = ["drain", "error", "close"];
    return new Promise((settle) => {
      const done = (): void => {
        events.forEach((event) => void stream.off(event, done));
        settle();
      };
      events.forEach((event) => void stream.on(event, done));
    });
  }

  private check(): void {
    const { failure } = this;
    if (failure === undefined) {
      if (this.stream.destroyed) {
        throw new OutputClosed();
      }
      return;
    }
    if (failure instanceof Error && "code" in failure && failure.code === "EPIPE") {
      throw new OutputClosed();
    }
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new CFileError("E_IO", `cannot write the output: ${reason}`, { cause: failure });
  }
}
