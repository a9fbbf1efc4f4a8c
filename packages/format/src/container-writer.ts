/**
 * What every CFile is made of, whatever its blocks hold (specification 3 and 7): header, blocks with their entries in the
 * indexes, the rest of the indexes, footer. One file comes out, complete or not at all.
 */
import { type BlockLocation, CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import { separatingKey } from "@cfile/encodings";
import { encodePositionalKey, IndexTreeBuilder } from "@cfile/index-btree";
import type { ByteSink } from "@cfile/io";
import { type BlockWrapping, wrapBlock } from "./block-wrapper.js";
import { encodeFooter, FEATURE_ARRAY_DATA_BLOCK, FEATURE_CHECKSUM, frameFooter } from "./footer.js";
import { encodeHeader } from "./header.js";
import { MAGIC_AND_LENGTH } from "./magic.js";
import type { MetadataPair } from "./metadata.js";
import { type ResolvedWriterOptions, resolveWriterOptions, type WriterOptions } from "./writer-options.js";

/** A finished block, before compression and checksum. */
export interface RawBlock {
  readonly bytes: Uint8Array;
  /** Its key in a positional index. */
  readonly firstRow: number;
  /** Encoded keys of the first and the last value; with a value index only. */
  readonly firstKey: Uint8Array | undefined;
  readonly lastKey: Uint8Array | undefined;
}

/** What was written. */
export interface WrittenFile {
  readonly rows: number;
  /** Bytes of the whole file. */
  readonly bytes: number;
  readonly dataBlocks: number;
  /** Stored bytes of all data blocks. */
  readonly dataBytes: number;
}

/** What a file ends with. */
export interface FileEnd {
  readonly rows: number;
  /** The dictionary block's bytes, for files that have one. */
  readonly dictionary?: Uint8Array | undefined;
}

/** Finished bytes are given to the sink in pieces of about this size. */
const FLUSH_BYTES = 1 << 20;

/**
 * Writes a file of blocks that others have made. After any error the sink is aborted and the writer takes nothing more; a
 * writer closed before `finish` leaves nothing behind.
 */
export class CFileContainerWriter {
  readonly options: ResolvedWriterOptions;
  private readonly sink: ByteSink;
  private readonly wrapping: BlockWrapping;
  private readonly posidx: IndexTreeBuilder | undefined;
  private readonly validx: IndexTreeBuilder | undefined;
  private readonly footerMetadata: MetadataPair[];
  private readonly queue: Uint8Array[] = [];
  private queued = 0;
  private position = 0;
  private dataBlocks = 0;
  private dataBytes = 0;
  /** Key of the last block's last value. */
  private lastBlockKey: Uint8Array = new Uint8Array(0);
  private state: "open" | "finished" | "failed" = "open";
  private flushing: Promise<void> = Promise.resolve();

  /** @throws CFileError `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for options no CFile can have */
  constructor(sink: ByteSink, options: WriterOptions) {
    const resolved = resolveWriterOptions(options);
    this.options = resolved;
    this.sink = sink;
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
    this.emit(header);
  }

  /** Adds a metadata pair to the footer. */
  addMetadata(key: string, value: Uint8Array): void {
    this.requireOpen();
    this.footerMetadata.push({ key, value });
  }

  /** Runs `step`, which appends blocks, then hands finished bytes to the sink. An error of either gives the file up. */
  async run(step: () => void): Promise<void> {
    this.requireOpen();
    try {
      step();
      await this.flush(FLUSH_BYTES);
    } catch (error) {
      throw await this.fail(error);
    }
  }

  /**
   * Takes a data block and its entries in the indexes; to be called in a step of {@link run} or {@link finish}. Its
   * key in the value index is cut, if so asked for, to what tells it from the block before.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` when keys descend, `E_LIMIT` for a key no reader would take
   */
  appendRawBlock(block: RawBlock): BlockLocation {
    const pointer = this.writeBlock(block.bytes);
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

  /** Runs `lastStep`, writes what is left (indexes, dictionary, footer), then closes the sink. */
  async finish(lastStep: () => FileEnd): Promise<WrittenFile> {
    this.requireOpen();
    let rows: number;
    try {
      const end = lastStep();
      rows = end.rows;
      this.writeEnd(end);
      await this.flush(0);
      await this.sink.close();
    } catch (error) {
      throw await this.fail(error);
    }
    this.state = "finished";
    return { rows, bytes: this.position, dataBlocks: this.dataBlocks, dataBytes: this.dataBytes };
  }

  /** Gives the file up: nothing stays behind. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      await this.flushing.catch(() => undefined);
      await this.sink.abort(reason);
    }
  }

  private requireOpen(): void {
    if (this.state !== "open") {
      throw invalidArgument(
        this.state === "finished" ? "the file is finished" : "the file was given up after an error",
        { path: this.sink.name },
      );
    }
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
    this.emit(frameFooter(protobuf, 2, checksums));
  }

  private checkMetadataSize(length: number, field: string): void {
    const limit = this.options.limits.maxMetadataSize;
    if (length > limit) {
      throw invalidArgument(
        `the ${field} would take ${length} bytes, ${limit} are allowed: less metadata is needed`,
        {
          field,
          expected: limit,
          actual: length,
        },
      );
    }
  }

  private writeBlock(bytes: Uint8Array): BlockLocation {
    const stored = wrapBlock(bytes, this.wrapping, this.options.limits);
    const pointer = { offset: this.position, size: stored.length };
    this.emit(stored);
    return pointer;
  }

  private emit(bytes: Uint8Array): void {
    this.queue.push(bytes);
    this.queued += bytes.length;
    this.position += bytes.length;
  }

  /** Hands the queue to the sink when it holds more than `threshold` bytes, one write after the other. */
  private flush(threshold: number): Promise<void> {
    if (this.queued > threshold) {
      const pieces = this.queue.splice(0);
      this.queued = 0;
      this.flushing = this.flushing.then(async () => {
        for (const piece of pieces) {
          await this.sink.write(piece, true);
        }
      });
    }
    return this.flushing;
  }

  private async fail(error: unknown): Promise<unknown> {
    await this.abort(error);
    return isCFileError(error) && error instanceof CFileError
      ? error.within({ path: this.sink.name })
      : error;
  }
}
