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
import { type ByteSource, readExactly } from "@cfile/io";
import { CHECKSUM_LENGTH, unwrapBlock } from "./block-wrapper.js";
import type { FileStructure } from "./file-structure.js";

export interface BlockReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Blocks closer than this are fetched by one read when a range of blocks is wanted. */
const MAX_READ_GAP = 64 * 1024;

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
    return readExactly(this.source, block.offset, block.size, { signal: options.signal, field: "block" });
  }

  /** The block's content: what the wrapper holds. */
  async read(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    return this.unwrap(block, await this.readStored(block, options));
  }

  /** The stored bytes of several blocks in file order, neighbours fetched together. */
  async readStoredRange(
    blocks: readonly BlockLocation[],
    options: BlockReadOptions = {},
  ): Promise<Uint8Array[]> {
    const stored: Uint8Array[] = [];
    for (let i = 0; i < blocks.length; ) {
      const group = neighbours(blocks, i);
      const [first] = group;
      const last = group.at(-1);
      if (first === undefined || last === undefined) {
        break;
      }
      for (const block of group) {
        this.checkPointer(block);
      }
      const span = { offset: first.offset, size: last.offset + last.size - first.offset };
      const bytes = await readExactly(this.source, span.offset, span.size, {
        signal: options.signal,
        field: "block",
      });
      for (const { offset, size } of group) {
        stored.push(bytes.subarray(offset - span.offset, offset - span.offset + size));
      }
      i += group.length;
    }
    return stored;
  }

  /** @param memory where an expanded block goes; default: memory of its own */
  unwrap(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): Uint8Array {
    return withErrorContext({ path: this.structure.path, block }, () =>
      unwrapBlock(stored, this.structure.wrapping, this.limits, this.verifyChecksums, memory),
    );
  }
}

function neighbours(blocks: readonly BlockLocation[], start: number): BlockLocation[] {
  const group: BlockLocation[] = [];
  let end = -1;
  for (const block of blocks.slice(start)) {
    const gap = block.offset - end;
    if (end >= 0 && (gap < 0 || gap > MAX_READ_GAP)) {
      break;
    }
    group.push(block);
    end = block.offset + block.size;
  }
  return group;
}
