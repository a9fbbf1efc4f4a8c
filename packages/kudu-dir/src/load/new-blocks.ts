/**
 * Adds blocks to a data directory that no server uses, as files (docs/spec/kudu-data-dir.md#4-file-block-manager) or in a new
 * container with its journal (docs/spec/kudu-data-dir.md#5-log-block-manager).
 */
import { CFileError, toHex } from "@cfile/bytes";
import type { ByteDirectory, ByteSink } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { CREATE } from "../blocks/block-record.js";
import { unsupportedManager } from "../blocks/block-stores.js";
import { blockFile } from "../blocks/file-blocks.js";
import { placeName } from "../blocks/file-pool.js";
import type { DataFolder } from "../catalog/server-roots.js";
import type { BlockIdPB } from "../generated/decode.js";
import { encodeBlockRecordPB } from "../generated/encode.js";
import { containerHeader, containerRecord } from "./container-record.js";

/** Opens a folder for writing, by its full path. Creates it if it is missing. */
export type OpenFolder = (path: string) => Promise<ByteDirectory>;

export interface NewBlocks {
  /** Writes a block. */
  add(bytes: Uint8Array): Promise<BlockIdPB>;
  /** Makes the blocks visible to readers of the directory. */
  finish(): Promise<void>;
  abort(): Promise<void>;
}

export interface NewBlocksOptions {
  readonly folder: DataFolder;
  /** The largest block ID in use; new ones follow it. */
  readonly ids: { last: bigint };
  /** First record of a superblock file: its descriptor set includes the messages of journals. */
  readonly description: Uint8Array;
  readonly openFolder: OpenFolder;
}

const DEFAULT_ALIGNMENT = 4096;
/** The bits of a block file's ID without the index of its data directory. */
export const LOW_BITS = (1n << 48n) - 1n;

/** @throws {CFileError} `E_UNSUPPORTED` for a block manager other than `log` and `file` */
export async function newBlocks(options: NewBlocksOptions): Promise<NewBlocks> {
  const { folder, openFolder } = options;
  if (folder.type === "file") {
    return new NewBlockFiles(options);
  }
  if (folder.type !== "log") {
    throw unsupportedManager(folder);
  }
  return new NewContainer(options, await openFolder(placeName(folder)));
}

class NewBlockFiles implements NewBlocks {
  private readonly options: NewBlocksOptions;
  private readonly head: bigint;
  private readonly written: { readonly directory: ByteDirectory; readonly name: string }[] = [];

  constructor(options: NewBlocksOptions) {
    const { instance } = options.folder;
    const index = instance?.allUuids.indexOf(instance.uuid) ?? 0;
    this.options = options;
    this.head = BigInt(Math.max(0, index)) << 48n;
  }

  async add(bytes: Uint8Array): Promise<BlockIdPB> {
    const { folder: root, ids, openFolder } = this.options;
    const id = this.head | (++ids.last & LOW_BITS);
    const { folder, name } = blockFile(id);
    const directory = await openFolder(`${placeName(root)}/${folder}`);
    if ((await directory.list()).includes(name)) {
      const details = { path: directory.name, field: "block id" };
      throw new CFileError("E_LIMIT", `block ${id} already exists`, details);
    }
    const sink = await directory.createSink(name);
    await sink.write(bytes);
    await sink.close();
    this.written.push({ directory, name });
    return { id };
  }

  async finish(): Promise<void> {
    await Promise.all(this.written.map(({ directory }) => directory.sync()));
  }

  async abort(): Promise<void> {
    await Promise.allSettled(this.written.map(({ directory, name }) => directory.remove(name)));
  }
}

class NewContainer implements NewBlocks {
  private readonly options: NewBlocksOptions;
  private readonly directory: ByteDirectory;
  private readonly name = toHex(crypto.getRandomValues(new Uint8Array(16)));
  private readonly records: Uint8Array[] = [];
  private data: ByteSink | undefined;
  private size = 0;

  constructor(options: NewBlocksOptions, directory: ByteDirectory) {
    this.options = options;
    this.directory = directory;
  }

  async add(bytes: Uint8Array): Promise<BlockIdPB> {
    const { folder, ids } = this.options;
    const alignment = folder.instance?.blockSize ?? DEFAULT_ALIGNMENT;
    this.data ??= await this.directory.createSink(`${this.name}.data`);
    const gap = (alignment - (this.size % alignment)) % alignment;
    await this.data.write(new Uint8Array(gap));
    await this.data.write(bytes);
    const blockId = { id: ++ids.last };
    const record = messageBytes(encodeBlockRecordPB, {
      blockId,
      opType: CREATE,
      timestampUs: BigInt(Date.now()) * 1000n,
      offset: BigInt(this.size + gap),
      length: BigInt(bytes.length),
    });
    this.records.push(containerRecord(record));
    this.size += gap + bytes.length;
    return blockId;
  }

  async finish(): Promise<void> {
    if (this.data === undefined) {
      return;
    }
    await this.data.close();
    const journal = await this.directory.createSink(`${this.name}.metadata`);
    await journal.write(containerHeader(this.options.description, "kudu.BlockRecordPB"));
    for (const record of this.records) {
      await journal.write(record);
    }
    await journal.close();
    await this.directory.sync();
  }

  async abort(): Promise<void> {
    await this.data?.abort();
    await this.directory.remove(`${this.name}.data`);
    await this.directory.remove(`${this.name}.metadata`);
  }
}
