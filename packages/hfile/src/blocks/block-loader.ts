/** Reads blocks: header, checksums, decompression. Sizes are checked against the file before they are used. */
import { type BlockLocation, corrupt, type Limits, withErrorContext } from "@cfile/bytes";
import { type ByteSource, type ReadOptions, readExactly } from "@cfile/io";
import { BLOCK_HEADER_LENGTH, type HFileBlockHeader, parseBlockHeader } from "./block-header.js";
import type { BlockKind } from "./block-kind.js";
import { verifyChecksums } from "./checksum-type.js";
import { decompressBody, type HFileCodec } from "./hfile-codec.js";
import { mismatch, requireWithin } from "./mismatch.js";

export interface OpenedBlock {
  readonly header: HFileBlockHeader;
  /** Decompressed; with the codec NONE, a view of the bytes read. */
  readonly body: Uint8Array;
  /** Checksum chunks that were checked. */
  readonly chunks: number;
}

export interface BlockLoaderOptions {
  readonly codec: HFileCodec;
  /** Whether to verify checksums. */
  readonly checksums: boolean;
  readonly limits: Limits;
  /** Where blocks end: the trailer's offset. */
  readonly end: number;
}

export class BlockLoader {
  readonly source: ByteSource;
  readonly options: BlockLoaderOptions;

  constructor(source: ByteSource, options: BlockLoaderOptions) {
    this.source = source;
    this.options = options;
  }

  /** @throws {CFileError} as {@link open}; `E_IO` when the source fails; the signal's reason when aborted */
  async load(
    location: BlockLocation,
    kinds: readonly BlockKind[],
    options: ReadOptions,
  ): Promise<OpenedBlock> {
    return this.open(await this.read(location, options), location, kinds);
  }

  /** The bytes of one block, or of several adjacent ones. */
  read({ offset, size }: BlockLocation, options: ReadOptions): Promise<Uint8Array> {
    const { end, limits } = this.options;
    const details = { path: this.source.name, block: { offset, size }, field: "block pointer" };
    if (!(offset >= 0 && size >= BLOCK_HEADER_LENGTH && offset + size <= end)) {
      throw corrupt(`block ${offset}..${offset + size} is outside the file (blocks end at ${end})`, details);
    }
    requireWithin(limits, "maxStoredBlockSize", size, "block", details);
    return readExactly(this.source, offset, size, { ...options, field: "block" });
  }

  /**
   * Opens a block that was read.
   * @param bytes exactly the block
   * @throws {CFileError} `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED`, `E_LIMIT`, with the block
   */
  open(bytes: Uint8Array, location: BlockLocation, kinds: readonly BlockKind[]): OpenedBlock {
    const { codec, checksums, limits } = this.options;
    return withErrorContext({ path: this.source.name, block: location }, () => {
      const header = parseBlockHeader(bytes, 0, bytes.length, limits);
      if (!kinds.includes(header.kind)) {
        throw mismatch("block magic", 0, kinds[0], header.kind);
      }
      if (header.size !== bytes.length) {
        throw mismatch("on-disk size", 8, bytes.length, header.size);
      }
      const chunks = checksums ? verifyChecksums(bytes, header) : 0;
      const stored = bytes.subarray(BLOCK_HEADER_LENGTH, header.checksumsStart);
      return { header, chunks, body: decompressBody(codec, stored, header.uncompressedSize, limits) };
    });
  }
}
