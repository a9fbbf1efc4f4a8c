/**
 * Searching an index tree (docs/spec/cfile.md#75-seeking): a descent from the root to a leaf, one block a level, and steps from
 * one leaf entry to the next.
 */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexNode } from "./index-node.js";
import { IndexNodes } from "./index-nodes.js";
import type { IndexReadOptions, IndexTreeOptions } from "./index-tree-options.js";

/** Which entry of a block a descent goes through. */
type ChooseEntry = (node: IndexNode) => number;

const firstEntry: ChooseEntry = () => 0;
const lastEntry: ChooseEntry = ({ block }) => block.count - 1;

/**
 * An index of a file: keys in ascending order, each with the data block it belongs to.
 *
 * All methods throw `CFileError`: `E_CORRUPT` or `E_TRUNCATED` for a tree that is malformed, `E_LIMIT` for one too deep,
 * and what `load` throws.
 */
export class IndexTree {
  private readonly nodes: IndexNodes;

  constructor(options: IndexTreeOptions) {
    this.nodes = new IndexNodes(options);
  }

  /** The last entry whose key is `key` or before it; `undefined` when all keys are after it. */
  seekAtOrBefore(key: Uint8Array, options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(({ block }) => block.search(key), options);
  }

  /**
   * The leaf in which {@link IndexTree.seekAtOrBefore} ends, at once, when all blocks on the way are in memory, else
   * `undefined`; also when all keys are after `key`. The entry is `leaf.block.search(key)`.
   */
  leafInMemory(key: Uint8Array): IndexNode | undefined {
    let node = this.nodes.cached(undefined, 0);
    while (node !== undefined && !node.block.isLeaf) {
      const position = node.block.search(key);
      node = position < 0 ? undefined : this.nodes.cached(node, position);
    }
    return node;
  }

  /** The first entry; `undefined` in an empty tree. */
  first(options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(firstEntry, options);
  }

  /** The last entry; `undefined` in an empty tree. */
  last(options: IndexReadOptions = {}): Promise<IndexCursor | undefined> {
    return this.descend(lastEntry, options);
  }

  /** The root, for a walk over all index blocks. */
  root(options: IndexReadOptions = {}): Promise<IndexNode> {
    return this.child(undefined, 0, options);
  }

  /** The block that entry `position` of `parent` points to. */
  async child(
    parent: IndexNode | undefined,
    position: number,
    options: IndexReadOptions,
  ): Promise<IndexNode> {
    return this.nodes.cached(parent, position) ?? this.nodes.load(parent, position, options);
  }

  /** The same for who goes on to the following entries: their blocks may be loaded with it. */
  async childAlong(parent: IndexNode, position: number, options: IndexReadOptions): Promise<IndexNode> {
    return this.nodes.cached(parent, position) ?? this.nodes.loadAlong(parent, position, options);
  }

  /** Throws unless a data block can lie where entry `position` of the leaf points to. */
  checkDataPointer(leaf: IndexNode, position: number): void {
    this.nodes.checkDataPointer(leaf, position);
  }

  private async descend(choose: ChooseEntry, options: IndexReadOptions): Promise<IndexCursor | undefined> {
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
      steps.push({ node, position });
      if (node.block.isLeaf) {
        this.nodes.checkDataPointer(node, position);
        return new IndexCursor(this, steps, options);
      }
      parent = node;
    }
  }
}

interface IndexStep {
  readonly node: IndexNode;
  position: number;
}

/** A place in an index tree: one leaf entry, and the way to the next. */
export class IndexCursor {
  private readonly tree: IndexTree;
  private readonly options: IndexReadOptions;
  /** The way from the root; the last step is in a leaf. */
  private readonly steps: IndexStep[];
  private leaf: IndexStep;

  /** @internal Cursors come from {@link IndexTree}. */
  constructor(tree: IndexTree, steps: IndexStep[], options: IndexReadOptions) {
    this.tree = tree;
    this.steps = steps;
    this.options = options;
    this.leaf = steps[steps.length - 1] as IndexStep;
  }

  /** The entry's key; not to be written to. */
  get key(): Uint8Array {
    return this.leaf.node.block.key(this.leaf.position);
  }

  /** The data block of the entry. */
  get pointer(): BlockLocation {
    return this.leaf.node.block.pointer(this.leaf.position);
  }

  /**
   * Moves to the next entry; `false`, and no move, at the last one.
   *
   * @throws CFileError `E_CORRUPT` or `E_LIMIT` for a malformed index; otherwise what `load` throws
   */
  async next(): Promise<boolean> {
    let level = this.steps.length - 1;
    while (level >= 0) {
      const { node, position } = this.steps[level] as IndexStep;
      if (position + 1 < node.block.count) {
        break;
      }
      level--;
    }
    if (level < 0) {
      return false;
    }
    const turn = this.steps[level] as IndexStep;
    const path: IndexStep[] = [{ node: turn.node, position: turn.position + 1 }];
    let step = path[0] as IndexStep;
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
