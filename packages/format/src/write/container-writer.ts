/**
 * Writes the parts of any kind of CFile (docs/spec/cfile.md#3-header-and-footer and docs/spec/cfile.md#7-indexes): header, blocks
 * with their index entries, the rest of the indexes, footer.
 */
import { type BlockLocation, invalidArgument } from "@cfile/bytes";
import { separatingKey } from "@cfile/encodings/keys";
import { encodePositionalKey } from "@cfile/index-btree";
import { IndexTreeBuilder } from "@cfile/index-btree/write";
import { type ByteSink, SinkQueue } from "@cfile/io";
import { type NewBlockWrapping, wrapBlock } from "../blocks/block-wrapper.js";
import { FEATURE_ARRAY_DATA_BLOCK, FEATURE_CHECKSUM } from "../file/footer.js";
import { encodeFooter, encodeHeader, frameFooter } from "../file/frame-encoder.js";
import { MAGIC_AND_LENGTH } from "../file/magic.js";
import type { MetadataPair } from "../file/metadata.js";
import { type ResolvedWriterOptions, resolveWriterOptions, type WriterOptions } from "./writer-options.js";

/** A finished block, before compression and checksum. */
export interface RawBlock {
  readonly bytes: Uint8Array;
  /** Whether the writer may modify its memory, which has room for a checksum after the block. Default `false`. */
  readonly isGiven?: boolean | undefined;
  /** Its key in a positional index. */
  readonly firstRow: number;
  /** Encoded keys of the first and last value, for the value index. */
  readonly firstKey: Uint8Array | undefined;
  readonly lastKey: Uint8Array | undefined;
}

/** Size of a written file. */
export interface WrittenFile {
  readonly rows: number;
  /** Size of the file in bytes. */
  readonly bytes: number;
  readonly dataBlocks: number;
  /** Stored bytes of all data blocks. */
  readonly dataBytes: number;
}

/** Facts that are known only at the end of a file. */
export interface FileEnd {
  readonly rows: number;
  /** Bytes of the dictionary block, if any. */
  readonly dictionary?: Uint8Array | undefined;
}

/**
 * Writes a file of already encoded blocks. After any error the sink is aborted and the writer accepts nothing more; a writer
 * aborted before `finish` leaves nothing behind.
 */
export class CFileContainerWriter {
  readonly options: ResolvedWriterOptions;
  private readonly out: SinkQueue;
  private readonly wrapping: NewBlockWrapping;
  private readonly posidx: IndexTreeBuilder | undefined;
  private readonly validx: IndexTreeBuilder | undefined;
  private readonly footerMetadata: MetadataPair[];
  private dataBlocks = 0;
  private dataBytes = 0;
  /** Key of the last block's last value. */
  private lastBlockKey: Uint8Array = new Uint8Array(0);

  /** @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for invalid options or combinations of them */
  constructor(sink: ByteSink, options: WriterOptions) {
    const resolved = resolveWriterOptions(options);
    this.options = resolved;
    this.out = new SinkQueue(sink);
    this.wrapping = {
      version: 2,
      checksums: resolved.checksums,
      codec: resolved.compression === "NO_COMPRESSION" ? undefined : resolved.codecs[resolved.compression],
      kernels: resolved.kernels,
    };
    const indexBlockSize = resolved.indexBlockSize;
    const writeBlock = (bytes: Uint8Array): BlockLocation => this.writeBlock(bytes);
    this.posidx = resolved.posidx ? new IndexTreeBuilder({ indexBlockSize, writeBlock }) : undefined;
    const orderedKeyEnd = resolved.indexKeys?.orderedKeyEnd;
    this.validx = resolved.validx
      ? new IndexTreeBuilder({ indexBlockSize, writeBlock, orderedKeyEnd })
      : undefined;
    this.footerMetadata = [...resolved.footerMetadata];
    const header = encodeHeader(resolved.headerMetadata, resolved.checksums);
    this.checkMetadataSize(header.length - MAGIC_AND_LENGTH, "header");
    this.out.emit(header);
  }

  /** Adds a metadata pair to the footer. @throws {CFileError} `E_INVALID_ARGUMENT` after `finish` or an error */
  addMetadata(key: string, value: Uint8Array): void {
    this.out.requireOpen();
    this.footerMetadata.push({ key, value });
  }

  /** Runs `step`, which appends blocks, then passes finished bytes to the sink. An error of either aborts the write. */
  run(step: () => void): Promise<void> {
    return this.out.run(step);
  }

  /**
   * Appends a data block and its index entries; call it in a step of {@link run} or {@link finish}. With
   * `optimizeIndexKeys` its key in the value index is shortened to the bytes that separate it from the previous block.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when keys descend, `E_LIMIT` for a key that is too long for readers
   */
  appendRawBlock(block: RawBlock): BlockLocation {
    const pointer = this.writeBlock(block.bytes, block.isGiven);
    this.dataBlocks++;
    this.dataBytes += pointer.size;
    this.posidx?.append(encodePositionalKey(block.firstRow), pointer);
    if (this.validx !== undefined && block.firstKey !== undefined && block.lastKey !== undefined) {
      const key = this.options.optimizeIndexKeys
        ? separatingKey(this.lastBlockKey, block.firstKey)
        : block.firstKey;
      this.validx.append(key, pointer);
      this.lastBlockKey = block.lastKey;
    }
    return pointer;
  }

  /**
   * Runs `lastStep`, writes indexes, dictionary and footer, then closes the sink.
   *
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error; no file is left behind
   */
  async finish(lastStep: () => FileEnd): Promise<WrittenFile> {
    const rows = await this.out.finish(() => {
      const end = lastStep();
      this.writeEnd(end);
      return end.rows;
    });
    return { rows, bytes: this.out.position, dataBlocks: this.dataBlocks, dataBytes: this.dataBytes };
  }

  /** Aborts the write and leaves nothing behind; does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    return this.out.abort(reason);
  }

  private writeEnd(end: FileEnd): void {
    const posidx = this.posidx?.finish();
    const validx = this.validx?.finish();
    const dictionary = end.dictionary && this.writeBlock(end.dictionary);
    const { type, encoding, compression, nullable, array, checksums } = this.options;
    const protobuf = encodeFooter({
      dataType: type,
      encoding,
      rowCount: end.rows,
      posidx,
      validx,
      compression,
      metadata: this.footerMetadata,
      nullable,
      dictionary,
      incompatibleFeatures: (checksums ? FEATURE_CHECKSUM : 0) | (array ? FEATURE_ARRAY_DATA_BLOCK : 0),
      compatibleFeatures: undefined,
      array: array ? true : undefined,
    });
    this.checkMetadataSize(protobuf.length, "footer");
    this.out.emit(frameFooter(protobuf, 2, checksums));
  }

  private checkMetadataSize(length: number, field: string): void {
    const limit = this.options.limits.maxMetadataSize;
    if (length > limit) {
      const reason = `${field} of ${length} bytes exceeds maxMetadataSize (${limit}); use less metadata`;
      throw invalidArgument(reason, { field, expected: limit, actual: length });
    }
  }

  private writeBlock(bytes: Uint8Array, isGiven = false): BlockLocation {
    const stored = wrapBlock(bytes, this.wrapping, this.options.limits, isGiven);
    const pointer = { offset: this.out.position, size: stored.length };
    this.out.emit(stored);
    return pointer;
  }
}
