/** @module @cfile/index-btree/walk: walks all blocks of an index tree, for layouts, verification and recovery. */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexNode } from "./index-nodes.js";
import type { IndexTree } from "./index-tree.js";
import type { IndexReadOptions } from "./index-tree-options.js";

/** An index block. */
export interface IndexBlockStep extends BlockLocation {
  readonly kind: "block";
  /** 0 for the root. */
  readonly depth: number;
  readonly leaf: boolean;
  readonly entries: number;
}

/** An entry of a leaf. */
export interface IndexEntryStep {
  readonly kind: "entry";
  /** A read-only view. */
  readonly key: Uint8Array;
  /** The data block. */
  readonly pointer: BlockLocation;
}

/**
 * Yields all index blocks, parents before children and left to right, and after each leaf its entries in order. Holds only the blocks
 * on the path from the root.
 *
 * @throws {CFileError} like {@link IndexTree}
 */
export async function* walkIndexTree(
  tree: IndexTree,
  options: IndexReadOptions = {},
): AsyncGenerator<IndexBlockStep | IndexEntryStep, void, void> {
  for await (const node of walkIndexNodes(tree, options)) {
    const { block, depth } = node;
    yield { kind: "block", ...node.location, depth, leaf: block.isLeaf, entries: block.count };
    for (let i = 0; block.isLeaf && i < block.count; i++) {
      tree.checkDataPointer(node, i);
      yield { kind: "entry", key: block.key(i), pointer: block.pointer(i) };
    }
  }
}

/**
 * Yields the same index blocks in parsed form. Callers check the pointers of a leaf with `tree.checkDataPointer`.
 *
 * @throws {CFileError} like {@link IndexTree}
 */
export async function* walkIndexNodes(
  tree: IndexTree,
  options: IndexReadOptions = {},
): AsyncGenerator<IndexNode, void, void> {
  const root = await tree.root(options);
  const path = [{ node: root, position: 0 }];
  yield root;
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const { node, position } = step;
    if (node.block.isLeaf || position === node.block.count) {
      path.pop();
    } else {
      step.position++;
      const child = await tree.childAlong(node, position, options);
      path.push({ node: child, position: 0 });
      yield child;
    }
  }
}
