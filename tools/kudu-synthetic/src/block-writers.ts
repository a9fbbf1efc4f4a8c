/**
 * Writes blocks to the disks of a server in the layouts of its two block managers
 * (docs/spec/kudu-data-dir.md#4-file-block-manager and docs/spec/kudu-data-dir.md#5-log-block-manager).
 */
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { containerBytes } from "./container-bytes.js";
import { hexName } from "./hex-name.js";
import { blockIdMessage, MessageBytes } from "./message-bytes.js";

/** Stores blocks and assigns IDs to them. */
export interface BlockWriter {
  write(bytes: Uint8Array): Promise<bigint>;
  finish(): Promise<void>;
}

const ALIGNMENT = 4096;
const CREATE = 1;

interface Container {
  readonly path: string;
  readonly data: Uint8Array[];
  readonly records: Uint8Array[];
  size: number;
}

/**
 * Fills one container per disk, alternating between disks. A full container is written and replaced by a new one.
 */
export class LogBlockWriter implements BlockWriter {
  private readonly folders: readonly string[];
  private readonly containerBytes: number;
  private readonly time: bigint;
  private readonly open = new Map<number, Container>();
  private containers = 0;
  private blocks = 0;

  /**
   * @param folders the `data` folders
   * @param containerBytes size at which a container is full
   * @param time microseconds since 1970
   */
  constructor(folders: readonly string[], containerBytes: number, time: bigint) {
    this.folders = folders;
    this.containerBytes = containerBytes;
    this.time = time;
  }

  async write(bytes: Uint8Array): Promise<bigint> {
    const id = BigInt(++this.blocks);
    const disk = this.blocks % this.folders.length;
    const container = this.open.get(disk) ?? this.begin(disk);
    const { size: offset } = container;
    container.records.push(
      new MessageBytes()
        .message(1, blockIdMessage(id))
        .varint(2, CREATE)
        .varint(3, this.time)
        .varint(4, offset)
        .varint(5, bytes.length)
        .finish(),
    );
    const padding = (ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT;
    container.data.push(bytes, new Uint8Array(padding));
    container.size += bytes.length + padding;
    if (container.size >= this.containerBytes) {
      this.open.delete(disk);
      await this.end(container);
    }
    return id;
  }

  async finish(): Promise<void> {
    for (const container of this.open.values()) {
      await this.end(container);
    }
    this.open.clear();
  }

  private begin(disk: number): Container {
    const folder = this.folders[disk] as string;
    const path = join(folder, hexName("container", this.containers++));
    const container = { path, data: [], records: [], size: 0 };
    this.open.set(disk, container);
    return container;
  }

  private async end({ path, data, records }: Container): Promise<void> {
    const file = await open(`${path}.data`, "w");
    await file.writev(data);
    await file.close();
    await writeFile(`${path}.metadata`, containerBytes("kudu.BlockRecordPB", records));
  }
}

const DISK_BITS = 48n;
/** First block ID of a server, which Kudu chooses at random. */
const FIRST_ID = 0x1234_56ff_fe00n;

/** The file of a block in a `data` folder of the file block manager. */
export function blockFile(id: bigint): string {
  const parts = [40n, 32n, 24n].map((bits) => ((id >> bits) & 0xffn).toString(16).padStart(2, "0"));
  return [...parts, id.toString().padStart(16, "0")].join("/");
}

/** One file per block. */
export class FileBlockWriter implements BlockWriter {
  private readonly folders: readonly string[];
  private blocks = 0n;

  /** @param folders the `data` folders, in the order in which the instance files number them */
  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  async write(bytes: Uint8Array): Promise<bigint> {
    const disk = Number(this.blocks % BigInt(this.folders.length));
    const id = (BigInt(disk) << DISK_BITS) + FIRST_ID + this.blocks++;
    const path = join(this.folders[disk] as string, blockFile(id));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    return id;
  }

  async finish(): Promise<void> {}
}
