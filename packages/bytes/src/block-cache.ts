/** A cache of a file's opened blocks with a budget in bytes; what was not used for longest goes first. */

/** When the cache is full, so much of the budget is freed at once: looking for what is oldest costs a sort. */
const FREED_SHARE = 1 / 8;

/** What a cache can hold: anything that tells the bytes of memory it takes. */
export interface Cacheable {
  readonly memory: number;
}

interface Slot<Block> {
  readonly offset: number;
  readonly block: Block;
  /** What the block is reckoned with; it may grow. */
  memory: number;
  /** Time of the last use, in uses. */
  used: number;
}

export class BlockCache<Block extends Cacheable> {
  private readonly slots = new Map<number, Slot<Block>>();
  private readonly budget: number;
  private held = 0;
  private uses = 0;

  constructor(budget: number) {
    this.budget = budget;
  }

  /** The block at a file offset, if it is held. */
  get(offset: number): Block | undefined {
    const slot = this.slots.get(offset);
    if (slot === undefined) {
      return undefined;
    }
    slot.used = ++this.uses;
    const { memory } = slot.block;
    if (memory !== slot.memory) {
      this.held += memory - slot.memory;
      slot.memory = memory;
      this.evict();
    }
    return slot.block;
  }

  set(offset: number, block: Block): void {
    this.delete(offset);
    const { memory } = block;
    if (memory > this.budget) {
      return;
    }
    this.slots.set(offset, { offset, block, memory, used: ++this.uses });
    this.held += memory;
    this.evict();
  }

  clear(): void {
    this.slots.clear();
    this.held = 0;
  }

  private evict(): void {
    if (this.held <= this.budget) {
      return;
    }
    const wanted = this.budget * (1 - FREED_SHARE);
    for (const { offset } of [...this.slots.values()].sort((a, b) => a.used - b.used)) {
      if (this.held <= wanted) {
        break;
      }
      this.delete(offset);
    }
  }

  private delete(offset: number): void {
    const slot = this.slots.get(offset);
    if (slot !== undefined) {
      this.slots.delete(offset);
      this.held -= slot.memory;
    }
  }
}
