/** All blocks of a server, of whichever block manager. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import { type DataFolder, joined } from "../catalog/server-roots.js";
import { byteRange } from "./byte-range.js";
import { FileBlocks } from "./file-blocks.js";
import { type FilePool, placeName } from "./file-pool.js";
import { LogBlocks } from "./log-blocks.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

/** Where a block is: what {@link StoredBlock} says of it, and its length. */
export interface BlockPlace extends Pick<StoredBlock, "id" | "path" | "offset"> {
  readonly length: number;
}

/** Several blocks are in files of this name, one in others. */
const CONTAINER_DATA = /\.data$/;

/** The blocks of a server, whichever block managers wrote them. */
export class BlockStores implements BlockStore {
  private readonly log: LogBlocks;
  private readonly file: FileBlocks;
  private readonly unknown: readonly CFileError[];
  private readonly isLogged: boolean;
  private readonly folders: readonly DataFolder[];
  private readonly pool: FilePool;

  constructor(folders: readonly DataFolder[], pool: FilePool) {
    this.folders = folders;
    this.pool = pool;
    const ofType = (type: string): DataFolder[] => folders.filter((folder) => folder.type === type);
    this.isLogged = ofType("log").length > 0;
    this.log = new LogBlocks(ofType("log"), pool);
    this.file = new FileBlocks(
      ofType("file").map(({ tree, path, instance }) => {
        const index = instance?.allUuids.indexOf(instance.uuid) ?? -1;
        return { tree, path, index: index < 0 ? undefined : index };
      }),
      pool,
    );
    this.unknown = folders
      .filter(({ type }) => type !== "log" && type !== "file")
      .map(
        (folder) =>
          new CFileError(
            "E_UNSUPPORTED",
            `blocks of the kind ${JSON.stringify(folder.type)} cannot be read`,
            {
              path: placeName(folder),
              field: "dir_type",
              actual: folder.type,
            },
          ),
      );
  }

  async find(id: bigint): Promise<StoredBlock | undefined> {
    return (await this.log.find(id)) ?? (await this.file.find(id));
  }

  /** @throws CFileError `E_BLOCK_MISSING` for a place in none of the folders */
  at({ id, path, offset, length }: BlockPlace): ByteSource {
    const folder = this.folders.find((candidate) => path.startsWith(`${placeName(candidate)}/`));
    if (folder === undefined) {
      throw new CFileError("E_BLOCK_MISSING", "the file is in none of the data directories", { path });
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

  /** Containers of the log block manager. */
  containers(): Promise<number> {
    return this.log.containers();
  }

  /** When a block was last made or deleted, in microseconds since 1970; `undefined` when nothing tells. */
  async lastChange(): Promise<bigint | undefined> {
    const last = this.isLogged ? await this.log.lastChange() : 0n;
    return last === 0n ? undefined : last;
  }
}
