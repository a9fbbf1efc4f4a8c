/**
 * Adds blocks to a data directory that no server uses, as files (docs/spec/kudu-data-dir.md#4-file-block-manager) or in a new
 * container with its journal (docs/spec/kudu-data-dir.md#5-log-block-manager).
 */
import { CFileError } from "@cfile/bytes";
import type { ByteDirectory } from "@cfile/io";
import { unsupportedManager } from "../blocks/block-stores.js";
import { blockFile } from "../blocks/file-blocks.js";
import { placeName } from "../blocks/file-pool.js";
import type { DataFolder } from "../catalog/server-roots.js";
import type { BlockIdPB } from "../generated/decode.js";
import { ContainerWriter } from "./container-writer.js";

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
  /** The largest block ID in use; new IDs follow it. */
  readonly ids: { last: bigint };
  /** First record of a superblock file: its descriptor set includes the messages of journals. */
  readonly description: Uint8Array;
  readonly openFolder: OpenFolder;
}

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
  const { ids, description } = options;
  const directory = await openFolder(placeName(folder));
  return new ContainerWriter({ directory, ids, description, alignment: folder.instance?.blockSize });
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
