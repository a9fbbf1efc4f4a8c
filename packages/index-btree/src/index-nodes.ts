/**
 * The index blocks of one tree, loaded on demand. A block is checked against its place when it is loaded, so that
 * everything above can trust what the tree says: one parent for each block, which rules out cycles; keys in order
 * across blocks; all leaves equally deep (docs/spec/cfile.md#71-index-block,
 * docs/spec/cfile.md#74-building-and-order-in-the-file and docs/spec/cfile.md#9-validation-checklist).
 */
import {
  type BlockLocation,
  CFileError,
  type CFileErrorDetails,
  compareBytes,
  corrupt,
  DEFAULT_LIMITS,
  equalBytes,
  type Limits,
  withErrorContext,
} from "@cfile/bytes";
import { IndexBlock } from "./index-block.js";
import { type IndexNode, type IndexPlace, ROOT_PLACE, samePlace } from "./index-node.js";
import { IndexNodeCache } from "./index-node-cache.js";
import type { IndexReadOptions, IndexTreeOptions } from "./index-tree-options.js";
import { orderedPart } from "./ordered-key.js";
import { decodePositionalKey } from "./positional-key.js";

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024;
/** Blocks that are loaded at once for who goes from one to the next. */
const BLOCKS_AHEAD = 16;

export class IndexNodes {
  private readonly options: IndexTreeOptions;
  private readonly limits: Pick<Limits, "maxIndexDepth" | "maxKeyLength">;
  private readonly cache: IndexNodeCache;
  /** Place of each block met so far, by its offset. Not bounded by the cache: a block keeps its place. */
  private readonly places = new Map<number, IndexPlace>();
  /** Loads that nobody can abort are shared. */
  private readonly loading = new Map<number, Promise<IndexNode>>();
  /** Depth of the leaves, known once one was seen. */
  private leafDepth: number | undefined;

