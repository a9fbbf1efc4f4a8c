/**
 * Reads blocks by their pointers: checks the pointer against header and footer, verifies the checksum, decompresses the block.
 * Every error names the file and the block.
 */
import {
  type BlockLocation,
  type BlockMemory,
  corrupt,
  type Limits,
  mismatch,
  overLimit,
  withErrorContext,
} from "@cfile/bytes";
import {
  type ByteParts,
  type ByteRange,
  type ByteSource,
  type ExactReadOptions,
  readExactly,
  readParts,
  readRanges,
} from "@cfile/io";
import type { FileStructure } from "../file/file-structure.js";
import { CHECKSUM_LENGTH, unwrapBlock } from "./block-wrapper.js";

/** Options of one read of blocks. */
export interface BlockReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The stored bytes of a block. If they arrived in several parts, each call joins them.
 *
 * @param memory for joined bytes. Default: new memory
 */
export type StoredBlock = (memory?: BlockMemory) => Uint8Array;

/** Blocks with a smaller gap between them are fetched with one read. */
const MAX_READ_GAP = 64 * 1024;
/** Maximum bytes of one read; the rest is fetched by parallel reads. */
export const MAX_READ_SPAN = 8 * 1024 * 1024;
/** In nearly every file, the first block starts before this offset. */
const NEAR_HEADER = 4096;

/** Reads blocks of one file: fetches, verifies the checksum, decompresses. */
export class BlockReader {
  readonly structure: FileStructure;
  readonly limits: Limits;
  readonly source: ByteSource;
  private readonly verifyChecksums: boolean;

  constructor(source: ByteSource, structure: FileStructure, limits: Limits, verifyChecksums: boolean) {
    this.source = source;
    this.structure = structure;
    this.limits = limits;
    this.verifyChecksums = verifyChecksums;
  }

  /** @throws {CFileError} `E_CORRUPT` unless the block lies between header and footer; `E_LIMIT` if it is too large */
  checkPointer(block: BlockLocation): void {
    const { path, headerRange, footerRange, wrapping } = this.structure;
    const { offset, size } = block;
    const details = { path, block, field: "block pointer" };
    if (offset < headerRange.size || offset + size > footerRange.offset) {
      const blocks = `${headerRange.size}..${footerRange.offset}`;
      const reason = `block pointer outside the file's blocks (expected within ${blocks}, found ${offset}..${offset + size})`;
      throw corrupt(reason, { ...details, actual: offset });
    }
    if (wrapping.checksums && size < CHECKSUM_LENGTH) {
      throw mismatch("block is too short for its checksum", CHECKSUM_LENGTH, size, details);
    }
    if (size > this.limits.maxStoredBlockSize) {
      throw overLimit("stored block size", "maxStoredBlockSize", this.limits, size, details);
    }
  }

  /**
   * The block's stored bytes, wrapper and checksum included.
   *
   * @throws {CFileError} as {@link checkPointer}; `E_IO`, `E_TRUNCATED`: the source fails or ends before the end of the block
   */
  async readStored(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    this.checkPointer(block);
    const { offset, size: length } = block;
    return (await this.readRange({ offset, length }, options.signal)).subarray(0, length);
  }

  /**
   * The content of several blocks in any order; neighboring blocks are fetched together.
   *
   * @throws {CFileError} as {@link read}
   */
  async readMany(blocks: readonly BlockLocation[], options: BlockReadOptions = {}): Promise<Uint8Array[]> {
    const sorted = [...blocks].sort((a, b) => a.offset - b.offset);
    const stored = await this.readStoredRange(sorted, options);
    const contents = new Map(
      sorted.map((block, i) => [block, this.unwrap(block, stored[i]?.() as Uint8Array)]),
    );
    return blocks.map((block) => contents.get(block) as Uint8Array);
  }

  /**
   * The block's content: checksum verified, decompressed.
   *
   * @throws {CFileError} `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM`, `E_TRUNCATED` or `E_LIMIT` when the file
   *   is damaged
   */
  async read(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    return this.unwrap(block, await this.readStored(block, options));
  }

