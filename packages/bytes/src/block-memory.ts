/**
 * Where decoded blocks go. Memory that is new from the system is dear: the first touch of every page costs more than
 * decoding into it. Who is done with a block before the next one can have its memory used again.
 */
export interface BlockMemory {
  /**
   * At least `byteLength` bytes, of any content unless `zeroed`.
   *
   * @param zeroed whether the leading `byteLength` bytes must be zero. Default `false`
   */
  take(byteLength: number, zeroed?: boolean): ArrayBuffer;
}

/** New memory for everything, which then belongs to whoever has it. */
export const freshMemory: BlockMemory = /* @__PURE__ */ Object.freeze({
  take: (byteLength: number) => new ArrayBuffer(byteLength),
});

/** Buffers kept for the next block; a block of one column takes a handful. */
const MOST_BUFFERS = 16;
/** A buffer serves requests down to this part of its size. */
const LEAST_USE = 1 / 4;
const GRANULE = 4096;

/** Gives out the same buffers again and again: all that was taken is free again at `recycle`. */
export class RecycledMemory implements BlockMemory {
  private readonly taken: ArrayBuffer[] = [];
  private readonly free: ArrayBuffer[] = [];

  take(byteLength: number, zeroed = false): ArrayBuffer {
    const buffer = this.fitting(byteLength);
    if (buffer === undefined) {
      const made = new ArrayBuffer(Math.ceil(Math.max(1, byteLength) / GRANULE) * GRANULE);
      this.taken.push(made);
      return made;
    }
    this.taken.push(buffer);
    if (zeroed) {
      new Uint8Array(buffer, 0, byteLength).fill(0);
    }
    return buffer;
  }

  /** Whoever has something that was taken may not look at it any more. */
  recycle(): void {
    this.free.push(...this.taken);
    this.taken.length = 0;
    if (this.free.length > MOST_BUFFERS) {
      this.free.splice(0, this.free.length - MOST_BUFFERS);
    }
  }

  /** The smallest free buffer that is large enough and not far too large. A buffer that was transferred away has no bytes. */
  private fitting(byteLength: number): ArrayBuffer | undefined {
    let best = -1;
    for (let i = 0; i < this.free.length; i++) {
      const size = (this.free[i] as ArrayBuffer).byteLength;
      const isBetter = best < 0 || size < (this.free[best] as ArrayBuffer).byteLength;
      if (size >= byteLength && size > 0 && size * LEAST_USE <= Math.max(byteLength, GRANULE) && isBetter) {
        best = i;
      }
    }
    return best < 0 ? undefined : this.free.splice(best, 1)[0];
  }
}
