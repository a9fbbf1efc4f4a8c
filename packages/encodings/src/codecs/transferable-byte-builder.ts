import { ByteBuilder } from "@cfile/bytes";

/** Maximum unused fraction of memory that is handed to the caller. */
const MAX_WASTE = 1 / 32;
/** Memory of up to this size is kept, however little of it was used. */
const MAX_KEPT = 4096;

/** A growable byte buffer that can hand its memory to the caller instead of copying. */
export class TransferableByteBuilder extends ByteBuilder {
  /** Expected size of the next content. */
  private likely = 16;

  override reserve(extra: number): Uint8Array {
    return super.reserve(this.buffer.length === 0 ? Math.max(extra, this.likely - this.length) : extra);
  }

  /**
   * Returns the content and starts over. The memory, with `tail` spare bytes after the content, then belongs to the caller; content
   * that uses too little of its memory is copied.
   */
  transfer(tail: number): Uint8Array {
    const needed = this.length + tail;
    const roomy = needed + Math.ceil(needed * MAX_WASTE);
    const room = this.buffer.length;
    const fits = needed <= room && room <= roomy;
    let bytes = this.view8();
    if (!fits) {
      const copy = new Uint8Array(needed);
      copy.set(bytes);
      bytes = copy.subarray(0, bytes.length);
    }
    // The next content often has the same length, and is then not copied.
    if (fits || room < roomy || room > MAX_KEPT) {
      this.buffer = new Uint8Array(0);
      this.view = new DataView(this.buffer.buffer);
      this.likely = roomy;
    }
    this.clear();
    return bytes;
  }
}
