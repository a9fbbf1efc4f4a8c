/**
 * Loads the index blocks of one tree on demand and checks each against its position in the tree, so that callers can trust it. Every
 * block has one parent, which rules out cycles; keys are in order across blocks; all leaves are at the same depth.
 * See docs/spec/cfile.md#71-index-block, docs/spec/cfile.md#74-building-and-order-in-the-file and
 * docs/spec/cfile.md#9-validation-checklist.
 */
import {
  attempt,
  BlockCache,
  type BlockLocation,
  CFileError,
  type CFileErrorDetails,
  compareBytes,
  corrupt,
  DEFAULT_LIMITS,
  equalBytes,
  type Limits,
  SharedLoads,
  withErrorContext,
} from "@cfile/bytes";
import { IndexBlock } from "./index-block.js";
import { type IndexReadOptions, type IndexTreeOptions, orderedPart } from "./index-tree-options.js";
import { decodePositionalKey } from "./positional-key.js";

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024;
/** Number of blocks that a walk loads at once. */
const BLOCKS_AHEAD = 16;

/** The entry that points to an index block. */
export interface ParentEntry {
  /** File offset of the parent; -1 for the root. */
  readonly parentOffset: number;
  readonly position: number;
}

/** An index block in its tree. */
export interface IndexNode {
  readonly location: BlockLocation;
  readonly block: IndexBlock;
  /** Memory of the block in bytes. */
  readonly memory: number;
  /** 0 for the root. */
  readonly depth: number;
  readonly entry: ParentEntry;
  /** Key of the entry that follows this subtree; `undefined` at the right edge. */
  readonly keyAfter: Uint8Array | undefined;
}

/** A block to load: entry `entry.position` of `parent`, or the root. */
interface Target {
  readonly location: BlockLocation;
  readonly entry: ParentEntry;
  readonly parent: IndexNode | undefined;
}

export class IndexNodes {
  private readonly options: IndexTreeOptions;
  private readonly limits: Pick<Limits, "maxIndexDepth" | "maxKeyLength">;
  private readonly cache: BlockCache<IndexNode>;
  /** The entry that points to each block read so far, by offset. Never evicted, since no other entry may point to the block. */
  private readonly entries = new Map<number, ParentEntry>();
  private readonly loads = new SharedLoads<IndexNode>();
  /** Depth of the leaves, once a leaf has been read. */
  private leafDepth: number | undefined;

