/**
 * Memory for decoded values: new, or from an arena that reuses its buffers. The first touch of new memory costs more than
 * decoding into it (npm run bench -- --only scan-columns: "each batch in new memory").
 */
export interface BlockMemory {
  /**
   * Allocates at least `byteLength` bytes, whose content is undefined unless `zeroed` is set.
   *
   * @param zeroed whether the first `byteLength` bytes must be zero. Default `false`
   */
  take(byteLength: number, zeroed?: boolean): ArrayBuffer;
}

/** Allocates new memory, which belongs to the caller. */
export const freshMemory: BlockMemory = /* @__PURE__ */ Object.freeze({
  take: (byteLength: number) => new ArrayBuffer(byteLength),
});

/** Limits for the free buffers of an arena; the oldest beyond them are released. */
export interface ArenaBudget {
  /** Default 16; a block of one column takes a handful. */
  readonly maxBuffers?: number | undefined;
  /** Default: no limit. */
  readonly maxBytes?: number | undefined;
}

/**
 * Reusable memory. As the `arena` of a scan it holds one batch at a time: the batch, its arrays and all views of them are valid
 * until the next batch. Consecutive scans, also of other files, may share an arena; concurrent scans may not.
 *
 * An arena has parts, which live as long as it does: one for each column of a table, one for stored bytes.
 */
export class MemoryArena implements BlockMemory {
  private readonly budget: ArenaBudget;
  private readonly origin: MemoryArena | undefined;
  private readonly free: FreeBuffers;
  /** In an array, because clearing a set allocates its next table. */
  private readonly taken: ArrayBuffer[] = [];
  private readonly parts = new Map<string | number, MemoryArena>();

  /** @param origin for {@link MemoryArena.share} */
  constructor(budget: ArenaBudget = {}, origin?: MemoryArena) {
    this.budget = budget;
    this.origin = origin;
    this.free = origin?.free ?? new FreeBuffers(budget);
  }

  take(byteLength: number, zeroed = false): ArrayBuffer {
    const buffer = this.free.take(byteLength, zeroed);
    this.taken.push(buffer);
    return buffer;
  }

  /** Frees all buffers taken, which must no longer be used. Buffers of parts are not affected. */
  recycle(): void {
    this.free.put(this.taken);
    this.taken.length = 0;
  }

  /** Frees one buffer, unless it was detached. */
  release(buffer: ArrayBuffer): void {
    if (this.detach(buffer)) {
      this.free.put([buffer]);
    }
  }

  /** Adds buffers that are no longer used elsewhere. */
  adopt(buffers: Iterable<ArrayBuffer>): void {
    this.free.put(buffers);
  }

  /** Transfers ownership of a buffer to the caller; returns whether this arena had allocated it. */
  detach(buffer: ArrayBufferLike): buffer is ArrayBuffer {
    const { taken } = this;
    const at = taken.indexOf(buffer as ArrayBuffer);
    if (at >= 0) {
      taken.splice(at, 1);
    }
    return at >= 0;
  }

  /** Transfers ownership of all buffers taken, including those of parts, to the caller. */
  detachAll(): void {
    this.taken.length = 0;
    for (const part of this.parts.values()) {
      part.detachAll();
    }
  }

  /** The part with this name, the same on every call. */
  part(name: string | number): MemoryArena {
    const part = this.parts.get(name) ?? this.origin?.part(name).share() ?? new MemoryArena(this.budget);
    this.parts.set(name, part);
    return part;
  }

  /** An arena for a concurrent scan, with the same free buffers. */
  share(): MemoryArena {
    return new MemoryArena(this.budget, this);
  }
}

/** A buffer is reused only for requests of at least this share of its size. */
const MIN_USE = 1 / 4;
const GRANULE = 4096;

class FreeBuffers {
  private readonly maxBuffers: number;
  private readonly maxBytes: number;
  private readonly buffers: ArrayBuffer[] = [];
  private bytes = 0;

  constructor({ maxBuffers = 16, maxBytes = Number.POSITIVE_INFINITY }: ArenaBudget) {
    this.maxBuffers = maxBuffers;
    this.maxBytes = maxBytes;
  }

  /** Adds buffers; transferred buffers have no bytes and are skipped. */
  put(buffers: Iterable<ArrayBuffer>): void {
    for (const buffer of buffers) {
      if (buffer.byteLength > 0) {
        this.buffers.push(buffer);
        this.bytes += buffer.byteLength;
      }
    }
    while (this.buffers.length > this.maxBuffers || this.bytes > this.maxBytes) {
      this.bytes -= this.buffers.shift()?.byteLength ?? 0;
    }
  }

  /** The smallest free buffer that is large enough but not wastefully large, or a new one. */
  take(byteLength: number, zeroed: boolean): ArrayBuffer {
    const { buffers } = this;
    let best = -1;
    let bestSize = Number.POSITIVE_INFINITY;
    for (let i = 0; i < buffers.length; i++) {
      const size = buffers[i]?.byteLength ?? 0;
      // A buffer that was transferred after it became free has no bytes.
      const isFitting = size >= byteLength && size > 0 && size * MIN_USE <= Math.max(byteLength, GRANULE);
      if (isFitting && size < bestSize) {
        best = i;
        bestSize = size;
      }
    }
    const [buffer] = best < 0 ? [] : buffers.splice(best, 1);
    if (buffer === undefined) {
      return new ArrayBuffer(Math.ceil(Math.max(1, byteLength) / GRANULE) * GRANULE);
    }
    this.bytes -= buffer.byteLength;
    if (zeroed) {
      new Uint8Array(buffer, 0, byteLength).fill(0);
    }
    return buffer;
  }
}
