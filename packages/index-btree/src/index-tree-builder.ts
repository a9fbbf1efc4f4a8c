/**
 * Builds an index tree from the leaves up while the data blocks are written
 * (docs/spec/cfile.md#74-building-and-order-in-the-file). A full block is written at once, wherever the file is then; what is
 * left is written by `finish`, the root last.
 */
import {
  type BlockLocation,
  CFileError,
  compareBytes,
  DEFAULT_LIMITS,
  invalidArgument,
  type Limits,
} from "@cfile/bytes";
import { IndexBlockBuilder } from "./index-block-builder.js";
import { type OrderedKeyEnd, orderedPart } from "./ordered-key.js";

/** Where the blocks of a new index tree go, and when they are cut. */
export interface IndexTreeBuilderOptions {
  /** A block of more than one entry is full when it is estimated larger than this many bytes. Kudu's default: 32768. */
  readonly indexBlockSize: number;
  /** Writes the block's bytes (wrapped as the file demands) at the current end of the file and says where they are. */
  readonly writeBlock: (bytes: Uint8Array) => BlockLocation;
  /** For keys of which only the beginning ascends. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
  /** Keys above `maxKeyLength` are refused, as readers would refuse them. */
  readonly limits?: Pick<Limits, "maxKeyLength"> | undefined;
}

/** Builds an index tree while a file is written: each full block is written at once, the root last. */
export class IndexTreeBuilder {
  private readonly indexBlockSize: number;
  private readonly writeBlock: (bytes: Uint8Array) => BlockLocation;
  private readonly maxKeyLength: number;
  private readonly orderedKeyEnd: OrderedKeyEnd | undefined;
  /** The open block of each level, leaves first. */
  private readonly levels: IndexBlockBuilder[] = [new IndexBlockBuilder()];
  private lastKey: Uint8Array = new Uint8Array(0);
  private finished = false;

  /** @throws CFileError `E_INVALID_ARGUMENT` unless `indexBlockSize` is a positive number */
  constructor({
    indexBlockSize,
    writeBlock,
    orderedKeyEnd,
    limits = DEFAULT_LIMITS,
  }: IndexTreeBuilderOptions) {
    if (!(indexBlockSize > 0)) {
      throw invalidArgument(`indexBlockSize is ${indexBlockSize}, a positive number is expected`, {
        field: "indexBlockSize",
        actual: indexBlockSize,
      });
    }
    this.indexBlockSize = indexBlockSize;
    this.writeBlock = writeBlock;
    this.orderedKeyEnd = orderedKeyEnd;
    this.maxKeyLength = limits.maxKeyLength;
  }

  /**
   * Adds the data block at `pointer`; writes the leaf, and what it fills above it, when it is full.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` when `key` is before the last one or the tree is finished, `E_LIMIT` for
   *   a key above the limit
   */
  append(key: Uint8Array, pointer: BlockLocation): void {
    this.requireOpen();
    if (key.length > this.maxKeyLength) {
      throw new CFileError("E_LIMIT", `a key of ${key.length} bytes, maxKeyLength is ${this.maxKeyLength}`, {
        field: "key",
        expected: this.maxKeyLength,
        actual: key.length,
      });
    }
    const ordered = orderedPart(key, this.orderedKeyEnd);
    if (compareBytes(ordered, this.lastKey) < 0) {
      throw invalidArgument("index keys must not descend", { field: "key" });
    }
    this.lastKey = ordered.slice();
    this.appendTo(0, key, pointer);
  }

  /** Writes what is left of every level and returns where the root is. A tree without entries is an empty leaf. */
  finish(): BlockLocation {
    this.requireOpen();
    this.finished = true;
    // The number of levels is looked at each time: the last append below may have added one.
    for (let level = 0; level < this.levels.length - 1; level++) {
      const block = this.levels[level];
      if (block !== undefined && block.count > 0) {
        this.writeLevel(level, block);
      }
    }
    const top = this.levels.length - 1;
    return this.writeBlock(this.block(top).finish(top === 0));
  }

  private appendTo(level: number, key: Uint8Array, pointer: BlockLocation): void {
    const block = this.block(level);
    block.add(key, pointer);
    if (block.count > 1 && block.estimatedSize > this.indexBlockSize) {
      this.writeLevel(level, block);
    }
  }

  private writeLevel(level: number, block: IndexBlockBuilder): void {
    const pointer = this.writeBlock(block.finish(level === 0));
    this.appendTo(level + 1, block.firstKey, pointer);
    block.clear();
  }

  private block(level: number): IndexBlockBuilder {
    const block = this.levels[level] ?? new IndexBlockBuilder();
    this.levels[level] = block;
    return block;
  }

  private requireOpen(): void {
    if (this.finished) {
      throw invalidArgument("the index tree is finished");
    }
  }
}