  constructor(options: IndexTreeOptions) {
    this.options = options;
    this.limits = options.limits ?? DEFAULT_LIMITS;
    this.cache = new BlockCache(options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  }

  /** The block that entry `position` of `parent` points to, or the root without a parent, if it is cached. */
  cached(parent: IndexNode | undefined, position: number): IndexNode | undefined {
    const node = this.cache.get(parent?.block.blockOffset(position) ?? this.options.root.offset);
    const isSame = node?.entry.position === position && node.entry.parentOffset === offsetOf(parent);
    return isSame ? node : undefined;
  }

  /**
   * Loads and checks the block that entry `position` of `parent` points to, or the root without a parent.
   *
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` when the block is malformed or does not fit its position; `E_LIMIT` when the tree
   *   is too deep or a key too long; and what `load` throws
   */
  async load(
    parent: IndexNode | undefined,
    position: number,
    { signal }: IndexReadOptions,
  ): Promise<IndexNode> {
    signal?.throwIfAborted();
    const target = this.target(parent, position);
    this.claim(target);
    return this.loads.share(target.location.offset, signal, () => this.read(target, signal));
  }

  /**
   * {@link load}, together with the following blocks under the same parent. Their damage is reported when they are reached.
   *
   * @throws {CFileError} like {@link IndexNodes.load}
   */
  async loadAlong(parent: IndexNode, position: number, options: IndexReadOptions): Promise<IndexNode> {
    const { loadMany } = this.options;
    const targets = loadMany ? this.missingFrom(parent, position) : [];
    if (loadMany === undefined || targets.length < 2) {
      return this.load(parent, position, options);
    }
    let blocks: readonly Uint8Array[] = [];
    try {
      const pointers = targets.map(({ location }) => location);
      blocks = await loadMany(pointers, options.signal);
    } catch {
      options.signal?.throwIfAborted();
    }
    for (const [i, bytes] of blocks.entries()) {
      const target = targets[i];
      const node =
        target &&
        attempt(() => {
          this.claim(target);
          return this.parse(bytes, target);
        });
      if (node === undefined) {
        break;
      }
    }
    return this.cached(parent, position) ?? this.load(parent, position, options);
  }

  /** Throws `E_CORRUPT` unless a data block may be at the location that entry `position` of the leaf points to. */
  checkDataPointer({ block, location }: IndexNode, position: number): void {
    this.checkAllowed(location, block.blockOffset(position), block.blockSize(position));
  }

  private corrupt(location: BlockLocation, reason: string, details: CFileErrorDetails): CFileError {
    return corrupt(reason, { path: this.options.path, block: location, ...details });
  }

  private checkAllowed(location: BlockLocation, offset: number, size: number): void {
    if (this.options.isBlockAllowed?.(offset, size) === false) {
      const details = { field: "block pointer", actual: offset };
      throw this.corrupt(location, "block pointer outside the blocks of the file", details);
    }
  }

  private target(parent: IndexNode | undefined, position: number): Target {
    const location = parent === undefined ? this.options.root : parent.block.pointer(position);
    return { location, entry: { parentOffset: offsetOf(parent), position }, parent };
  }

  /** Registers the position of a block before it is read; no other entry may point to the block. */
  private claim({ location, entry, parent }: Target): void {
    const { offset, size } = location;
    const actual = depthUnder(parent) + 1;
    const { maxIndexDepth: expected } = this.limits;
    if (actual > expected) {
      const { path } = this.options;
      const details = { path, block: location, field: "index depth", expected, actual };
      throw new CFileError("E_LIMIT", `index tree has more than ${expected} levels (maxIndexDepth)`, details);
    }
    const { parentOffset, position } = this.entries.get(offset) ?? entry;
    if (parentOffset !== entry.parentOffset || position !== entry.position) {
      const details = { field: "block pointer", actual: offset };
      throw this.corrupt(location, "two entries of the index tree point to this block", details);
    }
    this.checkAllowed(parent?.location ?? location, offset, size);
    this.entries.set(offset, entry);
  }

  private async read(target: Target, signal: AbortSignal | undefined): Promise<IndexNode> {
    return this.parse(await this.options.load(target.location, signal), target);
  }

  private missingFrom(parent: IndexNode, position: number): Target[] {
    const missing: Target[] = [];
    for (let i = position; i < parent.block.count && missing.length < BLOCKS_AHEAD; i++) {
      if (this.cached(parent, i) === undefined) {
        missing.push(this.target(parent, i));
      }
    }
    return missing;
  }

  private parse(bytes: Uint8Array, { location, entry, parent }: Target): IndexNode {
    const context = { path: this.options.path, block: location };
    const block = withErrorContext(context, () =>
      IndexBlock.parse(bytes, this.limits, this.options.orderedKeyEnd),
    );
    const { memory } = block;
    const depth = depthUnder(parent);
    const next = entry.position + 1;
    const isInner = parent !== undefined && next < parent.block.count;
    const keyAfter = isInner ? parent.block.key(next) : parent?.keyAfter;
    const node: IndexNode = { location, block, memory, depth, entry, keyAfter };
    this.checkShape(node);
    this.checkKeys(node, parent?.block.key(entry.position));
    if (this.options.kind === "posidx") {
      withErrorContext(context, () => checkOrdinals(block, parent === undefined));
    }
    if (block.isLeaf) {
      this.leafDepth = depth;
    }
    this.cache.set(location.offset, node);
    return node;
  }

  private checkShape({ block, location, depth }: IndexNode): void {
    if (block.count === 0 && !(depth === 0 && block.isLeaf)) {
      throw this.corrupt(location, "empty index block below the root", { field: "num_entries", actual: 0 });
    }
    const { leafDepth } = this;
    if (leafDepth !== undefined && (block.isLeaf ? depth !== leafDepth : depth >= leafDepth)) {
      const details = { field: "index block type", expected: leafDepth, actual: depth };
      throw this.corrupt(location, `leaves of the tree at depths ${leafDepth} and ${depth}`, details);
    }
  }

  private checkKeys({ block, location, keyAfter }: IndexNode, first: Uint8Array | undefined): void {
    if (first !== undefined && !equalBytes(block.key(0), first)) {
      throw this.corrupt(location, "first key differs from the key of the parent's entry", { field: "key" });
    }
    if (keyAfter !== undefined) {
      const { kind, orderedKeyEnd } = this.options;
      const last = orderedPart(block.key(block.count - 1), orderedKeyEnd);
      const order = compareBytes(last, orderedPart(keyAfter, orderedKeyEnd));
      if (order > 0 || (order === 0 && kind === "posidx")) {
        throw this.corrupt(location, "last key is not before the next key of the tree", { field: "key" });
      }
    }
  }
}

function offsetOf(parent: IndexNode | undefined): number {
  return parent?.location.offset ?? -1;
}

function depthUnder(parent: IndexNode | undefined): number {
  return parent === undefined ? 0 : parent.depth + 1;
}

/** Keys of a positional index are ordinals; every data block has rows, and the first one starts with row 0. */
function checkOrdinals(block: IndexBlock, isRoot: boolean): void {
  const field = "positional key";
  let previous = -1;
  for (let i = 0; i < block.count; i++) {
    const actual = decodePositionalKey(block.key(i));
    if (actual <= previous) {
      const details = { field, expected: previous + 1, actual };
      throw corrupt(`ordinal ${actual} follows ${previous} (must ascend)`, details);
    }
    if (isRoot && i === 0 && actual !== 0) {
      throw corrupt(`first ordinal is ${actual} (expected 0)`, { field, expected: 0, actual });
    }
    previous = actual;
  }
}
