import {
  type BlockLocation,
  CFileError,
  compareBytes,
  DEFAULT_LIMITS,
  invalidArgument,
  type Limits,
} from "@cfile/bytes";
import { IndexBlockBuilder } from "./index-block-builder.js";
import { type OrderedKeyEnd, orderedPart } from "./index-tree-options.js";

/** Size and destination of the blocks of a new index tree. */
export interface IndexTreeBuilderOptions {
  /** Estimated size in bytes above which a block with more than one entry is full. Kudu's default: 32768. */
  readonly indexBlockSize: number;
  /** Writes the bytes of a block, wrapped as in the file, at the end of the file; returns their location. */
  readonly writeBlock: (bytes: Uint8Array) => BlockLocation;
  /** For keys with an ordered prefix. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
  /** Maximum key length, as in readers. */
  readonly limits?: Pick<Limits, "maxKeyLength"> | undefined;
}

/**
 * Builds an index tree from the leaves up while a file is written (docs/spec/cfile.md#74-building-and-order-in-the-file). Each full
 * block is written immediately; `finish` writes the rest, the root last.
 */
export class IndexTreeBuilder {
  private readonly options: IndexTreeBuilderOptions;
  /** The open block of each level, leaves first. */
  private readonly levels: IndexBlockBuilder[] = [new IndexBlockBuilder()];
  private lastKey: Uint8Array = new Uint8Array(0);
  private finished = false;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` unless `indexBlockSize` is a positive number */
  constructor(options: IndexTreeBuilderOptions) {
    const { indexBlockSize: actual } = options;
    if (!(actual > 0)) {
      const field = "indexBlockSize";
      throw invalidArgument(`invalid ${field}: ${actual} (must be a positive number)`, { field, actual });
    }
    this.options = options;
  }

  /**
   * Adds the data block at `pointer`; writes blocks that are full.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when `key` is before the last one or the tree is finished; `E_LIMIT` for a key above
   *   the limit
   */
  append(key: Uint8Array, pointer: BlockLocation): void {
    this.requireOpen();
    const { maxKeyLength } = this.options.limits ?? DEFAULT_LIMITS;
    const { length: actual } = key;
    if (actual > maxKeyLength) {
      const details = { field: "key", expected: maxKeyLength, actual };
      throw new CFileError(
        "E_LIMIT",
        `key of ${actual} bytes exceeds maxKeyLength (${maxKeyLength})`,
        details,
      );
    }
    const ordered = orderedPart(key, this.options.orderedKeyEnd);
    if (compareBytes(ordered, this.lastKey) < 0) {
      throw invalidArgument("index keys must not descend", { field: "key" });
    }
    this.lastKey = ordered.slice();
    this.appendTo(0, key, pointer);
  }

  /**
   * Writes the open block of every level; returns the location of the root. A tree without entries is an empty leaf.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when the tree is finished
   */
  finish(): BlockLocation {
    this.requireOpen();
    this.finished = true;
    // Writing a level may add another one, so the number of levels is read each time.
    for (let level = 0; level < this.levels.length - 1; level++) {
      const block = this.levels[level];
      if (block !== undefined && block.count > 0) {
        this.writeLevel(level, block);
      }
    }
    const top = this.levels.length - 1;
    return this.options.writeBlock(this.block(top).finish(top === 0));
  }

  private appendTo(level: number, key: Uint8Array, pointer: BlockLocation): void {
    const block = this.block(level);
    block.add(key, pointer);
    if (block.count > 1 && block.estimatedSize > this.options.indexBlockSize) {
      this.writeLevel(level, block);
    }
  }

  private writeLevel(level: number, block: IndexBlockBuilder): void {
    const pointer = this.options.writeBlock(block.finish(level === 0));
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
      throw invalidArgument("index tree is already finished");
    }
  }
}
