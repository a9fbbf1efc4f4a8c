/**
 * Keeps parsed index blocks by file offset within a budget of memory. Two generations stand in for a list by use:
 * when the young one has taken half of the budget it becomes the old one, and the old one is dropped; what is used
 * again moves to the young one.
 */
import type { IndexNode } from "./index-node.js";

export class IndexNodeCache {
  private readonly generationBudget: number;
  private young = new Map<number, IndexNode>();
  private old = new Map<number, IndexNode>();
  private youngMemory = 0;

  /** @param budget in bytes */
  constructor(budget: number) {
    this.generationBudget = budget / 2;
  }

  get(offset: number): IndexNode | undefined {
    const node = this.young.get(offset);
    if (node !== undefined) {
      return node;
    }
    const older = this.old.get(offset);
    if (older !== undefined) {
      this.set(older);
    }
    return older;
  }

  set(node: IndexNode): void {
    const { memory } = node.block;
    if (this.youngMemory + memory > this.generationBudget) {
      this.old = this.young;
      this.young = new Map();
      this.youngMemory = 0;
    }
    if (memory <= this.generationBudget) {
      this.young.set(node.location.offset, node);
      this.youngMemory += memory;
    }
  }
}
