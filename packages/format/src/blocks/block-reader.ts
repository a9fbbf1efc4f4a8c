/**
 * Reads blocks by their pointers: the pointer is checked against header and footer, the checksum verified, the
 * block expanded. Every error names the file and the block.
 */
import {
  type BlockLocation,
  type BlockMemory,
  CFileError,
  corrupt,
  type Limits,
  withErrorContext,
} from "@cfile/bytes";
import { type ByteRange, type ByteSource, type ExactReadOptions, readExactly, readRanges } from "@cfile/io";

import type { FileStructure } from "../file/file-structure.js";
import { CHECKSUM_LENGTH, unwrapBlock } from "./block-wrapper.js";

/** Options of one read of blocks. */
export interface BlockReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Blocks closer than this are fetched by one read when a range of blocks is wanted. */
const MAX_READ_GAP = 64 * 1024;
/** And up to this many bytes; more blocks are fetched by parallel reads. */
export const MAX_READ_SPAN = 8 * 1024 * 1024;
/** The first block of nearly every file begins before this. */
const NEAR_HEADER = 4096;

/** Reads blocks of one file: fetches, verifies the checksum, decompresses. */
export class BlockReader {
  readonly structure: FileStructure;
  readonly limits: Limits;
  private readonly source: ByteSource;
  private readonly verifyChecksums: boolean;

  constructor(source: ByteSource, structure: FileStructure, limits: Limits, verifyChecksums: boolean) {
    this.source = source;
    this.structure = structure;
    this.limits = limits;
    this.verifyChecksums = verifyChecksums;
  }

  /** Throws unless the block lies between header and footer. */
  checkPointer(block: BlockLocation): void {
    const { path, headerRange, footerRange, wrapping } = this.structure;
    const { offset, size } = block;
    if (offset < headerRange.size || offset + size > footerRange.offset) {
      throw corrupt(
        `a block pointer leads to ${offset}..${offset + size}, blocks stand in ${headerRange.size}..${footerRange.offset}`,
        { path, block, field: "block pointer", actual: offset },
      );
    }
    if (wrapping.checksums && size < CHECKSUM_LENGTH) {
      throw corrupt(`a block of ${size} bytes has no room for its checksum`, {
        path,
        block,
        field: "block pointer",
        actual: size,
      });
    }
    if (size > this.limits.maxStoredBlockSize) {
      throw new CFileError(
        "E_LIMIT",
        `a block of ${size} bytes, maxStoredBlockSize is ${this.limits.maxStoredBlockSize}`,
        {
          path,
          block,
          field: "block pointer",
          expected: this.limits.maxStoredBlockSize,
          actual: size,
        },
      );
    }
  }

  /** The block's stored bytes, wrapper and checksum included. */
  async readStored(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    this.checkPointer(block);
    return this.readRange({ offset: block.offset, length: block.size }, options.signal);
  }

  /**
   * The content of several blocks, wherever they stand; near ones are fetched together.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async readMany(blocks: readonly BlockLocation[], options: BlockReadOptions = {}): Promise<Uint8Array[]> {
    const order = [...blocks.keys()].sort((a, b) => offsetOf(blocks, a) - offsetOf(blocks, b));
    const sorted = order.map((i) => blocks[i] as BlockLocation);
    const contents: Uint8Array[] = [];
    for (const [i, stored] of (await this.readStoredRange(sorted, options)).entries()) {
      contents[order[i] as number] = this.unwrap(sorted[i] as BlockLocation, stored);
    }
    return contents;
  }

  /**
   * The block's content: what the wrapper holds.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async read(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    return this.unwrap(block, await this.readStored(block, options));
  }

  /**
   * The stored bytes of several blocks, each behind the one before, neighbours fetched together.
   *
   * @throws CFileError `E_IO` when the source fails, `E_TRUNCATED` when it ends before
   */
  async readStoredRange(
    blocks: readonly BlockLocation[],
    { signal, target }: BlockReadOptions & Pick<ExactReadOptions, "target"> = {},
  ): Promise<Uint8Array[]> {
    const groups: BlockLocation[][] = [];
    for (let i = 0; i < blocks.length; ) {
      const group = neighbours(blocks, i);
      for (const block of group) {
        this.checkPointer(block);
      }
      groups.push(group);
      i += group.length;
    }
    const spans = groups.map((group) => {
      const { offset } = group[0] as BlockLocation;
      const last = group[group.length - 1] as BlockLocation;
      return { offset, length: last.offset + last.size - offset };
    });
    const [only] = spans;
    const parts =
      spans.length === 1 && only !== undefined
        ? [await this.readRange(only, signal, target)]
        : await readRanges(this.source, spans, { signal, field: "block" });
    const stored: Uint8Array[] = [];
    for (const [i, group] of groups.entries()) {
      const start = (spans[i] as ByteRange).offset;
      const bytes = parts[i] as Uint8Array;
      for (const { offset, size } of group) {
        stored.push(bytes.subarray(offset - start, offset - start + size));
      }
    }
    return stored;
  }

  /** One read; it brings the header along where that is still missing and close by. */
  private async readRange(
    { offset, length }: ByteRange,
    signal: AbortSignal | undefined,
    target?: Uint8Array,
  ): Promise<Uint8Array> {
    const { head } = this.structure;
    if (head.isKnown || offset > NEAR_HEADER) {
      return readExactly(this.source, offset, length, { signal, target, field: "block" });
    }
    const bytes = await readExactly(this.source, 0, offset + length, { signal, field: "block" });
    head.take(bytes);
    if (head.size > offset) {
      const { path } = this.structure;
      throw corrupt(`a block pointer leads to ${offset}, into the header of ${head.size} bytes`, {
        path,
        field: "block pointer",
        actual: offset,
      });
    }
    return bytes.subarray(offset);
  }

  /** Whether a read is a request over a network. */
  get isRemote(): boolean {
    return this.source.traffic !== undefined;
  }

  /** Whether reads give views of bytes that are at hand. */
  get isMemory(): boolean {
    return this.source.isMemory ?? false;
  }

  /**
   * The content of a stored block: checksum verified and removed, decompressed.
   *
   * @param memory where an expanded block goes; default: memory of its own
   * @throws CFileError `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` or `E_LIMIT` with the block's place
   */
  unwrap(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): Uint8Array {
    return withErrorContext({ path: this.structure.path, block }, () =>
      unwrapBlock(stored, this.structure.wrapping, this.limits, this.verifyChecksums, memory),
    );
  }
}

function offsetOf(blocks: readonly BlockLocation[], i: number): number {
  return (blocks[i] as BlockLocation).offset;
}

function neighbours(blocks: readonly BlockLocation[], start: number): BlockLocation[] {
  const group: BlockLocation[] = [];
  let end = -1;
  for (let i = start; i < blocks.length; i++) {
    const block = blocks[i] as BlockLocation;
    const gap = block.offset - end;
    const span = block.offset + block.size - (group[0] ?? block).offset;
    if (end >= 0 && (gap < 0 || gap > MAX_READ_GAP || span > MAX_READ_SPAN)) {
      break;
    }
    group.push(block);
    end = block.offset + block.size;
  }
  return group;
}

const ROOM_STEP = 1 << 19;

/**
 * Bytes of a target for a range with `span`: groups of blocks differ by a block in size, and the buffer of one is to do for all
 * others.
 */
export function roomFor(span: number): number {
  return span < ROOM_STEP ? span : Math.ceil(span / ROOM_STEP) * ROOM_STEP;
}
