/** The rows of a file slice: the rows of its base file, merged with the records of its logs. */
import { corrupt } from "@cfile/bytes";
import { markedPositions } from "@cfile/encodings/conditions";
import { openParquet, type ParquetFile } from "@cfile/parquet";
import { fieldsOf, type NestedBatch, type NestedVector, scanNested, takeNested } from "@cfile/parquet/nested";
import type { FileSlice } from "../slices/file-slices.js";
import { withPath } from "../timeline/timeline.js";
import { absentVector } from "./avro-vectors.js";
import type { HudiColumn } from "./column-type.js";
import { requireFileTypes, requireParquet } from "./file-types.js";
import { fittingVector } from "./fitting-vector.js";
import { type LogReading, type LogRecord, logRecords, overOlder } from "./log-records.js";
import { vectorOrdering } from "./ordering-values.js";
import { unitRepair } from "./renamed-units.js";
import { isNewer } from "./row-merge.js";
import { layeredColumns, VectorRows } from "./row-source.js";
import { META } from "./table-schema.js";

/** The same rows of several columns. */
export type HudiBatch = NestedBatch;

/** Inputs for reading a slice. */
export interface SliceReading extends LogReading {
  /** If given, rows of the base file from other commits are dropped before the logs are merged. */
  readonly baseCommits: ReadonlySet<string> | undefined;
  /** Whether logs are ignored. */
  readonly baseOnly: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The rows of a slice, in any order. @throws {CFileError} with path and offset, for damage */
export async function* readSlice(
  slice: FileSlice,
  reading: SliceReading,
): AsyncGenerator<HudiBatch, void, void> {
  const hasLogs = !reading.baseOnly && slice.logFiles.length > 0;
  const records = hasLogs ? await logRecords(slice, reading) : new Map<string, LogRecord>();
  const winners: LogRecord[] = [];
  if (slice.baseFile !== undefined) {
    yield* baseRows(slice, slice.baseFile, { records, winners }, reading);
  }
  yield* logRows([...winners, ...records.values()], reading);
}

interface SliceRecords {
  /** By record key. */
  readonly records: Map<string, LogRecord>;
  readonly winners: LogRecord[];
}

/** Rows of the base file that count. Records with a row in the base file are removed, and added to `winners` if they replace it. */
async function* baseRows(
  { partition }: FileSlice,
  name: string,
  { records, winners }: SliceRecords,
  reading: SliceReading,
): AsyncGenerator<HudiBatch, void, void> {
  const { table, columns, ordering, signal } = reading;
  const path = partition === "" ? name : `${partition}/${name}`;
  requireParquet(name, table.files.nameOf(path));
  await using file = await table.files.openWith(path, openParquet);
  const fields = fieldsOf(file);
  const present = new Set(fields.map((field) => field.name));
  const merged =
    records.size === 0 ? [] : [META.key, META.commitTime, ...ordering.map(({ column }) => column.name)];
  const used = records.size === 0 ? columns : [...columns, ...ordering.map(({ column }) => column)];
  requireFileTypes(fields, used, table.files.nameOf(path));
  const repair = unitRepair(fields, used);
  if (records.size > 0 && !present.has(META.key)) {
    throw corrupt("base file has no record keys", { path: table.files.nameOf(path), field: META.key });
  }
  const names = [...new Set([...columns.map((column) => column.name), ...merged])].filter((each) =>
    present.has(each),
  );
  if (names.length === 0) {
    yield* withoutColumns(file, columns);
    return;
  }
  try {
    for await (const stored of scanNested(file, { columns: names, signal })) {
      const batch = { ...stored, columns: repair(names, stored.columns) };
      const kept = records.size === 0 ? undefined : keptRows(batch, { records, winners }, reading);
      const length = kept?.length ?? batch.length;
      if (length > 0) {
        const vectors = columns.map((column) => {
          const vector = batch.columns[names.indexOf(column.name)];
          if (vector === undefined) {
            return absentVector(column.absent, column.avro, length);
          }
          return fittingVector(column.avro, kept === undefined ? vector : takeNested(vector, kept));
        });
        yield batchOf(columns, vectors, length);
      }
    }
  } catch (error) {
    throw withPath(error, table.files.nameOf(path));
  }
}

/** Positions of the rows that count; `undefined` if all rows count. */
function keptRows(
  { names, columns, length }: HudiBatch,
  { records, winners }: SliceRecords,
  { rule, baseCommits, ordering: orderingFields }: SliceReading,
): Uint32Array | undefined {
  // Files without keys were rejected before.
  const keys = (columns[names.indexOf(META.key)] as NestedVector).toArray();
  const commits = baseCommits && columns[names.indexOf(META.commitTime)];
  const ordering = vectorOrdering(orderingFields, (name) => columns[names.indexOf(name)]);
  const marks = new Uint8Array(length);
  let base: VectorRows | undefined;
  let count = 0;
  for (let i = 0; i < length; i++) {
    const key = keys[i];
    const record = typeof key === "string" ? records.get(key) : undefined;
    let keeps = commits === undefined || baseCommits?.has(String(commits.get(i))) === true;
    if (keeps && record !== undefined && typeof key === "string") {
      // As in Hudi, a record merges with one row of the base file. Other rows with the same key, which inserts can add, are kept.
      records.delete(key);
      const isOrdered = rule.overBase === "ordering" && (rule.orderedDeletes || record.source !== undefined);
      keeps = isOrdered && !isNewer(ordering(i), record.ordering);
      if (!keeps && record.source !== undefined) {
        base ??= new VectorRows(names, columns);
        winners.push(overOlder(record, { source: base, index: i }));
      }
    }
    marks[i] = keeps ? 1 : 0;
    count += keeps ? 1 : 0;
  }
  return count === length ? undefined : markedPositions(marks, count);
}

/** Rows of the logs, one batch per log block. */
function* logRows(records: Iterable<LogRecord>, { columns }: SliceReading): Generator<HudiBatch> {
  for (const { length, vectors } of layeredColumns(records, columns)) {
    yield batchOf(columns, vectors, length);
  }
}

function* withoutColumns(file: ParquetFile, columns: readonly HudiColumn[]): Generator<HudiBatch> {
  const length = file.rowCount;
  if (length > 0) {
    yield batchOf(
      columns,
      columns.map((column) => absentVector(column.absent, column.avro, length)),
      length,
    );
  }
}

function batchOf(
  columns: readonly HudiColumn[],
  vectors: readonly NestedVector[],
  length: number,
): HudiBatch {
  return {
    length,
    firstRow: 0,
    positions: undefined,
    names: columns.map(({ name }) => name),
    columns: vectors,
  };
}
