/** A `ByteBuilder` in the memory of an arena. */
import { ByteBuilder } from "../byte-builder.js";
import type { MemoryArena } from "./memory-arena.js";

/** A builder whose bytes are valid until the arena is recycled. Memory that it has outgrown is released to the arena. */
export class ArenaBuilder extends ByteBuilder {
  private readonly arena: MemoryArena;

  constructor(capacity: number, arena: MemoryArena) {
    super(0);
    this.arena = arena;
    this.use(arena.take(capacity));
  }

  override reserve(extra: number): Uint8Array {
    const needed = this.length + extra;
    if (needed > this.buffer.length) {
      const { buffer } = this;
      this.use(this.arena.take(Math.max(needed, 2 * buffer.length)));
      this.buffer.set(buffer.subarray(0, this.length));
      this.arena.release(buffer.buffer as ArrayBuffer);
    }
    return this.buffer;
  }

  private use(memory: ArrayBuffer): void {
    this.buffer = new Uint8Array(memory);
    this.view = new DataView(memory);
  }
}
