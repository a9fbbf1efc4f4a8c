/**
 * The file block manager (docs/spec/kudu-data-dir.md#4-file-block-manager): a file for each block. The upper 16 bits of a
 * block's id are the number of its data directory, bits 47 to 24 three folders, two hexadecimal digits each; the file's name is
 * the id, decimal, at least 16 digits.
 */
import { type CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { type FilePlace, type FilePool, placeName } from "./file-pool.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

/** A data directory, and its number. */
export interface FileBlockFolder extends FilePlace {
  /** Its place among all data directories of the server; `undefined` when its instance file cannot be read. */
  readonly index: number | undefined;
}

const FOLDER = /^[0-9a-f]{2}$/;
const BLOCK_FILE = /^\d{16,20}$/;

export class FileBlocks implements BlockStore {
  private readonly folders: readonly FileBlockFolder[];
  private readonly pool: FilePool;
  private readonly wrong: CFileError[] = [];
  private readonly names = new Map<string, Promise<ReadonlySet<string>>>();

  /** @param folders the `data` folders of the data directories */
  constructor(folders: readonly FileBlockFolder[], pool: FilePool) {
    this.folders = folders;
    this.pool = pool;
  }

  async find(id: bigint): Promise<StoredBlock | undefined> {
    const index = Number(id >> 48n);
    const folder = folderOf(id);
    const name = id.toString().padStart(16, "0");
    for (const root of this.folders) {
      if (root.index !== undefined && root.index !== index) {
        continue;
      }
      const parent = joinPath(root.path, folder);
      if ((await this.namesIn({ tree: root.tree, path: parent })).has(name)) {
        return this.block(id, { tree: root.tree, path: joinPath(parent, name) });
      }
    }
    return undefined;
  }

  async list(): Promise<readonly StoredBlock[]> {
    const places = (await Promise.all(this.folders.map((root) => this.places(root, root.path, "")))).flat();
    const blocks = places.map(({ id, place }) => this.block(id, place));
    return blocks.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  async problems(): Promise<readonly CFileError[]> {
    return this.wrong;
  }

  private async places(
    root: FileBlockFolder,
    path: string,
    folder: string,
  ): Promise<{ id: bigint; place: FilePlace }[]> {
    const found: { id: bigint; place: FilePlace }[] = [];
    for (const entry of await root.tree.list(path)) {
      const below = joinPath(path, entry.name);
      if (entry.kind === "folder" && folder.length < 8 && FOLDER.test(entry.name)) {
        found.push(...(await this.places(root, below, joinPath(folder, entry.name))));
      } else if (entry.kind === "file" && folder.length === 8 && BLOCK_FILE.test(entry.name)) {
        const id = BigInt(entry.name);
        const fits = root.index === undefined || Number(id >> 48n) === root.index;
        if (folderOf(id) === folder && fits && id < 2n ** 64n) {
          found.push({ id, place: { tree: root.tree, path: below } });
        } else {
          this.wrong.push(
            corrupt("a block in a folder that is not its own", {
              path: placeName({ tree: root.tree, path: below }),
              field: "block id",
              actual: entry.name,
            }),
          );
        }
      }
    }
    return found;
  }

  private block(id: bigint, place: FilePlace): StoredBlock {
    const path = placeName(place);
    return {
      id,
      path,
      offset: 0,
      createdAt: undefined,
      source: this.pool.content(place, `${path} block ${id}`),
    };
  }

  /** Names in a folder, which are read once: of the many blocks of a server those made together are in one. */
  private namesIn(place: FilePlace): Promise<ReadonlySet<string>> {
    const key = placeName(place);
    const known = this.names.get(key) ?? listNames(place);
    this.names.set(key, known);
    return known;
  }
}

async function listNames({ tree, path }: FilePlace): Promise<ReadonlySet<string>> {
  try {
    const entries = await tree.list(path);
    return new Set(entries.filter(({ kind }) => kind === "file").map(({ name }) => name));
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return new Set();
    }
    throw error;
  }
}

function folderOf(id: bigint): string {
  return [40n, 32n, 24n].map((bits) => ((id >> bits) & 0xffn).toString(16).padStart(2, "0")).join("/");
}

function joinPath(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
