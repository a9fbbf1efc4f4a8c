import { type BlockLocation, ByteBuilder, invalidArgument } from "@cfile/bytes";
import { messageBytes } from "@cfile/protobuf/write";
import { writeBlockPointer, writeLengthPrefixed } from "@cfile/varint";
import { encodeIndexTrailer } from "./generated/encode.js";
import { INTERNAL, LEAF } from "./index-trailer.js";

/** Kudu's estimate of the size of trailer and trailer length. */
const TRAILER_ESTIMATE = 16;

/** Builds one index block, entry by entry; `index-block.ts` shows the layout (docs/spec/cfile.md#71-index-block). */
export class IndexBlockBuilder {
  private readonly entries = new ByteBuilder();
  private readonly offsets: number[] = [];
  private first: Uint8Array | undefined;

  /** Number of entries. */
  get count(): number {
    return this.offsets.length;
  }

  /** The size by which Kudu decides whether the block is full. */
  get estimatedSize(): number {
    return this.entries.length + 4 * this.offsets.length + TRAILER_ESTIMATE;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` while the block is empty */
  get firstKey(): Uint8Array {
    if (this.first === undefined) {
      throw invalidArgument("an empty index block has no first key");
    }
    return this.first;
  }

  /**
   * Appends an entry. Keys must ascend, which `IndexTreeBuilder` checks.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` unless the pointer's offset is a safe integer and its size a 32-bit integer
   */
  add(key: Uint8Array, pointer: BlockLocation): void {
    const start = this.entries.length;
    writeLengthPrefixed(this.entries, key);
    writeBlockPointer(this.entries, pointer.offset, pointer.size);
    this.offsets.push(start);
    this.first ??= key.slice();
  }

  /** The bytes of the block. */
  finish(isLeaf: boolean): Uint8Array {
    const out = new ByteBuilder(this.estimatedSize);
    out.append(this.entries.view8());
    for (const offset of this.offsets) {
      out.u32le(offset);
    }
    const trailerStart = out.length;
    const trailer = { numEntries: this.offsets.length, type: isLeaf ? LEAF : INTERNAL };
    out.append(messageBytes(encodeIndexTrailer, trailer));
    out.u32le(out.length - trailerStart);
    return out.finish();
  }

  /** Removes all entries. */
  clear(): void {
    this.entries.clear();
    this.offsets.length = 0;
    this.first = undefined;
  }
}
