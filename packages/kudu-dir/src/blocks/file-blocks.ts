/**
 * The file block manager (docs/spec/kudu-data-dir.md#4-file-block-manager): one file per block. The upper 16 bits of a block ID
 * are the index of its data directory, bits 47 to 24 three folders of two hexadecimal digits each. The file name is the decimal
 * ID with at least 16 digits.
 */
import { type CFileError, corrupt } from "@cfile/bytes";
import { joined } from "../catalog/server-roots.js";
import { Remembered } from "../read/remembered.js";
import { type FilePlace, type FilePool, fileNamesIn, placeName } from "./file-pool.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

/** A data directory and its index. */
export interface FileBlockFolder extends FilePlace {
  /** Index among all data directories of the server; `undefined` if its instance file cannot be read. */
  readonly index: number | undefined;
}

const FOLDER = /^[0-9a-f]{2}$/;
const BLOCK_FILE = /^\d{16,20}$/;

interface Listing {
  /** Ordered by ID. */
  readonly blocks: readonly StoredBlock[];
  readonly problems: readonly CFileError[];
}

export class FileBlocks implements BlockStore {
  private readonly folders: readonly FileBlockFolder[];
  private readonly pool: FilePool;
  private readonly listing = new Remembered<Listing>();
  /** File names in each listed folder. Blocks that are created together share a folder. */
  private readonly names = new Map<string, Remembered<ReadonlySet<string>>>();

  /** @param folders the `data` folders of the data directories */
  constructor(folders: readonly FileBlockFolder[], pool: FilePool) {
    this.folders = folders;
    this.pool = pool;
  }

  async find(id: bigint): Promise<StoredBlock | undefined> {
    const { folder, name } = blockFile(id);
    for (const { tree, path, index } of this.folders) {
      if (index === undefined || index === Number(id >> 48n)) {
        const parent = joined(path, folder);
        if ((await this.namesIn({ tree, path: parent })).has(name)) {
          return this.block(id, { tree, path: joined(parent, name) });
        }
      }
    }
    return undefined;
  }

  async list(): Promise<readonly StoredBlock[]> {
    return (await this.read()).blocks;
  }

  async problems(): Promise<readonly CFileError[]> {
    return (await this.read()).problems;
  }

  private read(): Promise<Listing> {
    return this.listing.get(async () => {
      const problems: CFileError[] = [];
      const roots = this.folders.map((root) =>
        this.blocksIn(root, { path: root.path, folder: "" }, problems),
      );
      const blocks = (await Promise.all(roots)).flat();
      return { blocks: blocks.sort((left, right) => (left.id < right.id ? -1 : 1)), problems };
    });
  }

  /** @param folder `path` relative to the root */
  private async blocksIn(
    root: FileBlockFolder,
    { path, folder }: { readonly path: string; readonly folder: string },
    problems: CFileError[],
  ): Promise<StoredBlock[]> {
    const found: StoredBlock[] = [];
    for (const { name, kind } of await root.tree.list(path)) {
      const place = { tree: root.tree, path: joined(path, name) };
      if (kind === "folder" && folder.length < 8 && FOLDER.test(name)) {
        const inner = { path: place.path, folder: joined(folder, name) };
        found.push(...(await this.blocksIn(root, inner, problems)));
      } else if (kind === "file" && folder.length === 8 && BLOCK_FILE.test(name)) {
        const id = BigInt(name);
        const expected = blockFile(id);
        const isInRoot = root.index === undefined || Number(id >> 48n) === root.index;
        if (isInRoot && expected.folder === folder && expected.name === name && id < 2n ** 64n) {
          found.push(this.block(id, place));
        } else {
          const details = { path: placeName(place), field: "block id", actual: name };
          problems.push(corrupt(`file ${name} is not where the block of this ID belongs`, details));
        }
      }
    }
    return found;
  }

  private block(id: bigint, place: FilePlace): StoredBlock {
    const path = placeName(place);
    const source = this.pool.content(place, `${path} block ${id}`);
    return { id, path, offset: 0, createdAt: undefined, source };
  }

  private namesIn(place: FilePlace): Promise<ReadonlySet<string>> {
    const key = placeName(place);
    const known = this.names.get(key) ?? new Remembered<ReadonlySet<string>>();
    this.names.set(key, known);
    return known.get(async () => new Set(await fileNamesIn(place)));
  }
}

/** Folder and name of a block's file, relative to the data directory. */
export function blockFile(id: bigint): { readonly folder: string; readonly name: string } {
  const parts = [40n, 32n, 24n].map((bits) => ((id >> bits) & 0xffn).toString(16).padStart(2, "0"));
  return { folder: parts.join("/"), name: id.toString().padStart(16, "0") };
}
