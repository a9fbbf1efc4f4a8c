/**
 * Rewrites the files of a stopped server (file blocks, not encrypted) with our readers and writers: with the
 * same options, with others, or with other values.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { CompressionType } from "@cfile/compression";
import type { DeltaKind } from "@cfile/deltafile";
import { openDeltaFile } from "@cfile/deltafile/read";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import { type ColumnBatch, DATA_TYPES, encodingsOf, resolveEncoding } from "@cfile/encodings";
import { type BatchRange, concatBatches } from "@cfile/encodings/batches";
import { openCFile } from "@cfile/format";
import { CFileWriter } from "@cfile/format/write";
import { type ByteSource, type MemorySink, memorySink, memorySource, readExactly, sizeOf } from "@cfile/io";
import type { KuduDir, KuduTablet, TabletRowSet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { RowSetColumn } from "@cfile/rowset";
import { RowSetWriter, type RowSetWriterOptions } from "@cfile/rowset/write";
import type { Random } from "../random.js";
import { changeBatch, changeMutations, isChangeable } from "./change-values.js";
import { BLOCK_SIZES } from "./table-plan.js";

export interface Rewritten {
  readonly files: number;
  /** Files that are byte-identical to the server's. */
  readonly equal: number;
  /**
   * Identical only if blocks are cut where Kudu cuts them: rows that a flush or compaction omits make its
   * portions smaller.
   */
  readonly cut: number;
  /** Snappy blocks that compress differently, because Kudu's servers use a different build of Snappy. */
  readonly snappy: number;
  /** Files that differ and should not. */
  readonly different: readonly string[];
  /** Rewritten blocks with values: all but Bloom files. */
  readonly blocks: readonly bigint[];
}

export interface RewriteOptions {
  readonly how: "same" | "other";
  readonly random: Random;
  /** IDs of columns with changed values, by tablet. */
  readonly changed?: ReadonlyMap<string, ReadonlyMap<number, KuduColumn>> | undefined;
  readonly write: boolean;
  /** Folder for Kudu's and our version of files that should be identical but are not. */
  readonly keep?: string | undefined;
}

interface NewFile {
  readonly id: bigint;
  readonly role: string;
  readonly theirs: Uint8Array;
  readonly ours: Uint8Array;
  readonly isCut: boolean;
  readonly compression: CompressionType;
}

const CODECS: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];

/** Columns whose values can change: columns of every row set, in tablets without unflushed rows. */
export async function changeableColumns(tablet: KuduTablet): Promise<ReadonlyMap<number, KuduColumn>> {
  const log = await tablet.unflushed();
  if (log === undefined || log.operations.length > 0 || tablet.rowSets.length === 0) {
    return new Map();
  }
  const columns = tablet.schema.columns.filter(
    (column) => isChangeable(column) && tablet.rowSets.every(({ blocks }) => blocks.columns.has(column.id)),
  );
  return new Map(columns.map((column) => [column.id, column]));
}

