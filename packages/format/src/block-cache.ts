/** A least-recently-used cache of opened data blocks with a budget in bytes. */
import type { DataBlock } from "./data-block.js";

export class BlockCache {
  /** By file offset, the least recently used first. */
  private readonly blocks = new Map<number, DataBlock>();
  private readonly budget: number;
  private held = 0;

  constructor(budget: number) {
    this.budget = budget;
  }

  get(offset: number): DataBlock | undefined {
    const block = this.blocks.get(offset);
    if (block !== undefined) {
      this.blocks.delete(offset);
      this.blocks.set(offset, block);
    }
    return block;
  }

  set(offset: number, block: DataBlock): void {
    this.delete(offset);
    if (block.memory > this.budget) {
      return;
    }
    this.blocks.set(offset, block);
    this.held += block.memory;
    for (const oldest of this.blocks.keys()) {
      if (this.held <= this.budget) {
        break;
      }
      this.delete(oldest);
    }
  }

  clear(): void {
    this.blocks.clear();
    this.held = 0;
  }

  private delete(offset: number): void {
    const block = this.blocks.get(offset);
    if (block !== undefined) {
      this.blocks.delete(offset);
      this.held -= block.memory;
    }
  }
}
