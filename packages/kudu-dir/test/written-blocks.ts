/** Blocks that tests write in the order of a server, and the metadata rebuilt from them. */
import { type ChangeType, type DeltaKind, MutationBuilder } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import { batchFromValues } from "@cfile/encodings/batches";
import { CFileWriter } from "@cfile/format/write";
import { type MemorySink, memorySink, memorySource } from "@cfile/io";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { type RowInput, RowSetWriter, type RowSetWriterOptions } from "@cfile/rowset/write";
import { vi } from "vitest";
import {
  type KuduDir,
  openKuduDir,
  type RebuildOptions,
  type RebuiltDir,
  rebuildKuduDir,
  type StoredBlock,
} from "../src/index.js";
import { serverFiles, treeOf } from "./servers.js";

/** The files of a row set, by block ID. */
export interface WrittenFiles {
  readonly columns: ReadonlyMap<number, bigint>;
  readonly bloom: bigint;
  readonly adhocIndex: bigint | undefined;
  /** The block that identifies the row set. */
  readonly key: bigint;
}

/** A change of a row; updates have cells by column ID. */
export interface WrittenChange {
  readonly row: number;
  readonly time: bigint;
  readonly type: ChangeType;
  readonly cells?: Readonly<Record<number, number | null>>;
}

interface RowSetParts extends RowSetWriterOptions {
  /** Writes delta files between columns and Bloom file, as in a copied replica. */
  readonly between?: () => Promise<unknown>;
  /** Columns whose files are missing. */
  readonly replaced?: readonly number[];
  /** Whether the Bloom file is lost. */
  readonly withoutBloom?: boolean;
}

export function column(
  id: number,
  type: RowSetColumn["type"] = "INT32",
  rest: Partial<RowSetColumn> = {},
): RowSetColumn {
  return { id, name: `c${id}`, type, nullable: false, array: false, isKey: false, ...rest };
}

export function keyColumn(id: number, type: RowSetColumn["type"] = "INT32"): RowSetColumn {
  return column(id, type, { isKey: true });
}

export class WrittenBlocks {
  readonly blocks: StoredBlock[] = [];
  /** The ID of the next block. */
  next: bigint;
  /** Time at which the next block is finished, in microseconds since 1970. Default: unknown, as for servers with a file per block. */
  now: bigint | undefined;

  constructor(next = 1000n, now?: bigint) {
    this.next = next;
    this.now = now;
  }

  /** Leaves the next ID unused. */
  skip(): void {
    this.next++;
  }

  add(bytes: Uint8Array): bigint {
    const id = this.next++;
    const source = memorySource(bytes, `block ${id}`);
    this.blocks.push({ id, path: `block ${id}`, offset: 0, createdAt: this.now, source });
    this.now = this.now && this.now + 10n;
    return id;
  }

  remove(id: bigint): void {
    this.blocks.splice(
      this.blocks.findIndex((block) => block.id === id),
      1,
    );
  }

  /** Changes a byte of a block; a negative position counts from the end. */
  async flip(id: bigint, position: number): Promise<void> {
    const at = this.blocks.findIndex((block) => block.id === id);
    const block = this.blocks[at];
    if (block === undefined) {
      throw new Error(`no block ${id}`);
    }
    const bytes = (await block.source.read(0, Number(await block.source.size()))).slice();
    const index = position < 0 ? bytes.length + position : position;
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    this.blocks[at] = { ...block, source: memorySource(bytes, block.source.name) };
  }

  async rowSet(
    schema: RowSetSchema,
    rows: readonly RowInput[],
    { between, replaced = [], withoutBloom = false, ...options }: RowSetParts = {},
  ): Promise<WrittenFiles> {
    const columns = new Map(schema.columns.map(({ id }) => [id, memorySink(`column ${id}`)]));
    const bloomSink = memorySink("bloom");
    const isComposite = schema.columns.filter(({ isKey }) => isKey).length > 1;
    const indexSink = isComposite ? memorySink("index") : undefined;
    const writer = new RowSetWriter({ columns, bloom: bloomSink, adhocIndex: indexSink }, schema, options);
    await writer.appendRows(rows);
    await writer.finish();
    const place = (sink: MemorySink, isGone: boolean): bigint => {
      const id = this.add(sink.bytes());
      if (isGone) {
        this.remove(id);
      }
      return id;
    };
    const ids = new Map([...columns].map(([id, sink]) => [id, place(sink, replaced.includes(id))]));
    await between?.();
    const bloom = place(bloomSink, withoutBloom);
    const adhocIndex = indexSink && place(indexSink, false);
    const key = adhocIndex ?? [...ids.values()][0] ?? -1n;
    return { columns: ids, bloom, adhocIndex, key };
  }

  async deltas(kind: DeltaKind, changes: readonly WrittenChange[]): Promise<bigint> {
    const sink = memorySink("deltas");
    const writer = new DeltaFileWriter(sink, { kind });
    for (const { row, time, type, cells = {} } of changes) {
      const mutations = new MutationBuilder();
      for (const [id, cell] of Object.entries(cells)) {
        mutations.set(Number(id), cell === null ? null : new Uint8Array(Int32Array.of(cell).buffer));
      }
      await writer.append(row, time, type, mutations.finish());
    }
    await writer.finish();
    return this.add(sink.bytes());
  }

  /** A separate column, as written by a compaction. */
  async column(values: readonly number[], type: "INT32" | "DOUBLE" = "INT32"): Promise<bigint> {
    const sink = memorySink("column");
    const writer = new CFileWriter(sink, { type });
    await writer.append(batchFromValues({ type }, values));
    await writer.finish();
    return this.add(sink.bytes());
  }

  /** Rebuilds a server that has these blocks and no metadata. */
  async rebuild(
    options: RebuildOptions = {},
    files: ReadonlyMap<string, Uint8Array> = SERVER_IDENTITY,
  ): Promise<RebuiltDir> {
    await using dir = await this.open(files);
    return await rebuildKuduDir(dir, options);
  }

  /** A server with these blocks. */
  async open(files: ReadonlyMap<string, Uint8Array> = SERVER_IDENTITY): Promise<KuduDir> {
    const dir = await openKuduDir(treeOf(files));
    const { blocks } = this;
    vi.spyOn(dir.blocks, "list").mockResolvedValue(
      [...blocks].sort((left, right) => (left.id < right.id ? -1 : 1)),
    );
    vi.spyOn(dir.blocks, "find").mockImplementation((id) =>
      Promise.resolve(blocks.find((block) => block.id === id)),
    );
    return dir;
  }
}

/** The identity of server `log`, whose blocks are in containers. */
export const SERVER_IDENTITY: ReadonlyMap<string, Uint8Array> = new Map(
  [...serverFiles("log")].filter(([path]) => /instance$/.test(path)),
);