export async function rewriteBlocks(dir: KuduDir, options: RewriteOptions): Promise<Rewritten> {
  const different: string[] = [];
  const blocks: bigint[] = [];
  let files = 0;
  let equal = 0;
  let cut = 0;
  let snappy = 0;
  for (const tablet of await dir.tablets()) {
    for (const rowSet of tablet.rowSets) {
      for (const file of await rewriteRowSet(tablet, rowSet, options)) {
        files++;
        if (file.role !== "bloom") {
          blocks.push(file.id);
        }
        if (areEqual(file.ours, file.theirs)) {
          file.isCut ? cut++ : equal++;
        } else if (file.compression === "SNAPPY" && file.role.startsWith("column")) {
          snappy++;
        } else if (options.how === "same") {
          await keep(options, file);
          different.push(
            `block ${file.id}: ${file.role} of row set ${rowSet.id}, table ${tablet.tableName}: ${file.ours.length} bytes, Kudu's ${file.theirs.length}`,
          );
        }
        if (options.write) {
          await writeFile(pathOf((await dir.block(file.id)).path), file.ours);
        }
      }
    }
  }
  return { files, equal, cut, snappy, different, blocks };
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

async function keep({ keep: folder }: RewriteOptions, { id, theirs, ours }: NewFile): Promise<void> {
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.kudu.cfile`), theirs);
    await writeFile(join(folder, `${id}.ours.cfile`), ours);
  }
}

function pathOf(path: string): string {
  return isAbsolute(path) ? path : join(process.cwd(), path);
}

async function rewriteRowSet(
  tablet: KuduTablet,
  rowSet: TabletRowSet,
  options: RewriteOptions,
): Promise<NewFile[]> {
  const changed = options.changed?.get(tablet.id) ?? new Map<number, KuduColumn>();
  const files = await rowSet.files();
  const { blocks } = rowSet;
  const columns: { column: RowSetColumn; batch: ColumnBatch; theirs: Uint8Array }[] = [];
  for (const [id, source] of files.columns) {
    const theirs = await bytesOf(source);
    const batch = await wholeColumn(source);
    const column = await columnOf(tablet, id, source, options);
    columns.push({ column, batch: changed.has(id) ? changeBatch(batch) : batch, theirs });
  }
  // Key columns come first, as in the schema.
  const position = (id: number): number => {
    const at = tablet.schema.columns.findIndex((column) => column.id === id);
    return at === -1 ? tablet.schema.columns.length : at;
  };
  columns.sort((left, right) => position(left.column.id) - position(right.column.id));
  const isOther = options.how === "other";
  const { random } = options;
  const bloom = isOther
    ? {
        filterBytes: random.pick([64, 512, 4096, 20000]),
        falsePositiveRate: random.pick([0.1, 0.01, 0.0001]),
      }
    : undefined;
  const hasIndex = blocks.adhocIndex !== undefined;
  const straight = await writeBase(columns, hasIndex, { bloom });
  const cuts = isOther
    ? []
    : [...new Set((await Promise.all([...files.columns.values()].map(firstRows))).flat())];
  const units = cuts.sort((left, right) => left - right);
  const isStraight =
    isOther ||
    columns.every(({ column, theirs }) =>
      areEqual(straight.columns.get(column.id)?.bytes() ?? theirs, theirs),
    );
  const portioned = isStraight ? straight : await writeBase(columns, hasIndex, { bloom }, units);
  const choose = (
    theirs: Uint8Array,
    sink: (from: Base) => MemorySink | undefined,
  ): Pick<NewFile, "ours" | "theirs" | "isCut"> => {
    const ours = sink(straight)?.bytes() ?? new Uint8Array(0);
    const other = sink(portioned)?.bytes() ?? ours;
    const isCut = !areEqual(ours, theirs) && areEqual(other, theirs);
    return { theirs, ours: isCut ? other : ours, isCut };
  };
  const written: NewFile[] = [];
  for (const { column, batch, theirs } of columns) {
    let chosen = choose(theirs, (base) => base.columns.get(column.id));
    if (!isOther && !areEqual(chosen.ours, theirs)) {
      chosen = await withFormerOptions(column, batch, chosen, column.isKey && !hasIndex);
    }
    const compression = column.compression ?? "NO_COMPRESSION";
    const role = `column ${column.id} ${column.type} ${column.encoding}`;
    written.push({ id: blocks.columns.get(column.id) ?? 0n, role, compression, ...chosen });
  }
  if (files.bloom !== undefined && blocks.bloom !== undefined) {
    const chosen = choose(await bytesOf(files.bloom), (base) => base.bloom);
    written.push({ id: blocks.bloom, role: "bloom", compression: "NO_COMPRESSION", ...chosen });
  }
  if (files.adhocIndex !== undefined && blocks.adhocIndex !== undefined) {
    const chosen = choose(await bytesOf(files.adhocIndex), (base) => base.adhocIndex);
    written.push({ id: blocks.adhocIndex, role: "adhoc-index", compression: "NO_COMPRESSION", ...chosen });
  }
  for (const kind of ["undo", "redo"] as const) {
    for (const [i, source] of files[kind].entries()) {
      const ours = await rewriteDeltas(source, kind, changed, options);
      const theirs = await bytesOf(source);
      const id = blocks[kind][i] ?? 0n;
      written.push({ id, role: kind, theirs, ours, isCut: false, compression: "NO_COMPRESSION" });
    }
  }
  return written;
}

interface Base {
  readonly columns: ReadonlyMap<number, MemorySink>;
  readonly bloom: MemorySink;
  readonly adhocIndex: MemorySink | undefined;
}

/** @param units first rows of the portions in which rows are appended. Default: every 100 rows, as in Kudu */
async function writeBase(
  columns: readonly { readonly column: RowSetColumn; readonly batch: ColumnBatch }[],
  hasIndex: boolean,
  options: RowSetWriterOptions,
  units?: readonly number[],
): Promise<Base> {
  const sinks = {
    columns: new Map(columns.map(({ column }) => [column.id, memorySink()])),
    bloom: memorySink(),
    adhocIndex: hasIndex ? memorySink() : undefined,
  };
  const schema = { columns: columns.map(({ column }) => column) };
  const batchRows = units === undefined ? undefined : Number.POSITIVE_INFINITY;
  const writer = new RowSetWriter(sinks, schema, { ...options, batchRows });
  const length = columns[0]?.batch.length ?? 0;
  for (const [from, to] of portions(units ?? [0], length)) {
    await writer.append(columns.map(({ batch }) => concatBatches([{ batch, from, to }])));
  }
  await writer.finish();
  return sinks;
}

function portions(units: readonly number[], length: number): [number, number][] {
  return units.map((from, i): [number, number] => [from, units[i + 1] ?? length]);
}

/** Offsets of the data blocks of a column. */
async function firstRows(source: ByteSource): Promise<number[]> {
  const reader = await openCFile(source);
  const first: number[] = [];
  for (const pointer of await reader.listDataBlocks()) {
    first.push((await reader.dataBlock(pointer)).firstRow);
  }
  return first;
}

/** The schema has only the current block size, and a major compaction rewrites only some columns. */
async function withFormerOptions(
  column: RowSetColumn,
  batch: ColumnBatch,
  chosen: Pick<NewFile, "ours" | "theirs" | "isCut">,
  validx: boolean,
): Promise<Pick<NewFile, "ours" | "theirs" | "isCut">> {
  const { type, nullable, encoding, compression } = column;
  const { theirs } = chosen;
  const cuts = await firstRows(memorySource(theirs));
  for (const units of [undefined, cuts]) {
    for (const blockSize of new Set(BLOCK_SIZES)) {
      const sink = memorySink();
      const batchRows = units && Number.POSITIVE_INFINITY;
      const options = { type, nullable, encoding, compression, batchRows, validx };
      const writer = new CFileWriter(sink, { ...options, blockSize: blockSize || undefined });
      for (const [from, to] of portions(units ?? [0], batch.length)) {
        await writer.append(concatBatches([{ batch, from, to }]));
      }
      await writer.finish();
      if (areEqual(sink.bytes(), theirs)) {
        return { theirs, ours: sink.bytes(), isCut: units !== undefined };
      }
    }
  }
  return chosen;
}

async function columnOf(
  { schema }: KuduTablet,
  id: number,
  source: ByteSource,
  { how, random }: RewriteOptions,
): Promise<RowSetColumn> {
  const { type, encoding, compression, nullable } = await openCFile(source);
  const known = schema.columns.find((column) => column.id === id);
  const column = known ?? { id, name: `dropped ${id}`, type, nullable, array: false, isKey: false };
  if (how === "same") {
    const isSame =
      known !== undefined && resolveEncoding(type, known.encoding ?? "AUTO_ENCODING") === encoding;
    return { ...column, type, nullable, encoding: isSame ? known.encoding : encoding, compression };
  }
  const encodings = encodingsOf(DATA_TYPES[type].physical).filter(
    (name) => resolveEncoding(type, name) !== undefined,
  );
  return {
    ...column,
    type,
    nullable,
    encoding: random.pick(encodings),
    compression: random.pick(CODECS),
    blockSize: random.pick([512, 600, 3000, 100_000]),
  };
}

async function wholeColumn(source: ByteSource): Promise<ColumnBatch> {
  const ranges: BatchRange[] = [];
  for await (const batch of (await openCFile(source)).scan({ expandDictionaries: true })) {
    ranges.push({ batch, from: 0, to: batch.length });
  }
  return concatBatches(ranges as [BatchRange, ...BatchRange[]]);
}

async function rewriteDeltas(
  source: ByteSource,
  kind: DeltaKind,
  changed: ReadonlyMap<number, KuduColumn>,
  { how, random }: RewriteOptions,
): Promise<Uint8Array> {
  const sink = memorySink();
  const other =
    how === "other" ? { compression: random.pick(CODECS), blockSize: random.pick([512, 5000]) } : {};
  const writer = new DeltaFileWriter(sink, { kind, ...other });
  for await (const batch of (await openDeltaFile(source)).entries()) {
    for (let i = 0; i < batch.length; i++) {
      const mutations = changeMutations(batch, i, changed);
      await writer.append(
        batch.rows[i] ?? 0,
        batch.timestamps[i] ?? 0n,
        batch.types[i] as 1 | 2 | 3,
        mutations,
      );
    }
  }
  await writer.finish();
  return sink.bytes();
}

async function bytesOf(source: ByteSource): Promise<Uint8Array> {
  return (await readExactly(source, 0, await sizeOf(source))).slice();
}
