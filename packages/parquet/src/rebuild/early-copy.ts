/**
 * Copies a file to the sink while it is walked, because most pages keep their offset in the new file, and the bytes are then read only
 * once. Pages that turn out to have another offset in the new file are discarded and written later.
 */
import type { ByteSink, ByteSource, ReadOptions } from "@cfile/io";
import { MAGIC } from "../write/parquet-output.js";

/** Maximum bytes copied before the walk has found pages in them. */
const MAX_UNKNOWN = 32 * 1024 * 1024;

export class EarlyCopy {
  /** The file; bytes read through this source are copied. */
  readonly source: ByteSource;
  /** Number of bytes from the start of the file that were passed to the sink. */
  end = 0;
  /** End of the last page that the walk found. */
  private known = 0;
  private readonly sink: ByteSink;
  /** The last write into the sink; it does not reject. */
  private written: Promise<void> = Promise.resolve();
  /** Memory that the sink has not taken yet. */
  private readonly busy = new Map<ArrayBufferLike, Promise<void>>();
  private error: unknown;
  private isStopped: boolean;

  constructor(source: ByteSource, sink: ByteSink) {
    this.sink = sink;
    this.isStopped = sink.truncate === undefined;
    this.source = {
      name: source.name,
      isMemory: source.isMemory,
      size: (options) => source.size(options),
      read: (offset, length, options) => this.read(source, offset, length, options),
    };
  }

  /** Notes that the walk found pages up to `end`. @throws what the sink threw */
  advance(end: number): void {
    this.known = end;
    this.requireWritten();
  }

  /** Stops copying. */
  stop(): void {
    this.isStopped = true;
  }

  /** Waits until the sink has taken all bytes. @throws what the sink threw */
  async finish(): Promise<void> {
    this.stop();
    await this.written;
    this.requireWritten();
  }

  private requireWritten(): void {
    if (this.error !== undefined) {
      throw this.error;
    }
  }

  private async read(
    source: ByteSource,
    offset: number,
    length: number,
    options?: ReadOptions,
  ): Promise<Uint8Array> {
    const target = options?.target;
    await (target === undefined ? this.written : this.busy.get(target.buffer));
    const bytes = await source.read(offset, length, options);
    const isNext = offset <= this.end && this.end < offset + bytes.length;
    if (isNext && this.end === 0 && !MAGIC.every((byte, i) => bytes[i] === byte)) {
      this.stop();
    }
    if (isNext && !this.isStopped && this.end <= this.known + MAX_UNKNOWN) {
      this.write(bytes.subarray(this.end - offset));
      this.end = offset + bytes.length;
    }
    return bytes;
  }

  private write(bytes: Uint8Array): void {
    const written = this.written.then(async () => {
      try {
        if (this.error === undefined) {
          await this.sink.write(bytes);
        }
      } catch (error) {
        this.error = error;
        this.stop();
      }
      if (this.busy.get(bytes.buffer) === written) {
        this.busy.delete(bytes.buffer);
      }
    });
    this.written = written;
    this.busy.set(bytes.buffer, written);
  }
}
