/**
 * Where decoded values go: memory of their own, or an arena, whose buffers are used again. The first touch of memory that is new
 * from the system costs more than decoding into it (npm run bench -- --only scan-columns: "each batch in new memory").
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

/** What an arena keeps of buffers that are free; the oldest beyond that are released. */
export interface ArenaBudget {
  /** Default 16: a block of one column takes a handful. */
  readonly maxBuffers?: number | undefined;
  /** Default: no limit but that of `maxBuffers`. */
  readonly maxBytes?: number | undefined;
}

/**
 * Memory that is used again. As the `arena` of a scan it holds one batch at a time: the batch, its arrays and everything cut from
 * them are valid until the next batch is asked for. Scans one after the other, of other files too, may share an arena; scans at
 * the same time may not.
 *
 * An arena has parts, arenas of their own that live as long as it does: each column of a table takes one, what is read another.
 */
export class MemoryArena implements BlockMemory {
  private readonly budget: ArenaBudget;
  private readonly origin: MemoryArena | undefined;
  private readonly free: FreeBuffers;
  private readonly taken = new Set<ArrayBuffer>();
  private readonly parts = new Map<string | number, MemoryArena>();

  /** @param origin for {@link MemoryArena.share} */
  constructor(budget: ArenaBudget = {}, origin?: MemoryArena) {
    this.budget = budget;
    this.origin = origin;
    this.free = origin?.free ?? new FreeBuffers(budget);
  }

  take(byteLength: number, zeroed = false): ArrayBuffer {
    const buffer = this.free.take(byteLength, zeroed);
    this.taken.add(buffer);
    return buffer;
  }

  /** All that was taken is free again; nobody may look at it any more. Parts are not touched. */
  recycle(): void {
    this.free.put(this.taken);
    this.taken.clear();
  }

  /** One buffer that was taken is free again; one that was detached is not. */
  giveBack(buffer: ArrayBuffer): void {
    if (this.detach(buffer)) {
      this.free.put([buffer]);
    }
  }

  /** Buffers that nobody looks at any more, to be used. */
  adopt(buffers: Iterable<ArrayBuffer>): void {
    this.free.put(buffers);
  }

  /** A buffer that was taken stays with those who have it; whether it was taken. */
  detach(buffer: ArrayBufferLike): buffer is ArrayBuffer {
    return this.taken.delete(buffer as ArrayBuffer);
  }

  /** All that was taken, of parts too, stays with those who have it. */
  detachAll(): void {
    this.taken.clear();
    for (const part of this.parts.values()) {
      part.detachAll();
    }
  }

  /** The part of this name, the same at each call. */
  part(name: string | number): MemoryArena {
    const known = this.parts.get(name);
    if (known !== undefined) {
      return known;
    }
    const part = this.origin?.part(name).share() ?? new MemoryArena(this.budget);
    this.parts.set(name, part);
    return part;
  }

  /** An arena for another scan at the same time, which takes from the same free buffers. */
  share(): MemoryArena {
    return new MemoryArena(this.budget, this);
  }
}

/** A buffer serves requests down to this part of its size. */
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

  /** Keeps buffers; those that were transferred away have no bytes and are left out. */
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
    let bestSize = Number.POSITIVE_INFINITY;
    for (const [i, { byteLength: size }] of this.buffers.entries()) {
      if (
        size >= byteLength &&
        size > 0 &&
        size * MIN_USE <= Math.max(byteLength, GRANULE) &&
        size < bestSize
      ) {
        best = i;
        bestSize = size;
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