  constructor(options: IndexTreeOptions) {
    this.options = options;
    this.limits = options.limits ?? DEFAULT_LIMITS;
    this.cache = new IndexNodeCache(options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  }

  /** The block that entry `position` of `parent` points to, or the root when there is no parent, if it is cached. */
  cached(parent: IndexNode | undefined, position: number): IndexNode | undefined {
    if (parent === undefined) {
      return this.cache.get(this.options.root.offset);
    }
    const { place } = this.cache.get(parent.block.blockOffset(position)) ?? {};
    if (place === undefined || place.parentOffset !== parent.location.offset || place.position !== position) {
      return undefined;
    }
    return this.cache.get(parent.block.blockOffset(position));
  }

  /**
   * Loads and checks that block.
   *
   * @throws CFileError `E_CORRUPT`, `E_TRUNCATED`: the block is malformed or does not fit its place; `E_LIMIT`: the
   *   tree is too deep or a key too long; and whatever `load` throws
   */
  async load(
    parent: IndexNode | undefined,
    position: number,
    { signal }: IndexReadOptions,
  ): Promise<IndexNode> {
    signal?.throwIfAborted();
    const location = parent === undefined ? this.options.root : parent.block.pointer(position);
    const place = parent === undefined ? ROOT_PLACE : { parentOffset: parent.location.offset, position };
    this.take(location, place, parent);
    if (signal !== undefined) {
      return this.read(location, place, parent, signal);
    }
    const shared = this.loading.get(location.offset);
    if (shared !== undefined) {
      return shared;
    }
    const reading = this.read(location, place, parent, undefined);
    const forget = (): boolean => this.loading.delete(location.offset);
    this.loading.set(location.offset, reading);
    reading.then(forget, forget);
    return reading;
  }

  /**
   * Loads that block as {@link IndexNodes.load} does, and with it the ones that follow under the same parent. What is wrong with
   * those is told when they are reached.
   */
  async loadAlong(parent: IndexNode, position: number, options: IndexReadOptions): Promise<IndexNode> {
    const following = this.options.loadMany && this.missingFrom(parent, position);
    if (following === undefined || following.length < 2) {
      return this.load(parent, position, options);
    }
    const pointers = following.map((entry) => parent.block.pointer(entry));
    let blocks: readonly Uint8Array[] = [];
    try {
      blocks = (await this.options.loadMany?.(pointers, options.signal)) ?? [];
    } catch {
      options.signal?.throwIfAborted();
      return this.load(parent, position, options);
    }
    for (const [i, bytes] of blocks.entries()) {
      const place = { parentOffset: parent.location.offset, position: following[i] as number };
      const location = pointers[i] as BlockLocation;
      try {
        this.take(location, place, parent);
        this.parse(bytes, location, place, parent);
      } catch (error) {
        if (!(error instanceof CFileError)) {
          throw error;
        }
        break;
      }
    }
    return this.cached(parent, position) ?? this.load(parent, position, options);
  }

  /** Throws unless a block may lie where entry `position` of the leaf points to. */
  checkDataPointer(leaf: IndexNode, position: number): void {
    const offset = leaf.block.blockOffset(position);
    if (this.options.isBlockAllowed?.(offset, leaf.block.blockSize(position)) === false) {
      throw this.corrupt(leaf.location, "the pointer leads to where no block can be", {
        field: "block pointer",
        actual: offset,
      });
    }
  }

  /** Says what is wrong with the index block at `location`. */
  corrupt(location: BlockLocation, reason: string, details: CFileErrorDetails): CFileError {
    return corrupt(reason, { path: this.options.path, block: location, ...details });
  }

  /** Takes the place for the block at `location`, before anything is read. */
  private take(location: BlockLocation, place: IndexPlace, parent: IndexNode | undefined): void {
    const { offset, size } = location;
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const { maxIndexDepth } = this.limits;
    if (depth >= maxIndexDepth) {
      throw new CFileError(
        "E_LIMIT",
        `the index tree has more than ${maxIndexDepth} levels (maxIndexDepth)`,
        {
          path: this.options.path,
          block: location,
          field: "index depth",
          expected: maxIndexDepth,
          actual: depth + 1,
        },
      );
    }
    const taken = this.places.get(offset);
    if (taken !== undefined && !samePlace(taken, place)) {
      throw this.corrupt(location, "two entries of the index tree lead to this block", {
        field: "block pointer",
        actual: offset,
      });
    }
    if (this.options.isBlockAllowed?.(offset, size) === false) {
      throw this.corrupt(parent?.location ?? location, "the pointer leads to where no block can be", {
        field: "block pointer",
        actual: offset,
      });
    }
    this.places.set(offset, place);
  }

  private async read(
    location: BlockLocation,
    place: IndexPlace,
    parent: IndexNode | undefined,
    signal: AbortSignal | undefined,
  ): Promise<IndexNode> {
    return this.parse(await this.options.load(location, signal), location, place, parent);
  }

  private missingFrom(parent: IndexNode, position: number): number[] {
    const missing: number[] = [];
    for (let i = position; i < parent.block.count && missing.length < BLOCKS_AHEAD; i++) {
      if (this.cached(parent, i) === undefined) {
        missing.push(i);
      }
    }
    return missing;
  }

  private parse(
    bytes: Uint8Array,
    location: BlockLocation,
    place: IndexPlace,
    parent: IndexNode | undefined,
  ): IndexNode {
    const context = { path: this.options.path, block: location };
    const block = withErrorContext(context, () =>
      IndexBlock.parse(bytes, this.limits, this.options.orderedKeyEnd),
    );
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const { position } = place;
    const isLastEntry = parent === undefined || position + 1 === parent.block.count;
    const keyAfter = isLastEntry ? parent?.keyAfter : parent.block.key(position + 1);
    const node: IndexNode = { location, block, depth, place, keyAfter };
    this.checkShape(node);
    this.checkFirstKey(node, parent?.block.key(position));
    this.checkLastKey(node);
    if (this.options.kind === "posidx") {
      withErrorContext(context, () => checkOrdinals(block, parent === undefined));
    }
    if (block.isLeaf) {
      this.leafDepth = depth;
    }
    this.cache.set(node);
    return node;
  }

  private checkShape({ block, location, depth }: IndexNode): void {
    if (block.count === 0 && !(depth === 0 && block.isLeaf)) {
      throw this.corrupt(location, "only a root that is a leaf can be empty", {
        field: "num_entries",
        actual: 0,
      });
    }
    const { leafDepth } = this;
    if (leafDepth !== undefined && (block.isLeaf ? depth !== leafDepth : depth >= leafDepth)) {
      throw this.corrupt(location, `the leaves of the tree are at depths ${leafDepth} and ${depth}`, {
        field: "index block type",
        expected: leafDepth,
        actual: depth,
      });
    }
  }

  private checkFirstKey({ block, location }: IndexNode, expected: Uint8Array | undefined): void {
    if (expected !== undefined && !equalBytes(block.key(0), expected)) {
      throw this.corrupt(location, "the first key is not the key of the parent's entry", { field: "key" });
    }
  }

  private checkLastKey({ block, location, keyAfter }: IndexNode): void {
    if (keyAfter === undefined) {
      return;
    }
    const { orderedKeyEnd } = this.options;
    const last = orderedPart(block.key(block.count - 1), orderedKeyEnd);
    const order = compareBytes(last, orderedPart(keyAfter, orderedKeyEnd));
    if (order > 0 || (order === 0 && this.options.kind === "posidx")) {
      throw this.corrupt(location, "the last key is not before the key that follows the block in the tree", {
        field: "key",
      });
    }
  }
}

/** Keys of a positional index are ordinals; every data block has rows, the first one starts with row 0. */
function checkOrdinals(block: IndexBlock, isRoot: boolean): void {
  let previous = -1;
  for (let i = 0; i < block.count; i++) {
    const ordinal = decodePositionalKey(block.key(i));
    if (ordinal <= previous) {
      throw corrupt(`the ordinal ${ordinal} follows ${previous}`, {
        field: "positional key",
        expected: previous + 1,
        actual: ordinal,
      });
    }
    if (isRoot && i === 0 && ordinal !== 0) {
      throw corrupt(`the first ordinal is ${ordinal}`, {
        field: "positional key",
        expected: 0,
        actual: ordinal,
      });
    }
    previous = ordinal;
  }
}