  /**
   * The content of an index block. The root of an index is often among the last bytes of the file, which are in memory.
   *
   * @throws {CFileError} as {@link read}
   */
  async readIndex(block: BlockLocation, options: BlockReadOptions = {}): Promise<Uint8Array> {
    this.checkPointer(block);
    options.signal?.throwIfAborted();
    const found = this.structure.tail.find(block.offset, block.size);
    return found === undefined ? this.read(block, options) : this.unwrap(block, found);
  }

  /**
   * The stored bytes of several blocks in file order; neighboring blocks are fetched together.
   *
   * @param options `target`: buffer for the bytes if a single read fetches all of them and the source does not keep them
   * @throws {CFileError} as {@link readStored}
   */
  async readStoredRange(
    blocks: readonly BlockLocation[],
    { signal, target }: BlockReadOptions & Pick<ExactReadOptions, "target"> = {},
  ): Promise<StoredBlock[]> {
    const spans: { offset: number; length: number }[] = [];
    const spanOf: number[] = [];
    for (const block of blocks) {
      const { offset, size } = block;
      this.checkPointer(block);
      const span = spans.at(-1);
      const gap = span === undefined ? -1 : offset - span.offset - span.length;
      const length = span === undefined ? 0 : offset + size - span.offset;
      if (span === undefined || gap < 0 || gap > MAX_READ_GAP || length > MAX_READ_SPAN) {
        spans.push({ offset, length: size });
      } else {
        span.length = length;
      }
      spanOf.push(spans.length - 1);
    }
    const [only] = spans;
    const parts: readonly ByteParts[] =
      spans.length === 1 && only !== undefined
        ? [await this.readRange(only, signal, target)]
        : await readRanges(this.source, spans, { signal, field: "block" });
    return blocks.map(({ offset, size }, i) => {
      const index = spanOf[i] as number;
      const start = offset - (spans[index] as ByteRange).offset;
      return (memory) => (parts[index] as ByteParts).subarray(start, start + size, memory);
    });
  }

  /** Reads a range, extended to the start of the file if the header has not been read yet and is close. */
  private async readRange(
    { offset, length }: ByteRange,
    signal: AbortSignal | undefined,
    target?: Uint8Array,
  ): Promise<ByteParts> {
    const { head, path } = this.structure;
    if (head.isKnown || offset > NEAR_HEADER) {
      return readParts(this.source, offset, length, { signal, target, field: "block" });
    }
    const bytes = await readExactly(this.source, 0, offset + length, { signal, target, field: "block" });
    head.take(bytes);
    if (head.size > offset) {
      const reason = `block pointer ${offset} points into the header of ${head.size} bytes`;
      throw corrupt(reason, { path, field: "block pointer", actual: offset });
    }
    return bytes.subarray(offset);
  }

  /** Whether a read is a request over a network. */
  get isRemote(): boolean {
    return this.source.traffic !== undefined;
  }

  /** Whether the source keeps the bytes that it returns, so that a read needs no memory. */
  get keepsBytes(): boolean {
    return this.source.isMemory ?? this.source.readParts !== undefined;
  }

  /**
   * The content of a stored block: checksum verified and removed, decompressed.
   *
   * @param memory for the decompressed block. Default: new memory
   * @throws {CFileError} `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` or `E_LIMIT`, naming the block
   */
  unwrap(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): Uint8Array {
    const { path, wrapping } = this.structure;
    const verify = this.verifyChecksums;
    return withErrorContext({ path, block }, () =>
      unwrapBlock(stored, wrapping, this.limits, verify, memory),
    );
  }
}

const ROOM_STEP = 1 << 19;

/**
 * Buffer size for a range of `span` bytes and a header in front of it. Rounded up in steps so that one buffer fits many groups of blocks.
 */
export function roomFor(span: number): number {
  const length = span + NEAR_HEADER;
  return length < ROOM_STEP ? length : Math.ceil(length / ROOM_STEP) * ROOM_STEP;
}
