/** Writes an HFile from sorted cells; the file is complete or does not exist. */
import { ByteBuilder, compareBytes, invalidArgument, utf8Bytes } from "@cfile/bytes";
import { type ByteSink, SinkQueue } from "@cfile/io";
import { BLOCK_HEADER_LENGTH } from "../blocks/block-header.js";
import { CellEncoder, type HFileCellInput, wrongCell } from "../cells/cell-encoder.js";
import { writeVlong } from "../cells/hadoop-vlong.js";
import { compareKeys, rowEndOf } from "../cells/key-order.js";
import { encodeFileInfo, FILE_INFO_KEYS, type FileInfoEntry } from "../file/file-info.js";
import { inJavaHashOrder } from "../file/java-hash-order.js";
import { encodeTrailer, TRAILER_LENGTH } from "../file/trailer.js";
import { indexSeparator } from "../index/index-separator.js";
import { IndexWriter, writePointer } from "../index/index-writer.js";
import { BlockWriter } from "./block-writer.js";
import {
  type HFileWriterOptions,
  type ResolvedWriterOptions,
  resolveWriterOptions,
} from "./writer-options.js";

/** Counts of a written file. */
export interface WrittenHFile {
  readonly entries: number;
  /** Bytes of the whole file. */
  readonly bytes: number;
  readonly dataBlocks: number;
}

/** Maximum bytes of a cell in addition to its parts. */
const CELL_OVERHEAD = 64;

/**
 * Writes one file. Any error aborts the sink, and the writer then accepts no more cells. A writer disposed before `finish` leaves
 * nothing behind.
 */
export class HFileWriter {
  readonly options: ResolvedWriterOptions;
  private readonly out: SinkQueue;
  private readonly blocks: BlockWriter;
  private readonly index: IndexWriter;
  private readonly cell: CellEncoder;
  private readonly body: ByteBuilder;
  /** Maximum size of a data block that readers accept. */
  private readonly maxBody: number;
  private readonly metaBlocks = new Map<string, Uint8Array>();
  private readonly info = new Map<string, Uint8Array>();
  private entries = 0;
  private dataBlocks = 0;
  private firstDataBlock: number | undefined;
  private lastDataBlock: number | undefined;
  /** Uncompressed bytes of data blocks. */
  private dataBytes = 0;
  private keyBytes = 0;
  private valueBytes = 0;
  private maxMvcc = 0n;
  private maxTagsLength = 0;
  /** Key of the first cell in the current block. */
  private firstKey: Uint8Array = new Uint8Array(0);
  /** Key of the previous cell. */
  private readonly lastKey = new ByteBuilder();
  /** Key of the last cell in the previous block. */
  private lastBlockKey: Uint8Array | undefined;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for invalid options */
  constructor(sink: ByteSink, options: HFileWriterOptions = {}) {
    const resolved = resolveWriterOptions(options);
    const { profile, tags, compression, limits } = resolved;
    this.options = resolved;
    this.out = new SinkQueue(sink);
    this.blocks = new BlockWriter(this.out, resolved);
    const indexBlockSize = profile === "hudi" ? Number.POSITIVE_INFINITY : resolved.indexBlockSize;
    this.index = new IndexWriter(this.blocks, indexBlockSize);
    this.maxBody = compression === "NONE" ? limits.maxStoredBlockSize / 2 : limits.maxBlockSize;
    this.cell = new CellEncoder(tags, profile === "hudi", this.maxBody - CELL_OVERHEAD);
    this.body = new ByteBuilder(Math.min(resolved.blockSize, 1 << 20) + 256);
  }

  /** Cells appended so far. */
  get entryCount(): number {
    return this.entries;
  }

  /**
   * Adds a meta block. Meta blocks are written at the end, ordered by name.
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a name that already exists
   */
  addMetaBlock(name: string, body: Uint8Array): void {
    this.out.requireOpen();
    if (this.metaBlocks.has(name)) {
      throw invalidArgument(`meta block ${JSON.stringify(name)} already exists`, { field: "meta block" });
    }
    this.metaBlocks.set(name, body.slice());
  }

