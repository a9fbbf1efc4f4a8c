/** Writing a CFile: batches in, one file out, complete or not at all. */
import { type BlockLocation, CFileError, compareBytes, invalidArgument, isCFileError } from "@cfile/bytes";
import { type ColumnBatch, encodeVectorKey, findDescent, separatingKey } from "@cfile/encodings";
import { encodePositionalKey, IndexTreeBuilder } from "@cfile/index-btree";
import type { ByteSink } from "@cfile/io";
import { checkBatch } from "./batch-check.js";
import { type BlockWrapping, wrapBlock } from "./block-wrapper.js";
import { type BuiltBlock, DataBlockBuilder } from "./data-block-builder.js";
import { encodeFooter, FEATURE_ARRAY_DATA_BLOCK, FEATURE_CHECKSUM, frameFooter, MAX_ROWS } from "./footer.js";
import { encodeHeader } from "./header.js";
import { MAGIC_AND_LENGTH } from "./magic.js";
import type { MetadataPair } from "./metadata.js";
import { RowUnits } from "./row-units.js";
import { type ResolvedWriterOptions, resolveWriterOptions, type WriterOptions } from "./writer-options.js";

/** What was written. */
export interface WrittenFile {
  readonly rows: number;
  /** Bytes of the whole file. */
  readonly bytes: number;
  readonly dataBlocks: number;
  /** Stored bytes of all data blocks. */
  readonly dataBytes: number;
}

/** Finished bytes are given to the sink in pieces of about this size. */
const FLUSH_BYTES = 1 << 20;

/**
 * Writes one column. After any error the sink is aborted and the writer takes nothing more; a writer closed
 * before `finish` leaves nothing behind.
 */
export class CFileWriter {
  readonly options: ResolvedWriterOptions;
  private readonly sink: ByteSink;
  private readonly wrapping: BlockWrapping;
  private readonly units: RowUnits;
  private readonly blocks: DataBlockBuilder;
  private readonly posidx: IndexTreeBuilder | undefined;
  private readonly validx: IndexTreeBuilder | undefined;
  private readonly footerMetadata: MetadataPair[];
  private readonly queue: Uint8Array[] = [];
  private queued = 0;
  private position = 0;
  private rows = 0;
  private dataBlocks = 0;
  private dataBytes = 0;
  /** Key of the last value handed in, and of the last block's last value. */
  private lastKey: Uint8Array = new Uint8Array(0);
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
    this.blocks = new DataBlockBuilder(resolved, (block) => this.writeDataBlock(block));
    this.units = new RowUnits(resolved.batchRows, this.blocks);
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

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /** Adds a metadata pair to the footer. */
  addMetadata(key: string, value: Uint8Array): void {
    this.requireOpen();
    this.footerMetadata.push({ key, value });
  }

  /**
   * Appends the batch's rows. Its arrays may be used again once the promise is settled.
   *
   * @throws CFileError `E_INVALID_ARGUMENT`: the batch does not fit the column, or values descend under a value
   *   index; `E_IO`: the sink failed
   */
  async append(batch: ColumnBatch): Promise<void> {
    this.requireOpen();
    try {
      this.checkRows(batch);
      this.rows += batch.length;
      this.units.push(batch);
      await this.flush(FLUSH_BYTES);
    } catch (error) {
      throw await this.fail(error);
    }
  }

  /** Writes what is left: last block, indexes, dictionary, footer; then closes the sink. */
  async finish(): Promise<WrittenFile> {
    this.requireOpen();
    try {
      this.units.flush();
      this.blocks.finish();
      const posidx = this.posidx?.finish();
      const validx = this.validx?.finish();
      const words = this.blocks.finishDictionary();
      const dictionary = words && this.writeBlock(words);
      const { type, encoding, compression, nullable, array, checksums } = this.options;
      const protobuf = encodeFooter({
        dataType: type,
        encoding,
        rowCount: this.rows,
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
      await this.flush(0);
      await this.sink.close();
    } catch (error) {
      throw await this.fail(error);
    }
    this.state = "finished";
    return { rows: this.rows, bytes: this.position, dataBlocks: this.dataBlocks, dataBytes: this.dataBytes };
  }

  /** Gives the file up: nothing stays behind. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      await this.flushing.catch(() => undefined);
      await this.sink.abort(reason);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private requireOpen(): void {
    if (this.state !== "open") {
      throw invalidArgument(
        this.state === "finished" ? "the file is finished" : "the file was given up after an error",
        { path: this.sink.name },
      );
    }
  }

  private checkRows(batch: ColumnBatch): void {
    if (batch.type !== this.options.type) {
      throw invalidArgument(`a batch of ${batch.type} for a column of ${this.options.type}`, {
        field: "batch",
      });
    }
    checkBatch(batch, this.options, this.rows);
    if (this.rows + batch.length > MAX_ROWS) {
      throw invalidArgument(`a CFile holds at most ${MAX_ROWS} rows`, {
        field: "batch",
        actual: this.rows + batch.length,
      });
    }
    const isOrdered = this.validx !== undefined && this.options.indexKeys === undefined;
    if (isOrdered && batch.kind !== "array" && batch.length > 0) {
      const first = encodeVectorKey(batch, 0);
      const descent =
        this.rows > 0 && compareBytes(first, this.lastKey) < 0 ? 0 : findDescent(batch, 0, batch.length);
      if (descent !== undefined) {
        throw invalidArgument(
          `row ${this.rows + descent} is less than the row before it; a value index needs sorted rows`,
          { field: "validx", actual: this.rows + descent },
        );
      }
      this.lastKey = encodeVectorKey(batch, batch.length - 1);
    }
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

  private writeDataBlock(block: BuiltBlock): void {
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
          await this.sink.write(piece);
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
