/** Bytes of an HTTP response, kept in the pieces in which they arrive. */

/** Pieces of this size or more are kept without copying; smaller ones, each with its own allocation, are copied into slabs. */
const LARGE = 16 * 1024;
const SLAB = 64 * 1024;

/** The bytes of a stream that have arrived so far. All offsets are those of the file. */
export class ArrivedBytes {
  readonly start: number;
  /** The end of the last piece. */
  end: number;
  private readonly pieces: Uint8Array[] = [];
  private readonly starts: number[] = [];
  /** The last piece, if it is a slab with room left. */
  private slab: Uint8Array | undefined;
  /** Bytes used in the slab. */
  private used = 0;

  /** @param start file offset of the first byte */
  constructor(start = 0) {
    this.start = start;
    this.end = start;
  }

  /**
   * @param bytes must not change afterwards
   * @param limit bytes beyond this offset are refused. Default: none are
   * @returns whether the bytes were appended
   */
  append(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): boolean {
    if (this.end + bytes.length > limit) {
      return false;
    }
    if (bytes.length >= LARGE) {
      this.closeSlab();
      this.push(bytes);
      this.end += bytes.length;
      return true;
    }
    for (let from = 0; from < bytes.length; ) {
      if (this.slab === undefined) {
        this.slab = new Uint8Array(SLAB);
        this.used = 0;
        this.push(this.slab);
      }
      const part = bytes.subarray(from, from + SLAB - this.used);
      this.slab.set(part, this.used);
      this.used += part.length;
      this.end += part.length;
      from += part.length;
      if (this.used === SLAB) {
        this.slab = undefined;
      }
    }
    return true;
  }

  /**
   * Bytes `start` to `end`, as far as they have arrived: a view if they lie in one piece, else a copy.
   *
   * @param allocate memory for a copy
   */
  between(start: number, end: number, allocate: (length: number) => Uint8Array): Uint8Array {
    const size = Math.max(0, Math.min(end, this.end) - start);
    let at = this.pieceOf(start);
    const from = start - (this.starts[at] ?? start);
    let part = this.pieces[at]?.subarray(from, from + size) ?? new Uint8Array(0);
    if (part.length === size) {
      return part;
    }
    const bytes = allocate(size);
    for (let filled = 0; filled < size; part = this.pieces[++at]?.subarray(0, size - filled) ?? bytes) {
      bytes.set(part, filled);
      filled += part.length;
    }
    return bytes;
  }

  /** Index of the last piece that starts at `offset` or before. */
  private pieceOf(offset: number): number {
    let [low, high] = [0, this.starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private push(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.starts.push(this.end);
  }

  /** Releases the unused rest of the last slab. */
  closeSlab(): void {
    if (this.slab !== undefined) {
      this.pieces[this.pieces.length - 1] = this.slab.slice(0, this.used);
      this.slab = undefined;
    }
  }
}
