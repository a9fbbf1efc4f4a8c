/** Walking a whole index tree: what a layout, a verifier or a rescue needs. */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexNode } from "./index-node.js";
import type { IndexTree } from "./index-tree.js";
import type { IndexReadOptions } from "./index-tree-options.js";

/** An index block is reached. */
export interface IndexBlockStep extends BlockLocation {
  readonly kind: "block";
  /** 0 is the root. */
  readonly depth: number;
  readonly leaf: boolean;
  readonly entries: number;
}

/** An entry of a leaf is reached. */
export interface IndexEntryStep {
  readonly kind: "entry";
  /** A view, not to be written to. */
  readonly key: Uint8Array;
  /** The data block. */
  readonly pointer: BlockLocation;
}

/**
 * All index blocks, parents before their children and left to right, each leaf followed by its entries in order. Only the
 * blocks on the way from the root are held.
 *
 * @throws CFileError as {@link IndexTree}
 */
export async function* walkIndexTree(
  tree: IndexTree,
  options: IndexReadOptions = {},
): AsyncGenerator<IndexBlockStep | IndexEntryStep, void, void> {
  for await (const node of walkIndexNodes(tree, options)) {
    yield blockStep(node);
    for (let i = 0; node.block.isLeaf && i < node.block.count; i++) {
      tree.checkDataPointer(node, i);
      yield { kind: "entry", key: node.block.key(i), pointer: node.block.pointer(i) };
    }
  }
}

/**
 * The same index blocks, as they were parsed. Whoever follows the pointers of a leaf checks them with `tree.checkDataPointer`.
 *
 * @throws CFileError as {@link IndexTree}
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

function blockStep({ location, block, depth }: IndexNode): IndexBlockStep {
  const { offset, size } = location;
  return { kind: "block", offset, size, depth, leaf: block.isLeaf, entries: block.count };
}
