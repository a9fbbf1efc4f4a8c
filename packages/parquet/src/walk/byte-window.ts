/**
 * A window of a source's bytes that slides forward: sequential reads take few large requests, and the next bytes are read while the current
 * ones are used.
 *
 * | bytes of a buffer | content |
 * | --- | --- |
 * | `CARRY_BYTES` | at the end: the last bytes of the previous window |
 * | `WINDOW_BYTES` | read with one request |
 */
import { type ByteSource, readExactly } from "@cfile/io";

/** Bytes per request; larger ranges are read whole. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Maximum bytes carried over from the previous window. */
const CARRY_BYTES = 2 * 1024 * 1024;
const BUFFER_BYTES = CARRY_BYTES + WINDOW_BYTES;
const NONE = /* @__PURE__ */ new Uint8Array(0);

/** Bytes that are being read into a buffer. */
interface Ahead {
  readonly start: number;
  readonly length: number;
  readonly buffer: Uint8Array;
  readonly bytes: Promise<Uint8Array>;
}

export class ByteWindow {
  readonly source: ByteSource;
  readonly size: number;
  private readonly signal: AbortSignal | undefined;
  /** The buffer for the next bytes, then the buffer of the window, unless the window is longer than a buffer. */
  private buffers: readonly [Uint8Array, Uint8Array] | undefined;
  private ahead: Ahead | undefined;
  private start = 0;
  private bytes: Uint8Array = NONE;

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
      await this.load(offset, wanted);
    }
    return this.bytes.subarray(offset - this.start, offset - this.start + wanted);
  }

  /** All bytes of the window from `offset` on: at least `length`, unless the source ends earlier. */
  async rest(offset: number, length: number): Promise<Uint8Array> {
    await this.at(offset, length);
    return this.bytes.subarray(offset - this.start);
  }

  private async load(offset: number, wanted: number): Promise<void> {
    const isNext = offset >= this.start && offset <= this.start + this.bytes.length;
    const { ahead } = this;
    this.ahead = undefined;
    const arrived = await ahead?.bytes;
    const carried = ahead === undefined ? -1 : ahead.start - offset;
    if (
      ahead === undefined ||
      arrived === undefined ||
      !(isNext && carried <= CARRY_BYTES && wanted <= carried + ahead.length)
    ) {
      await this.loadAlone(offset, Math.min(this.size - offset, Math.max(wanted, WINDOW_BYTES)));
    } else {
      const { buffer, length } = ahead;
      buffer.set(this.bytes.subarray(this.bytes.length - carried), CARRY_BYTES - carried);
      if (arrived.buffer !== buffer.buffer) {
        buffer.set(arrived, CARRY_BYTES);
      }
      this.bytes = buffer.subarray(CARRY_BYTES - carried, CARRY_BYTES + length);
      this.swap();
    }
    this.start = offset;
    if (isNext && this.source.isMemory !== true) {
      this.readAhead();
    }
  }

  private async loadAlone(offset: number, length: number): Promise<void> {
    const { source, signal } = this;
    const isShort = length <= WINDOW_BYTES && source.isMemory !== true;
    const target = isShort ? this.next().subarray(0, length) : undefined;
    this.bytes = length === 0 ? NONE : await readExactly(source, offset, length, { signal, target });
    if (isShort) {
      this.swap();
    }
  }

  private readAhead(): void {
    const { source, signal } = this;
    const start = this.start + this.bytes.length;
    const length = Math.min(WINDOW_BYTES, this.size - start);
    if (length > 0) {
      const buffer = this.next();
      const target = buffer.subarray(CARRY_BYTES, CARRY_BYTES + length);
      const bytes = readExactly(source, start, length, { signal, target });
      // The error is thrown when the bytes are used.
      bytes.catch(() => undefined);
      this.ahead = { start, length, buffer, bytes };
    }
  }

  /** The buffer that does not hold the window. */
  private next(): Uint8Array {
    this.buffers ??= [new Uint8Array(BUFFER_BYTES), new Uint8Array(BUFFER_BYTES)];
    return this.buffers[0];
  }

  private swap(): void {
    this.buffers = this.buffers && [this.buffers[1], this.buffers[0]];
  }
}
