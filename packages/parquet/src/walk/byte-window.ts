/** A window of a source's bytes that slides forward: sequential reads are served by few large requests. */
import { type ByteSource, readExactly } from "@cfile/io";

/** Bytes per request; larger ranges are read whole. */
const WINDOW_BYTES = 4 * 1024 * 1024;

export class ByteWindow {
  readonly source: ByteSource;
  readonly size: number;
  private readonly signal: AbortSignal | undefined;
  private memory: Uint8Array | undefined;
  private start = 0;
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource, size: number, signal?: AbortSignal) {
    this.source = source;
    this.size = size;
    this.signal = signal;
  }

  /** Bytes from `offset` on, fewer than `length` only at the end of the source. Valid until the next call. */
  async at(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const from = offset - this.start;
    if (from < 0 || from + wanted > this.bytes.length) {
      await this.load(offset, Math.min(this.size - offset, Math.max(wanted, WINDOW_BYTES)));
    }
    return this.bytes.subarray(offset - this.start, offset - this.start + wanted);
  }

  /** All bytes of the window from `offset` on: at least `length`, unless the source ends before. */
  async rest(offset: number, length: number): Promise<Uint8Array> {
    await this.at(offset, length);
    return this.bytes.subarray(offset - this.start);
  }

  private async load(offset: number, length: number): Promise<void> {
    const { source, signal } = this;
    if (source.isMemory !== true && length <= WINDOW_BYTES) {
      this.memory ??= new Uint8Array(WINDOW_BYTES);
    }
    const target = length <= WINDOW_BYTES ? this.memory?.subarray(0, length) : undefined;
    this.bytes =
      length === 0 ? new Uint8Array(0) : await readExactly(source, offset, length, { signal, target });
    this.start = offset;
  }
}
