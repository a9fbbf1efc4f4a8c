/** All blocks of a server, from all block managers. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import { type DataFolder, joined } from "../catalog/server-roots.js";
import { byteRange } from "./byte-range.js";
import { FileBlocks } from "./file-blocks.js";
import { type FilePool, placeName } from "./file-pool.js";
import { LogBlocks } from "./log-blocks.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

/** The location of a block: the fields of {@link StoredBlock} and the length in bytes. */
export interface BlockPlace extends Pick<StoredBlock, "id" | "path" | "offset"> {
  readonly length: number;
}

/** Files with this extension hold several blocks; other files hold one. */
const CONTAINER_DATA = /\.data$/;

/** The blocks of a server, from all block managers. */
export class BlockStores implements BlockStore {
  private readonly log: LogBlocks;
  private readonly file: FileBlocks;
  private readonly unknown: readonly CFileError[];
  private readonly folders: readonly DataFolder[];
  private readonly pool: FilePool;

  constructor(folders: readonly DataFolder[], pool: FilePool) {
    this.folders = folders;
    this.pool = pool;
    const ofType = (type: string): DataFolder[] => folders.filter((folder) => folder.type === type);
    this.log = new LogBlocks(ofType("log"), pool);
    this.file = new FileBlocks(
      ofType("file").map(({ tree, path, instance }) => {
        const index = instance?.allUuids.indexOf(instance.uuid) ?? -1;
        return { tree, path, index: index < 0 ? undefined : index };
      }),
      pool,
    );
    this.unknown = folders.filter(({ type }) => type !== "log" && type !== "file").map(unsupportedManager);
  }

  async find(id: bigint): Promise<StoredBlock | undefined> {
    return (await this.log.find(id)) ?? (await this.file.find(id));
  }

  /** @throws {CFileError} `E_BLOCK_MISSING` if the path is in none of the data directories */
  at({ id, path, offset, length }: BlockPlace): ByteSource {
    const folder = this.folders.find((candidate) => path.startsWith(`${placeName(candidate)}/`));
    if (folder === undefined) {
      throw new CFileError("E_BLOCK_MISSING", `block ${id} is in none of the data directories`, { path });
    }
    const file = { tree: folder.tree, path: joined(folder.path, path.slice(placeName(folder).length + 1)) };
    const name = `${path} block ${id}`;
    return CONTAINER_DATA.test(path)
      ? byteRange(this.pool.source(file), offset, length, name)
      : this.pool.content(file, name);
  }

  async list(): Promise<readonly StoredBlock[]> {
    return [...(await this.log.list()), ...(await this.file.list())];
  }

  async problems(): Promise<readonly CFileError[]> {
    return [...this.unknown, ...(await this.log.problems()), ...(await this.file.problems())];
  }

  /** Number of containers of the log block manager. */
  async containers(): Promise<number> {
    return (await this.log.read()).containers;
  }

  /** When a block was last created or deleted, in microseconds since 1970; `undefined` if no journal has a record. */
  async lastChange(): Promise<bigint | undefined> {
    const { lastChange } = await this.log.read();
    return lastChange === 0n ? undefined : lastChange;
  }
}

/** `E_UNSUPPORTED`: the block manager of the folder is neither `log` nor `file`. */
export function unsupportedManager(folder: DataFolder): CFileError {
  const { type } = folder;
  const reason = `unsupported block manager ${JSON.stringify(type)} (supported: file, log)`;
  return new CFileError("E_UNSUPPORTED", reason, {
    path: placeName(folder),
    field: "dir_type",
    actual: type,
  });
}
