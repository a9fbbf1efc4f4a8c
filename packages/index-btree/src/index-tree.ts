/**
 * Searches an index tree (docs/spec/cfile.md#75-seeking): a descent from the root to a leaf, one block per level, and steps from
 * one leaf entry to the next.
 */
import type { BlockLocation } from "@cfile/bytes";
import { type IndexNode, IndexNodes } from "./index-nodes.js";
import type { IndexReadOptions, IndexTreeOptions } from "./index-tree-options.js";

/**
 * An index of a file: keys in ascending order, each with its data block.
 *
 * All asynchronous methods throw `CFileError`: `E_CORRUPT` or `E_TRUNCATED` for a malformed tree, `E_LIMIT` for a tree that is too
 * deep; and what `load` throws.
 */
export class IndexTree {
  private readonly nodes: IndexNodes;

  constructor(options: IndexTreeOptions) {
    this.nodes = new IndexNodes(options);
  }

  /** The last entry whose key is at most `key`; `undefined` if all are larger. */
  seekAtOrBefore(key: Uint8Array, options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(({ block }) => block.search(key), options);
  }

  /**
   * The file offset of the data block that {@link IndexTree.seekAtOrBefore} finds, synchronously; -1 when an index block on the path
   * is not in memory, or there is no such entry.
   */
  offsetInMemory(key: Uint8Array): number {
    let node = this.nodes.cached(undefined, 0);
    while (node !== undefined) {
      const { block } = node;
      const position = block.search(key);
      if (position < 0) {
        return -1;
      }
      if (block.isLeaf) {
        return block.blockOffset(position);
      }
      node = this.nodes.cached(node, position);
    }
    return -1;
  }

  /** The first entry; `undefined` in an empty tree. */
  first(options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(() => 0, options);
  }

  /** The last entry; `undefined` in an empty tree. */
  last(options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(({ block }) => block.count - 1, options);
  }

  /** The root, for a walk over all index blocks. */
  async root(options: IndexReadOptions = {}): Promise<IndexNode> {
    return this.nodes.cached(undefined, 0) ?? this.nodes.load(undefined, 0, options);
  }

  /** The block that entry `position` of `parent` points to; may also load the blocks of the following entries. */
  async childAlong(parent: IndexNode, position: number, options: IndexReadOptions): Promise<IndexNode> {
    return this.nodes.cached(parent, position) ?? this.nodes.loadAlong(parent, position, options);
  }

  /** Throws `E_CORRUPT` unless a data block may be at the location that entry `position` of the leaf points to. */
  checkDataPointer(leaf: IndexNode, position: number): void {
    this.nodes.checkDataPointer(leaf, position);
  }

  /** @param choose returns the entry of a block to descend into */
  private async descend(
    choose: (node: IndexNode) => number,
    options: IndexReadOptions,
  ): Promise<IndexCursor | undefined> {
    const steps: IndexStep[] = [];
    let parent: IndexNode | undefined;
    let position = 0;
    for (;;) {
      const node: IndexNode =
        this.nodes.cached(parent, position) ?? (await this.nodes.load(parent, position, options));
      position = node.block.count === 0 ? -1 : choose(node);
      if (position < 0) {
        return undefined;
      }
      const step = { node, position };
      steps.push(step);
      if (node.block.isLeaf) {
        this.nodes.checkDataPointer(node, position);
        return new IndexCursor(this, steps, step, options);
      }
      parent = node;
    }
  }
}

interface IndexStep {
  readonly node: IndexNode;
  position: number;
}

/** A leaf entry of an index tree, and the path to the next. */
export class IndexCursor {
  private readonly tree: IndexTree;
  private readonly options: IndexReadOptions;
  /** The path from the root; the last step is in a leaf. */
  private readonly steps: IndexStep[];
  private leaf: IndexStep;

  /** @internal Cursors come from {@link IndexTree}. */
  constructor(tree: IndexTree, steps: IndexStep[], leaf: IndexStep, options: IndexReadOptions) {
    this.tree = tree;
    this.steps = steps;
    this.leaf = leaf;
    this.options = options;
  }

  /** The key of the entry, read-only. */
  get key(): Uint8Array {
    return this.leaf.node.block.key(this.leaf.position);
  }

  /** The data block of the entry. */
  get pointer(): BlockLocation {
    return this.leaf.node.block.pointer(this.leaf.position);
  }

  /**
   * Moves to the next entry; returns `false`, without moving, at the last one.
   *
   * @throws {CFileError} like {@link IndexTree}
   */
  async next(): Promise<boolean> {
    const { leaf } = this;
    const following = leaf.position + 1;
    if (following < leaf.node.block.count) {
      this.tree.checkDataPointer(leaf.node, following);
      leaf.position = following;
      return true;
    }
    const level = this.steps.findLastIndex(({ node, position }) => position + 1 < node.block.count);
    const turn = this.steps[level];
    if (turn === undefined) {
      return false;
    }
    let step: IndexStep = { node: turn.node, position: turn.position + 1 };
    const path = [step];
    while (!step.node.block.isLeaf) {
      step = { node: await this.tree.childAlong(step.node, step.position, this.options), position: 0 };
      path.push(step);
    }
    this.tree.checkDataPointer(step.node, step.position);
    this.steps.splice(level, this.steps.length - level, ...path);
    this.leaf = step;
    return true;
  }
}
