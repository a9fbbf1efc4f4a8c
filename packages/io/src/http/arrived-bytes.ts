import { memoryFor } from "../source/byte-source.js";

/** Pieces of this size or more are kept without copying; smaller ones, each with its own allocation, are copied into slabs. */
const LARGE = 16 * 1024;
const SLAB = 64 * 1024;

/** The bytes of a stream that have arrived so far. */
export class ArrivedBytes {
  /** Number of bytes. */
  length = 0;
  private readonly pieces: Uint8Array[] = [];
  private readonly starts: number[] = [];
  /** The last piece, if it is a slab with room left. */
  private slab: Uint8Array | undefined;
  /** Bytes used in the slab. */
  private used = 0;

  /** @param bytes must not change afterwards */
  append(bytes: Uint8Array): void {
    if (bytes.length >= LARGE) {
      this.closeSlab();
      this.push(bytes);
      this.length += bytes.length;
      return;
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
      this.length += part.length;
      from += part.length;
      if (this.used === SLAB) {
        this.slab = undefined;
      }
    }
  }

  /**
   * Bytes `start` to `end`, which must have arrived: a view if they lie in one piece.
   *
   * @param target memory for a copy, if it is large enough
   */
  between(start: number, end: number, target?: Uint8Array): Uint8Array {
    let at = this.pieceOf(start);
    const first = this.pieces[at];
    const from = start - (this.starts[at] ?? 0);
    if (first === undefined || from + end - start <= first.length) {
      return first?.subarray(from, from + end - start) ?? new Uint8Array(0);
    }
    const bytes = memoryFor(end - start, target);
    bytes.set(first.subarray(from));
    for (let filled = first.length - from; filled < bytes.length && ++at < this.pieces.length; ) {
      const piece = this.pieces[at]?.subarray(0, bytes.length - filled);
      bytes.set(piece ?? [], filled);
      filled += piece?.length ?? 0;
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
    this.starts.push(this.length);
  }

  /** Releases the unused rest of the last slab. */
  private closeSlab(): void {
    if (this.slab !== undefined) {
      this.pieces[this.pieces.length - 1] = this.slab.slice(0, this.used);
      this.slab = undefined;
    }
  }
}
