/** A growable byte buffer, the counterpart of `ByteReader` for writing. */
export class ByteBuilder {
  protected buffer: Uint8Array;
  protected view: DataView;
  /** Bytes written so far. */
  length = 0;

  constructor(capacity = 256) {
    this.buffer = new Uint8Array(Math.max(16, capacity));
    this.view = new DataView(this.buffer.buffer);
  }

  /** Makes room for `extra` more bytes; returns the buffer, in which they start at `length`. */
  reserve(extra: number): Uint8Array {
    const needed = this.length + extra;
    if (needed > this.buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
      grown.set(this.buffer.subarray(0, this.length));
      this.buffer = grown;
      this.view = new DataView(grown.buffer);
    }
    return this.buffer;
  }

  /** Appends the low 8 bits of `value`. */
  u8(value: number): void {
    this.reserve(1)[this.length++] = value;
  }

  /** Appends the low 16 bits of `value`, little-endian. */
  u16le(value: number): void {
    this.reserve(2);
    this.view.setUint16(this.length, value, true);
    this.length += 2;
  }

  /** Appends the low 32 bits of `value`, little-endian. */
  u32le(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  /** Appends the low 32 bits of `value`, big-endian. */
  u32be(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, false);
    this.length += 4;
  }

  /** Appends a copy of `bytes`. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The 32-bit word written at `position`. */
  i32leAt(position: number): number {
    return this.view.getInt32(position, true);
  }

  /** Overwrites the word at `position`, for example a length that is known only at the end. */
  setU32le(position: number, value: number): void {
    this.view.setUint32(position, value, true);
  }

  /** Removes the content and keeps the memory. */
  clear(): void {
    this.length = 0;
  }

  /** The content, not copied: valid until the next write or `clear()`. */
  view8(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** A copy of the content. */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }

  /** Returns the content and clears the builder: a copy, or (`reuse`) bytes that are valid until the next write. */
  take(reuse: boolean): Uint8Array {
    const bytes = reuse ? this.view8() : this.finish();
    this.clear();
    return bytes;
  }
}
