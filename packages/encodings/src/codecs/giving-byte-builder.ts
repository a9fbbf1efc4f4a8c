import { ByteBuilder } from "@cfile/bytes";

/** Part of the bytes that may go unused in memory that is given away. */
const MOST_WASTE = 1 / 32;
/** Memory of up to so many bytes is kept, whatever part of it was used. */
const LEAST_SHARED = 4096;

/** A growable byte buffer that can give away the memory it has written to. */
export class GivingByteBuilder extends ByteBuilder {
  /** Bytes that new memory will probably have to hold. */
  private likely = 16;

  override reserve(extra: number): Uint8Array {
    return super.reserve(this.buffer.length === 0 ? Math.max(extra, this.likely - this.length) : extra);
  }

  /**
   * Gives what was written and starts again. The memory it stands in, with room for `tail` more bytes behind it, then belongs
   * to whoever has it; what stands in far more memory is copied.
   */
  give(tail: number): Uint8Array {
    const needed = this.length + tail;
    const roomy = needed + Math.ceil(needed * MOST_WASTE);
    const room = this.buffer.length;
    const fits = needed <= room && room <= roomy;
    const bytes = fits ? this.view8() : withRoom(this.view8(), needed);
    // What comes next is often as long: then it will not have to be copied.
    if (fits || room < roomy || room > LEAST_SHARED) {
      this.buffer = new Uint8Array(0);
      this.view = new DataView(this.buffer.buffer);
      this.likely = roomy;
    }
    this.clear();
    return bytes;
  }
}

function withRoom(bytes: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(bytes);
  return copy.subarray(0, bytes.length);
}
