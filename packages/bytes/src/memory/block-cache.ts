/** Caches of files' opened blocks with a budget in bytes, which several may share; what was not used for longest goes first. */

/** When the budget is spent, so much of it is freed at once: looking for what is oldest costs a sort. */
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

interface BudgetMember {
  readonly held: number;
  /** Everything held: when it was used last, and how it is given up. */
  uses(): Iterable<{ readonly used: number; readonly drop: () => void }>;
}

/** A budget for the caches of several files together. */
export class CacheBudget {
  readonly bytes: number;
  private readonly members = new Set<BudgetMember>();
  private clock = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** @internal The time of a use. */
  tick(): number {
    return ++this.clock;
  }

  /** @internal */
  join(member: BudgetMember): void {
    this.members.add(member);
  }

  /** @internal A member that holds nothing any more need not be known. */
  leave(member: BudgetMember): void {
    this.members.delete(member);
  }

  /** @internal Frees memory when more is held than the budget allows. */
  enforce(): void {
    if (this.held() <= this.bytes) {
      return;
    }
    const all = [...this.members].flatMap((member) => [...member.uses()]);
    const wanted = this.bytes * (1 - FREED_SHARE);
    for (const { drop } of all.sort((a, b) => a.used - b.used)) {
      if (this.held() <= wanted) {
        break;
      }
      drop();
    }
  }

  private held(): number {
    let held = 0;
    for (const member of this.members) {
      held += member.held;
    }
    return held;
  }
}

/**
 * Opened blocks of one file by their offset. Caches that share a budget drop the blocks that were used longest ago,
 * whosever they are.
 */
export class BlockCache<Block extends Cacheable> {
  /** Bytes of memory that the blocks take. */
  held = 0;
  private readonly slots = new Map<number, Slot<Block>>();
  private readonly budget: CacheBudget;

  /** @param budget in bytes, or one that is shared with other caches */
  constructor(budget: number | CacheBudget) {
    this.budget = typeof budget === "number" ? new CacheBudget(budget) : budget;
  }

  /** The block at a file offset, if it is held. */
  get(offset: number): Block | undefined {
    const slot = this.slots.get(offset);
    if (slot === undefined) {
      return undefined;
    }
    slot.used = this.budget.tick();
    const { memory } = slot.block;
    if (memory !== slot.memory) {
      this.held += memory - slot.memory;
      slot.memory = memory;
      this.budget.enforce();
    }
    return slot.block;
  }

  /** Keeps a block under the offset at which it is stored. A block larger than the whole budget is not kept. */
  set(offset: number, block: Block): void {
    this.delete(offset);
    const { memory } = block;
    if (memory > this.budget.bytes) {
      return;
    }
    this.budget.join(this);
    this.slots.set(offset, { offset, block, memory, used: this.budget.tick() });
    this.held += memory;
    this.budget.enforce();
  }

  /** Drops all blocks and gives their memory back to the budget. */
  clear(): void {
    this.slots.clear();
    this.held = 0;
    this.budget.leave(this);
  }

  /** @internal */
  *uses(): Generator<{ readonly used: number; readonly drop: () => void }> {
    for (const { offset, used } of this.slots.values()) {
      yield { used, drop: () => this.delete(offset) };
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
