/** Writes a container of the log block manager and its journal (docs/spec/kudu-data-dir.md#5-log-block-manager). */
import { toHex } from "@cfile/bytes";
import { type ByteDirectory, type ByteSink, type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { CREATE } from "../blocks/block-record.js";
import type { BlockIdPB } from "../generated/decode.js";
import { encodeBlockRecordPB } from "../generated/encode.js";
import { containerHeader, containerRecord } from "./container-record.js";

export interface ContainerOptions {
  /** The data directory. */
  readonly directory: ByteDirectory;
  /** The largest block ID in use; new IDs follow it. */
  readonly ids: { last: bigint };
  /** Block size of the file system, in bytes. Default 4096. */
  readonly alignment?: number | undefined;
  /** First record of a superblock file: its descriptor set includes the messages of journals. */
  readonly description: Uint8Array;
}

const DEFAULT_ALIGNMENT = 4096;
const COPY_BYTES = 4 * 1024 * 1024;

export class ContainerWriter {
  private readonly options: ContainerOptions;
  private readonly name = toHex(crypto.getRandomValues(new Uint8Array(16)));
  private readonly records: Uint8Array[] = [];
  private data: ByteSink | undefined;
  private used = 0;

  constructor(options: ContainerOptions) {
    this.options = options;
  }

  /** Bytes of data written so far. */
  get size(): number {
    return this.used;
  }

  /** Number of blocks written so far. */
  get blocks(): number {
    return this.records.length;
  }

  /** Forgets the blocks that were written last. Their space is not reused. @param count number of blocks to keep */
  dropBlocksFrom(count: number): void {
    this.records.length = count;
  }

  /** Writes a block. */
  add(bytes: Uint8Array): Promise<BlockIdPB> {
    return this.write(bytes.length, [bytes]);
  }

  /**
   * Writes a block with the bytes of a source.
   *
   * @param createdAt microseconds since 1970
   */
  async copy(source: ByteSource, createdAt: bigint): Promise<BlockIdPB> {
    const size = await sizeOf(source);
    return this.write(size, chunksOf(source, size), createdAt);
  }

  /** Makes the blocks visible to readers of the directory. */
  async finish(): Promise<void> {
    if (this.data === undefined) {
      return;
    }
    const { directory, description } = this.options;
    await this.data.close();
    const journal = await directory.createSink(`${this.name}.metadata`);
    await journal.write(containerHeader(description, "kudu.BlockRecordPB"));
    for (const record of this.records) {
      await journal.write(record);
    }
    await journal.close();
    await directory.sync();
  }

  async abort(): Promise<void> {
    const { directory } = this.options;
    await this.data?.abort();
    await directory.remove(`${this.name}.data`);
    await directory.remove(`${this.name}.metadata`);
  }

  private async write(
    length: number,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    createdAt = BigInt(Date.now()) * 1000n,
  ): Promise<BlockIdPB> {
    const { directory, ids, alignment = DEFAULT_ALIGNMENT } = this.options;
    this.data ??= await directory.createSink(`${this.name}.data`);
    const gap = (alignment - (this.used % alignment)) % alignment;
    const offset = this.used + gap;
    await this.data.write(new Uint8Array(gap));
    for await (const chunk of chunks) {
      await this.data.write(chunk);
    }
    const blockId = { id: ++ids.last };
    const record = messageBytes(encodeBlockRecordPB, {
      blockId,
      opType: CREATE,
      timestampUs: createdAt,
      offset: BigInt(offset),
      length: BigInt(length),
    });
    this.records.push(containerRecord(record));
    this.used = offset + length;
    return blockId;
  }
}

async function* chunksOf(source: ByteSource, size: number): AsyncGenerator<Uint8Array, void, void> {
  for (let start = 0; start < size; start += COPY_BYTES) {
    yield await readExactly(source, start, Math.min(COPY_BYTES, size - start));
  }
}
