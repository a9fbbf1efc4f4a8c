/**
 * Memory that goes to the consumer with its batches and comes back: new memory costs a thread more than decoding into it,
 * and giving it back to the system stops all threads of the process.
 */
import type { BlockMemory, SpareBuffers } from "@cfile/bytes";

export class TravellingMemory implements BlockMemory {
  private readonly spare: SpareBuffers;
  private readonly taken = new Set<ArrayBuffer>();

  /** @param spare where buffers come from, and those go that did not travel */
  constructor(spare: SpareBuffers) {
    this.spare = spare;
  }

  take(byteLength: number, zeroed = false): ArrayBuffer {
    const buffer = this.spare.take(byteLength, zeroed);
    this.taken.add(buffer);
    return buffer;
  }

  owns(buffer: ArrayBufferLike): buffer is ArrayBuffer {
    return this.taken.has(buffer as ArrayBuffer);
  }

  /** Of all that was taken, `away` is gone; the rest is free again. */
  leave(away: Iterable<ArrayBuffer>): void {
    for (const buffer of away) {
      this.taken.delete(buffer);
    }
    this.spare.put(this.taken);
    this.taken.clear();
  }
}
