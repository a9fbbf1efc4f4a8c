import { type ByteSource, readExactly } from "@cfile/io";

/** Bytes per request; larger pages are read whole. */
const WINDOW_BYTES = 256 * 1024;

/** The bytes of a chunk, read in order and many at a time. */
export class ChunkWindow {
  private readonly source: ByteSource;
  /** File offset that is not passed. */
  private readonly end: number;
  private readonly signal: AbortSignal | undefined;
  private start = 0;
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource, end: number, signal: AbortSignal | undefined) {
    this.source = source;
    this.end = end;
    this.signal = signal;
  }

  /** At least `length` bytes from `offset` on, all before the end. */
  async from(offset: number, length: number, field: string): Promise<Uint8Array> {
    const at = offset - this.start;
    if (at < 0 || at + length > this.bytes.length) {
      const size = Math.min(Math.max(length, WINDOW_BYTES), this.end - offset);
      this.bytes = await readExactly(this.source, offset, size, { signal: this.signal, field });
      this.start = offset;
    }
    return this.bytes.subarray(offset - this.start);
  }
}
