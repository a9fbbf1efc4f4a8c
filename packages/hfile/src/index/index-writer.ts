/**
 * Writes the data index (docs/spec/hfile.md#7-index-blocks): leaf blocks between data blocks, intermediate blocks before the root. A
 * level is added while the root exceeds the size of an index block and has more than 16 entries.
 */
import { type BlockLocation, ByteBuilder } from "@cfile/bytes";
import { BLOCK_HEADER_LENGTH } from "../blocks/block-header.js";
import type { BlockKind } from "../blocks/block-kind.js";
import { writeVlong, writtenVlongLength } from "../cells/hadoop-vlong.js";
import type { BlockWriter } from "../write/block-writer.js";

/** A root with at most this many entries gets no further level, however long its keys are. */
const MIN_ENTRIES = 16;
const POINTER = 12;

interface IndexEntry extends BlockLocation {
  readonly key: Uint8Array;
  /** Number of data blocks below. */
  readonly dataBlocks: number;
}

/** Entries of a block that is being filled. */
class IndexChunk {
  entries: IndexEntry[] = [];
  /** Size as a leaf or intermediate block in bytes. */
  nodeSize = 8;
  /** Size as a root in bytes. */
  rootSize = 0;

  add(entry: IndexEntry): void {
    const keyLength = entry.key.length;
    this.entries.push(entry);
    this.nodeSize += 4 + POINTER + keyLength;
    this.rootSize += POINTER + keyLength + writtenVlongLength(keyLength);
  }
}

export interface WrittenIndex {
  readonly body: Uint8Array;
  readonly entries: number;
  readonly levels: number;
}

export class IndexWriter {
  /** Uncompressed bytes of the bodies of all blocks except the root. */
  uncompressedBytes = 0;
  /** Uncompressed bytes of the bodies and headers of leaf blocks. */
  leafBytes = 0;
  private readonly blocks: BlockWriter;
  private readonly blockSize: number;
  private leaf = new IndexChunk();
  private root = new IndexChunk();

  /** @param blockSize infinite for an index of one level */
  constructor(blocks: BlockWriter, blockSize: number) {
    this.blocks = blocks;
    this.blockSize = blockSize;
  }

  /** Adds the entry of a data block; writes the leaf if it is full. */
  add(key: Uint8Array, location: BlockLocation): void {
    this.leaf.add({ ...location, key, dataBlocks: 1 });
    if (this.leaf.nodeSize >= this.blockSize) {
      this.writeLeaf();
    }
  }

  /** Writes the last leaf, unless the index has only one level. Call it after the last data block. */
  finishLeaves(): void {
    if (this.root.entries.length > 0 && this.leaf.entries.length > 0) {
      this.writeLeaf();
    }
  }

  /** Writes the intermediate levels; returns the root. */
  finish(): WrittenIndex {
    let root = this.root;
    let levels = 2;
    if (root.entries.length === 0) {
      root = this.leaf;
      levels = 1;
    }
    const middle = levels === 1 ? undefined : middleKey(root.entries);
    while (root.rootSize > this.blockSize && root.entries.length > MIN_ENTRIES) {
      root = this.writeIntermediates(root);
      levels++;
    }
    const out = new ByteBuilder(root.rootSize + 16);
    for (const { offset, size, key } of root.entries) {
      writePointer(out, offset, size);
      writeVlong(out, key.length);
      out.append(key);
    }
    if (middle !== undefined) {
      writePointer(out, middle.offset, middle.size);
      out.u32be(middle.ordinal);
    }
    return { body: out.finish(), entries: root.entries.length, levels };
  }

  private writeLeaf(): void {
    this.root.add(this.writeNode("leaf index", this.leaf));
    this.leaf = new IndexChunk();
  }

  private writeIntermediates(below: IndexChunk): IndexChunk {
    const above = new IndexChunk();
    let chunk = new IndexChunk();
    for (const entry of below.entries) {
      chunk.add(entry);
      if (chunk.entries.length > 1 && chunk.rootSize >= this.blockSize) {
        above.add(this.writeNode("intermediate index", chunk));
        chunk = new IndexChunk();
      }
    }
    if (chunk.entries.length > 0) {
      above.add(this.writeNode("intermediate index", chunk));
    }
    return above;
  }

  private writeNode(kind: BlockKind, { entries, nodeSize }: IndexChunk): IndexEntry {
    const out = new ByteBuilder(nodeSize);
    out.u32be(entries.length);
    let start = 0;
    let dataBlocks = 0;
    for (const entry of entries) {
      out.u32be(start);
      start += POINTER + entry.key.length;
      dataBlocks += entry.dataBlocks;
    }
    out.u32be(start);
    for (const { offset, size, key } of entries) {
      writePointer(out, offset, size);
      out.append(key);
    }
    this.uncompressedBytes += out.length;
    this.leafBytes += kind === "leaf index" ? out.length + BLOCK_HEADER_LENGTH : 0;
    const key = (entries[0] as IndexEntry).key;
    return { ...this.blocks.write(kind, out.view8()), key, dataBlocks };
  }
}

/** The leaf with the entry of the middle data block, and the index of this entry in the leaf. */
function middleKey(leaves: readonly IndexEntry[]): BlockLocation & { ordinal: number } {
  const total = leaves.reduce((sum, { dataBlocks }) => sum + dataBlocks, 0);
  let ordinal = Math.floor((total - 1) / 2);
  for (const { offset, size, dataBlocks } of leaves) {
    if (ordinal < dataBlocks) {
      return { offset, size, ordinal };
    }
    ordinal -= dataBlocks;
  }
  return { offset: 0, size: 0, ordinal: 0 };
}

/** Appends the offset and size of a block. */
export function writePointer(out: ByteBuilder, offset: number, size: number): void {
  out.u32be(Math.floor(offset / 2 ** 32));
  out.u32be(offset >>> 0);
  out.u32be(size);
}