  /**
   * Adds a pair to the file info.
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a key that the writer sets itself
   */
  addFileInfo(key: string, value: Uint8Array | string): void {
    this.out.requireOpen();
    if (Object.values<string>(FILE_INFO_KEYS).includes(key)) {
      throw invalidArgument(`${key} is set by the writer`, { field: "file info" });
    }
    this.info.set(key, typeof value === "string" ? utf8Bytes(value) : value.slice());
  }

  /**
   * Appends cells. Callers may reuse their bytes once the promise settles.
   * @throws {CFileError} `E_INVALID_ARGUMENT`, naming the row, when a cell precedes the previous one or is too long;
   *   `E_IO` when the sink fails
   */
  append(cells: HFileCellInput | Iterable<HFileCellInput>): Promise<void> {
    return this.out.run(() => {
      for (const cell of Symbol.iterator in cells ? cells : [cells]) {
        this.appendCell(cell);
      }
    });
  }

  /**
   * Writes the last block, meta blocks, indexes, file info and trailer, then closes the sink.
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error; then nothing is left
   *   of the file
   */
  async finish(): Promise<WrittenHFile> {
    await this.out.finish(() => {
      this.finishBlock();
      this.writeEnd();
    });
    return { entries: this.entries, bytes: this.out.position, dataBlocks: this.dataBlocks };
  }

