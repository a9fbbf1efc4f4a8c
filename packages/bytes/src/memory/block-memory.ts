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

/** A buffer serves requests down to this part of its size. */
const LEAST_USE = 1 / 4;
const GRANULE = 4096;

/** Buffers that nobody looks at any more, for who needs one. */
export class SpareBuffers {
  private readonly mostBuffers: number;
  private readonly mostBytes: number;
  private readonly buffers: ArrayBuffer[] = [];
  private bytes = 0;

  /** @param mostBuffers, mostBytes what is kept; of more, the oldest are given up */
  constructor({ mostBuffers, mostBytes }: { readonly mostBuffers: number; readonly mostBytes: number }) {
    this.mostBuffers = mostBuffers;
    this.mostBytes = mostBytes;
  }

  /** Keeps buffers; those that were transferred away have no bytes and are left out. */
  put(buffers: Iterable<ArrayBuffer>): void {
    for (const buffer of buffers) {
      if (buffer.byteLength > 0) {
        this.buffers.push(buffer);
        this.bytes += buffer.byteLength;
      }
    }
    while (this.buffers.length > this.mostBuffers || this.bytes > this.mostBytes) {
      this.bytes -= this.buffers.shift()?.byteLength ?? 0;
    }
  }

  /** One of them with at least `byteLength` bytes, or a new one; the leading `byteLength` bytes are zero if `zeroed`. */
  take(byteLength: number, zeroed: boolean): ArrayBuffer {
    const buffer = this.fitting(byteLength);
    if (buffer === undefined) {
      return new ArrayBuffer(Math.ceil(Math.max(1, byteLength) / GRANULE) * GRANULE);
    }
    if (zeroed) {
      new Uint8Array(buffer, 0, byteLength).fill(0);
    }
    return buffer;
  }

  /** The smallest that is large enough and not far too large. One that was transferred away since has no bytes. */
  private fitting(byteLength: number): ArrayBuffer | undefined {
    let best = -1;
    for (let i = 0; i < this.buffers.length; i++) {
      const size = (this.buffers[i] as ArrayBuffer).byteLength;
      const isBetter = best < 0 || size < (this.buffers[best] as ArrayBuffer).byteLength;
      if (size >= byteLength && size > 0 && size * LEAST_USE <= Math.max(byteLength, GRANULE) && isBetter) {
        best = i;
      }
    }
    if (best < 0) {
      return undefined;
    }
    const [found] = this.buffers.splice(best, 1);
    this.bytes -= found?.byteLength ?? 0;
    return found;
  }
}

/** Buffers kept for the next block; a block of one column takes a handful. */
const MOST_BUFFERS = 16;

/** Gives out the same buffers again and again: all that was taken is free again at `recycle`. */
export class RecycledMemory implements BlockMemory {
  private readonly spare = new SpareBuffers({
    mostBuffers: MOST_BUFFERS,
    mostBytes: Number.POSITIVE_INFINITY,
  });
  private readonly taken: ArrayBuffer[] = [];

  take(byteLength: number, zeroed = false): ArrayBuffer {
    const buffer = this.spare.take(byteLength, zeroed);
    this.taken.push(buffer);
    return buffer;
  }

  /** What was taken stays with those who have it. */
  release(): void {
    this.taken.length = 0;
  }

  /** Whoever has something that was taken may not look at it any more. */
  recycle(): void {
    this.spare.put(this.taken);
    this.taken.length = 0;
  }
}
