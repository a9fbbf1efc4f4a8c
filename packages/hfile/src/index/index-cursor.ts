/**
 * A position in the data index: an entry on every level, from the root down (docs/spec/hfile.md#7-index-blocks and
 * docs/spec/hfile.md#12-seek-and-lookup). Lower levels are read on demand and cached.
 */
import {
  BlockCache,
  type BlockLocation,
  type CacheBudget,
  compareBytes,
  corrupt,
  withErrorContext,
} from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import type { BlockKind } from "../blocks/block-kind.js";
import type { HFileStructure } from "../file/file-structure.js";
import { checkIndexOrder, type IndexNode, parseIndexNode } from "./index-node.js";

/** The index of a file, with a cache for the blocks of its lower levels. */
export class DataIndex {
  readonly root: IndexNode;
  readonly levels: number;
  private readonly structure: HFileStructure;
  private readonly cache: BlockCache<IndexNode>;

  constructor(structure: HFileStructure, cacheBytes: number | CacheBudget) {
    this.structure = structure;
    this.root = structure.dataIndex;
    this.levels = structure.trailer.indexLevels;
    this.cache = new BlockCache(cacheBytes);
  }

  /** The node that an entry points to, if it is cached. */
  cached(parent: IndexNode, entry: number): IndexNode | undefined {
    return this.cache.get(parent.offset(entry));
  }

  /**
   * Reads the node that an entry of `level` (0: the root) points to.
   * @throws {CFileError} as `BlockLoader.load`; `E_CORRUPT` if the node contradicts its parent
   */
  async load(parent: IndexNode, entry: number, level: number, options: ReadOptions): Promise<IndexNode> {
    const { loader, trailer, bytewise } = this.structure;
    const location = parent.location(entry);
    const kind: BlockKind = level + 2 === this.levels ? "leaf index" : "intermediate index";
    const { body } = await loader.load(location, [kind], options);
    const node = withErrorContext({ path: loader.source.name, block: location }, () => {
      const parsed = parseIndexNode(body, loader.options.limits);
      checkIndexOrder(parsed, 0, trailer.loadOnOpenOffset, bytewise);
      if (compareBytes(parsed.row(0), parent.row(entry)) !== 0) {
        const details = { field: "index key", offset: parsed.keyStarts[0] };
        throw corrupt("first row of an index block differs from its parent's entry", details);
      }
      return parsed;
    });
    this.cache.set(location.offset, node);
    return node;
  }
}

/** Moves over the entries of the lowest level, which point to data blocks. */
export class IndexCursor {
  private readonly index: DataIndex;
  private readonly options: ReadOptions;
  /** Root first. */
  private readonly nodes: IndexNode[];
  private readonly entries: number[] = [];

  constructor(index: DataIndex, options: ReadOptions) {
    this.index = index;
    this.options = options;
    this.nodes = [index.root];
  }

  /** The node of the lowest level. */
  get node(): IndexNode {
    return this.nodes[this.index.levels - 1] as IndexNode;
  }

  /** The entry in {@link node}. */
  get entry(): number {
    return this.entries[this.index.levels - 1] as number;
  }

  get location(): BlockLocation {
    return this.node.location(this.entry);
  }

  /** Moves to the first data block; `false` in an empty file. */
  toFirst(): Promise<boolean> {
    return this.descend(() => 0);
  }

  toLast(): Promise<boolean> {
    return this.descend((node) => node.length - 1);
  }

  /**
   * Moves to the block in which the cells of `row` start, if there are any: to the floor, then back while, according to the index,
   * previous blocks may have cells of the same row.
   */
  async toRowStart(row: Uint8Array): Promise<boolean> {
    if (this.index.root.floor(row) < 0) {
      return false;
    }
    await this.descend((node) => Math.max(0, node.floor(row)));
    let more = true;
    while (more && this.node.compareRow(this.entry, row) === 0 && !this.node.beginsRow(this.entry)) {
      more = await this.toPrevious();
    }
    return true;
  }

  /** Moves to the next data block; `false`, without moving, at the last one. */
  toNext(): Promise<boolean> {
    return this.move(1);
  }

  toPrevious(): Promise<boolean> {
    return this.move(-1);
  }

  private async move(step: 1 | -1): Promise<boolean> {
    for (let level = this.index.levels - 1; level >= 0; level--) {
      const node = this.nodes[level] as IndexNode;
      const entry = (this.entries[level] as number) + step;
      if (entry >= 0 && entry < node.length) {
        this.entries[level] = entry;
        return this.descendFrom(level, (below) => (step > 0 ? 0 : below.length - 1));
      }
    }
    return false;
  }

  private async descend(choose: (node: IndexNode) => number): Promise<boolean> {
    const { root } = this.index;
    this.entries[0] = choose(root);
    return root.length > 0 && this.descendFrom(0, choose);
  }

  private async descendFrom(from: number, choose: (node: IndexNode) => number): Promise<boolean> {
    for (let level = from; level + 1 < this.index.levels; level++) {
      const parent = this.nodes[level] as IndexNode;
      const entry = this.entries[level] as number;
      const node =
        this.index.cached(parent, entry) ?? (await this.index.load(parent, entry, level, this.options));
      this.nodes[level + 1] = node;
      this.entries[level + 1] = choose(node);
    }
    return true;
  }
}
