/**
 * The log block manager (docs/spec/kudu-data-dir.md#5-log-block-manager). Each data directory has pairs of files:
 * `<32 hexadecimal digits>.data` with consecutive blocks, and `.metadata`, their journal. A block ID does not say where the block
 * is: the first lookup reads all journals. `.data` files are opened when a block in them is read.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { sizeOf } from "@cfile/io";
import { joined } from "../catalog/server-roots.js";
import { Remembered } from "../read/remembered.js";
import { mapAtOnce } from "./at-once.js";
import { byteRange } from "./byte-range.js";
import { parseContainerFile } from "./container-file.js";
import { type FilePlace, type FilePool, placeName } from "./file-pool.js";
import { type ContainerBlocks, replayJournal } from "./log-container.js";
import { collect } from "./problems.js";
import type { BlockStore, StoredBlock } from "./stored-block.js";

const CONTAINER_FILE = /^([0-9a-f]{32})\.(data|metadata)$/;
const MAX_JOURNAL = 1024 * 1024 * 1024;
/** Length of the container header, magic to checksum. */
const HEADER_LENGTH = 12;

/** A pair of files; one may be missing. */
interface LogContainer {
  data?: FilePlace;
  metadata?: FilePlace;
}

interface Replayed {
  readonly data: FilePlace | undefined;
  readonly blocks: ContainerBlocks;
}

interface BlockMap {
  readonly blocks: ReadonlyMap<bigint, StoredBlock>;
  /** Errors of IDs that two blocks share. */
  readonly twice: ReadonlyMap<bigint, CFileError>;
  readonly problems: readonly CFileError[];
  /** Number of containers, including unusable ones. */
  readonly containers: number;
  /** Time of the last record in all journals, in microseconds since 1970; 0 without records. */
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

  /** The blocks of all journals, which are read once. */
  read(): Promise<BlockMap> {
    return this.map.get(() => this.readAll());
  }

  private async readAll(): Promise<BlockMap> {
    const containers = (await Promise.all(this.folders.map(listContainers))).flat();
    const problems: CFileError[] = [];
    const replayed = await mapAtOnce(containers, (container) =>
      collect(problems, () => this.replay(container)),
    );
    const blocks = new Map<bigint, StoredBlock>();
    const twice = new Map<bigint, CFileError>();
    let lastChange = 0n;
    for (const entry of replayed.filter((found) => found !== undefined)) {
      problems.push(...entry.blocks.problems);
      lastChange = entry.blocks.lastChange > lastChange ? entry.blocks.lastChange : lastChange;
      for (const block of this.blocksOf(entry)) {
        const { id, path } = block;
        const other = blocks.get(id);
        if (other !== undefined) {
          const reason = `two blocks have ID ${id}: in ${other.path} and in ${path}`;
          const error = corrupt(reason, { path, field: "block_id" });
          twice.set(id, error);
          problems.push(error);
        }
        blocks.set(id, block);
      }
    }
    return { blocks, twice, problems, containers: containers.length, lastChange };
  }

  private async replay({ data, metadata }: LogContainer): Promise<Replayed | undefined> {
    const journal = metadata && (await this.pool.readWhole(metadata, "journal", MAX_JOURNAL));
    if (
      metadata === undefined ||
      journal === undefined ||
      journal.bytes.length < journal.start + HEADER_LENGTH
    ) {
      await this.requireEmpty(data);
      return undefined;
    }
    const path = placeName(metadata);
    const blocks = replayJournal(parseContainerFile(journal.bytes, path, journal.start), path);
    if (data === undefined && blocks.live.size > 0) {
      const reason = `data file of the container is missing (${blocks.live.size} blocks)`;
      throw new CFileError("E_BLOCK_MISSING", reason, { path, field: "data file" });
    }
    return { data, blocks };
  }

  /** The server may have stopped while creating a container. A container that already has blocks is damaged. */
  private async requireEmpty(data: FilePlace | undefined): Promise<void> {
    if (data === undefined) {
      return;
    }
    const size = await this.pool.use(data, async ({ source, start }) => (await sizeOf(source)) - start);
    if (size > 0) {
      const reason = "the container has data but no journal: its blocks are unknown";
      throw new CFileError("E_BLOCK_MISSING", reason, { path: placeName(data), field: "metadata file" });
    }
  }

  private *blocksOf({ data, blocks }: Replayed): Generator<StoredBlock> {
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
  const found = new Map<string, LogContainer>();
  for (const entry of await tree.list(path)) {
    const [, name, part] = CONTAINER_FILE.exec(entry.name) ?? [];
    if (entry.kind === "file" && name !== undefined) {
      const container = found.get(name) ?? {};
      container[part as keyof LogContainer] = { tree, path: joined(path, entry.name) };
      found.set(name, container);
    }
  }
  return [...found.values()];
}