  /** Aborts the file: nothing is left behind. Does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    return this.out.abort(reason);
  }

  /** Runs `abort` at the end of an `await using` block; after `finish` this does nothing. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private appendCell(input: HFileCellInput): void {
    const { cell, body } = this;
    cell.encode(input);
    const order = this.entries === 0 ? 1 : this.orderToLast();
    if (order < 0) {
      throw wrongCell(cell.row, "it precedes the previous cell", "order");
    }
    // Cells of the same key stay together.
    if (order > 0 && body.length > 0 && this.isFull()) {
      this.finishBlock();
    }
    if (body.length === 0) {
      this.firstKey = cell.key.slice();
    }
    if (body.length + cell.length > this.maxBody) {
      throw wrongCell(cell.row, "the cells of this key do not fit into a block", "cell");
    }
    cell.appendTo(body);
    this.entries++;
    this.keyBytes += this.options.profile === "hudi" ? cell.row.length : cell.key.length;
    this.valueBytes += cell.value.length;
    if (cell.mvcc > this.maxMvcc) {
      this.maxMvcc = cell.mvcc;
    }
    this.maxTagsLength = Math.max(this.maxTagsLength, cell.tags.length);
    this.lastKey.clear();
    this.lastKey.append(cell.key);
  }

  private orderToLast(): number {
    const last = this.lastKey.view8();
    return this.options.profile === "hudi"
      ? compareBytes(this.cell.row, last.subarray(2, rowEndOf(last)))
      : compareKeys(this.cell.key, last);
  }

  private isFull(): boolean {
    const { profile, blockSize } = this.options;
    const next = this.body.length + this.cell.length;
    return next > this.maxBody || (profile === "hudi" ? next > blockSize : this.body.length >= blockSize);
  }

  private finishBlock(): void {
    const { body } = this;
    if (body.length === 0) {
      return;
    }
    const location = this.blocks.write("data", body.view8());
    this.dataBytes += body.length;
    this.dataBlocks++;
    this.firstDataBlock ??= location.offset;
    this.lastDataBlock = location.offset;
    this.index.add(this.indexKey(), location);
    this.lastBlockKey = this.lastKey.finish();
    body.clear();
  }

  private indexKey(): Uint8Array {
    if (this.options.profile === "hudi") {
      return this.firstKey.slice(0, rowEndOf(this.firstKey));
    }
    return this.lastBlockKey === undefined ? this.firstKey : indexSeparator(this.lastBlockKey, this.firstKey);
  }

  private writeEnd(): void {
    const { blocks, index, options } = this;
    const isHudi = options.profile === "hudi";
    index.finishLeaves();
    let uncompressed = TRAILER_LENGTH + this.dataBytes + BLOCK_HEADER_LENGTH * this.dataBlocks;
    const metaIndex = new ByteBuilder();
    for (const { key, value } of sortedByKey(this.metaBlocks)) {
      const { offset, size } = blocks.write("meta", value);
      writePointer(metaIndex, offset, size);
      writeVlong(metaIndex, key.length);
      metaIndex.append(key);
      uncompressed += BLOCK_HEADER_LENGTH + value.length;
    }
    const root = index.finish();
    const rootLocation = blocks.write("root index", root.body);
    blocks.write("root index", metaIndex.view8());
    const info = encodeFileInfo(this.fileInfo());
    const infoLocation = blocks.write("file info", info);
    uncompressed += index.leafBytes + 2 * BLOCK_HEADER_LENGTH + metaIndex.length + info.length;
    this.out.emit(
      encodeTrailer({
        majorVersion: 3,
        minorVersion: isHudi ? 0 : 3,
        fileInfoOffset: infoLocation.offset,
        loadOnOpenOffset: rootLocation.offset,
        uncompressedDataIndexSize: isHudi ? this.dataBytes : index.uncompressedBytes + root.body.length,
        totalUncompressedBytes: isHudi ? undefined : uncompressed,
        dataIndexCount: root.entries,
        metaIndexCount: this.metaBlocks.size,
        entryCount: this.entries,
        indexLevels: root.levels,
        firstDataBlockOffset: this.firstDataBlock,
        lastDataBlockOffset: this.lastDataBlock ?? (isHudi ? 0 : undefined),
        comparator: options.comparator,
        codec: options.compression,
      }),
    );
  }

  private fileInfo(): FileInfoEntry[] {
    const { options, entries } = this;
    const isHudi = options.profile === "hudi";
    const last = this.lastKey.view8();
    const average = (bytes: number): Uint8Array => integer(entries && Math.floor(bytes / entries), 4);
    const info = new Map(this.info);
    if (isHudi || entries > 0) {
      info.set(FILE_INFO_KEYS.lastKey, isHudi && entries > 0 ? last.subarray(0, rowEndOf(last)) : last);
    }
    info.set(FILE_INFO_KEYS.averageValueLength, average(this.valueBytes));
    info.set(FILE_INFO_KEYS.averageKeyLength, average(this.keyBytes));
    info.set(FILE_INFO_KEYS.keyValueVersion, integer(1, 4));
    info.set(FILE_INFO_KEYS.maxMvcc, integer(this.maxMvcc, 8));
    info.set(FILE_INFO_KEYS.createTime, integer(options.createTime, 8));
    if (options.tags) {
      info.set(FILE_INFO_KEYS.maxTagsLength, integer(this.maxTagsLength, 4));
      info.set(FILE_INFO_KEYS.tagsCompressed, Uint8Array.of(0));
    }
    return isHudi ? encodedKeys(inJavaHashOrder([...info], ([key]) => key)) : sortedByKey(info);
  }
}

/** The pairs, ordered by their keys in UTF-8. */
function sortedByKey(map: ReadonlyMap<string, Uint8Array>): FileInfoEntry[] {
  return encodedKeys([...map]).sort((a, b) => compareBytes(a.key, b.key));
}

function encodedKeys(pairs: readonly (readonly [string, Uint8Array])[]): FileInfoEntry[] {
  return pairs.map(([key, value]) => ({ key: utf8Bytes(key), value }));
}

/** Big-endian. */
function integer(value: number | bigint, length: 4 | 8): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
  return bytes.subarray(8 - length);
}
