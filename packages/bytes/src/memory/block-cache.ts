/** Caches of opened blocks with a budget in bytes, which several caches can share; least recently used blocks are evicted first. */

/** When the budget is exceeded, this share of it is freed at once, because finding the oldest blocks requires a sort. */
const FREED_SHARE = 1 / 8;

/** An object that a cache can hold; it reports its memory in bytes. */
export interface Cacheable {
  readonly memory: number;
}

interface Slot<Block> {
  readonly block: Block;
  /** The memory that counts toward the budget; the block's memory may grow. */
  memory: number;
  /** Value of the budget's use counter at the last use. */
  used: number;
  readonly drop: () => void;
}

/** A memory budget that caches of several files share. */
export class CacheBudget {
  /** Maximum memory in bytes. */
  readonly bytes: number;
  private readonly slots = new Set<Slot<Cacheable>>();
  private held = 0;
  private clock = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** @internal Counts a use of `slot`, and frees memory when its block exceeds the budget. */
  use(slot: Slot<Cacheable>): void {
    const { memory } = slot.block;
    slot.used = ++this.clock;
    if (memory === slot.memory) {
      return;
    }
    this.slots.add(slot);
    this.held += memory - slot.memory;
    slot.memory = memory;
    if (this.held > this.bytes) {
      const target = this.bytes * (1 - FREED_SHARE);
      for (const { drop } of [...this.slots].sort((a, b) => a.used - b.used)) {
        if (this.held <= target) {
          break;
        }
        drop();
      }
    }
  }

  /** @internal Frees the memory of `slot`. */
  free(slot: Slot<Cacheable>): void {
    this.slots.delete(slot);
    this.held -= slot.memory;
  }
}

/** Opened blocks of one file, by offset. */
export class BlockCache<Block extends Cacheable> {
  private readonly slots = new Map<number, Slot<Block>>();
  private readonly budget: CacheBudget;

  /** @param budget in bytes, or shared with other caches */
  constructor(budget: number | CacheBudget) {
    this.budget = typeof budget === "number" ? new CacheBudget(budget) : budget;
  }

  /** Memory of the blocks in bytes. */
  get held(): number {
    let held = 0;
    for (const { memory } of this.slots.values()) {
      held += memory;
    }
    return held;
  }

  /** Whether the cache holds the block at a file offset; does not count as a use. */
  has(offset: number): boolean {
    return this.slots.has(offset);
  }

  /** The block at a file offset, if the cache holds it. */
  get(offset: number): Block | undefined {
    const slot = this.slots.get(offset);
    if (slot !== undefined) {
      this.budget.use(slot);
    }
    return slot?.block;
  }

  /** Holds the block stored at a file offset, unless it exceeds the whole budget. */
  set(offset: number, block: Block): void {
    this.delete(offset);
    if (block.memory <= this.budget.bytes) {
      const slot = { block, memory: 0, used: 0, drop: () => this.delete(offset) };
      this.slots.set(offset, slot);
      this.budget.use(slot);
    }
  }

  /** Drops all blocks and frees their memory. */
  clear(): void {
    for (const offset of [...this.slots.keys()]) {
      this.delete(offset);
    }
  }

  private delete(offset: number): void {
    const slot = this.slots.get(offset);
    if (slot !== undefined) {
      this.slots.delete(offset);
      this.budget.free(slot);
    }
  }
}
