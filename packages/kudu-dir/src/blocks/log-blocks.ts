/**
 * The log block manager (docs/spec/kudu-data-dir.md#5-log-block-manager): in each data directory pairs of
 * `<32 hexadecimal digits>.data`, blocks one after the other, and `.metadata`, their journal. A block's id does not tell where
 * it is: journals are all read when the first block is looked for, `.data` files when something in them is.
 */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { readExactly, sizeOf } from "@cfile/io";
import { Remembered } from "../read/remembered.js";
import { byteRange } from "./byte-range.js";
import { parseContainerFile } from "./container-file.js";
import { type FilePlace, type FilePool, placeName } from "./file-pool.js";
import { type ContainerBlocks, replayJournal } from "./log-container.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

const CONTAINER_FILE = /^([0-9a-f]{32})\.(data|metadata)$/;
const MAX_JOURNAL = 1024 * 1024 * 1024;
const AT_ONCE = 8;

/** A container: a pair of files, of which one may be missing. */
export interface LogContainer {
  readonly name: string;
  readonly data: FilePlace | undefined;
  readonly metadata: FilePlace | undefined;
}

interface Replayed {
  readonly container: LogContainer;
  readonly blocks: ContainerBlocks;
}

interface BlockMap {
  readonly blocks: ReadonlyMap<bigint, StoredBlock>;
  readonly twice: ReadonlyMap<bigint, CFileError>;
  readonly problems: readonly CFileError[];
  readonly containers: number;
  readonly lastChange: bigint;
}

export class LogBlocks implements BlockStore {
  private readonly folders: readonly FilePlace[];
  private readonly pool: FilePool;
  private readonly map = new Remembered<BlockMap>();

  /** @param folders the `data` folders of the data directories */
  constructor(folders: readonly FilePlace[], pool: FilePool) {
    this.folders = folders;
    this.pool = pool;
  }

  async find(id: bigint): Promise<StoredBlock | undefined> {
    const { blocks, twice } = await this.read();
    const ambiguous = twice.get(id);
    if (ambiguous !== undefined) {
      throw ambiguous;
    }
    return blocks.get(id);
  }

  async list(): Promise<readonly StoredBlock[]> {
    const { blocks } = await this.read();
    return [...blocks.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  async problems(): Promise<readonly CFileError[]> {
    return (await this.read()).problems;
  }

  /** Pairs of files. */
  async containers(): Promise<number> {
    return (await this.read()).containers;
  }

  /** The time of the last record of all journals, in microseconds since 1970; 0 without any. */
  async lastChange(): Promise<bigint> {
    return (await this.read()).lastChange;
  }

  private read(): Promise<BlockMap> {
    return this.map.get(() => this.readAll());
  }

  private async readAll(): Promise<BlockMap> {
    const containers = (await Promise.all(this.folders.map(listContainers))).flat();
    const problems: CFileError[] = [];
    const replayed: (Replayed | undefined)[] = new Array(containers.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let i = next++; i < containers.length; i = next++) {
        replayed[i] = await this.replay(containers[i] as LogContainer, problems);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const blocks = new Map<bigint, StoredBlock>();
    const twice = new Map<bigint, CFileError>();
    let lastChange = 0n;
    for (const entry of replayed) {
      if (entry === undefined) {
        continue;
      }
      problems.push(...entry.blocks.problems);
      lastChange = entry.blocks.lastChange > lastChange ? entry.blocks.lastChange : lastChange;
      for (const block of this.blocksOf(entry)) {
        const other = blocks.get(block.id);
        if (other !== undefined) {
          const error = corrupt(`block ${block.id} is in ${other.path} and in ${block.path}`, {
            path: block.path,
            field: "block_id",
          });
          twice.set(block.id, error);
          problems.push(error);
        }
        blocks.set(block.id, block);
      }
    }
    return { blocks, twice, problems, containers: containers.length, lastChange };
  }

  private async replay(container: LogContainer, problems: CFileError[]): Promise<Replayed | undefined> {
    const { data, metadata } = container;
    try {
      if (metadata === undefined) {
        await this.checkLonelyData(container);
        return undefined;
      }
      const path = placeName(metadata);
      const { bytes, start } = await this.pool.use(metadata, async ({ source, start }) => {
        const size = await sizeOf(source);
        if (size > MAX_JOURNAL) {
          throw new CFileError("E_LIMIT", `a journal of ${size} bytes`, { path, field: "file size" });
        }
        return { bytes: await readExactly(source, 0, size, { field: "journal" }), start };
      });
      if (bytes.length < start + 12) {
        // A container that was being made, unless there is something in it.
        if (data !== undefined) {
          await this.checkLonelyData(container);
        }
        return undefined;
      }
      const blocks = replayJournal(parseContainerFile(bytes, path, start), path);
      if (data === undefined && blocks.live.size > 0) {
        throw new CFileError(
          "E_BLOCK_MISSING",
          `the container's data file with ${blocks.live.size} blocks is missing`,
          {
            path,
            field: "data file",
          },
        );
      }
      return { container, blocks };
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      problems.push(error);
      return undefined;
    }
  }

  private async checkLonelyData({ data }: LogContainer): Promise<void> {
    if (data === undefined) {
      return;
    }
    const size = await this.pool.use(data, async ({ source, start }) => (await sizeOf(source)) - start);
    if (size > 0) {
      throw new CFileError(
        "E_BLOCK_MISSING",
        "the container has no journal, so that its blocks are not known",
        {
          path: placeName(data),
          field: "metadata file",
        },
      );
    }
  }

  private *blocksOf({ container, blocks }: Replayed): Generator<StoredBlock> {
    const { data } = container;
    if (data === undefined) {
      return;
    }
    const path = placeName(data);
    const file = this.pool.source(data);
    for (const { id, offset, length, timestamp } of blocks.live.values()) {
      const source = byteRange(file, offset, length, `${path} block ${id}`);
      yield { id, path, offset, createdAt: timestamp, source };
    }
  }
}

async function listContainers({ tree, path }: FilePlace): Promise<LogContainer[]> {
  const found = new Map<string, { data?: FilePlace; metadata?: FilePlace }>();
  for (const entry of await tree.list(path)) {
    const [, name, part] = CONTAINER_FILE.exec(entry.name) ?? [];
    if (entry.kind !== "file" || name === undefined) {
      continue;
    }
    const container = found.get(name) ?? {};
    container[part as "data" | "metadata"] = {
      tree,
      path: path === "" ? entry.name : `${path}/${entry.name}`,
    };
    found.set(name, container);
  }
  return [...found].map(([name, { data, metadata }]) => ({ name, data, metadata }));
}
