/** Scans: the rows of a table, latest or as of an instant. */
import { invalidArgument, type WorkOptions } from "@cfile/bytes";
import {
  type Conditions,
  ConditionTest,
  checkConditions,
  conditionList,
  markedPositions,
} from "@cfile/encodings/conditions";
import { sliceNested, takeNested } from "@cfile/parquet/nested";
import { SchemaCache } from "../log/avro-rows.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { HudiTable } from "../table/hudi-table.js";
import { requireInside, requireName } from "../table/table-files.js";
import { avroVector } from "./avro-vectors.js";
import { type HudiColumn, scalarType } from "./column-type.js";
import { orderingFields } from "./ordering-values.js";
import { partitionTexts, partitionValue } from "./partition-values.js";
import { pruneSlices } from "./prune.js";
import { mergeRule } from "./row-merge.js";
import { requireStableNames } from "./schema-history.js";
import { type HudiBatch, readSlice, type SliceReading } from "./slice-rows.js";
import { META, scanColumns, tableColumns } from "./table-schema.js";

/** `onProgress` counts file slices. */
export interface HudiScanOptions extends WorkOptions {
  /** Column names. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** Only rows that meet all conditions. */
  readonly where?: Conditions | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
  /** Paths of partitions. Default: all. */
  readonly partitions?: readonly string[] | undefined;
  /** Only these file slices, such as those of a split. Default: the slices of the partitions. */
  readonly slices?: readonly FileSlice[] | undefined;
  /** An instant. Default: the latest. */
  readonly asOf?: string | undefined;
  /** Whether log files are ignored, which is faster but omits writes since the last compaction. Default `false`. */
  readonly readOptimized?: boolean | undefined;
}

/**
 * The rows of a table, one or more batches per file slice.
 *
 * @throws {CFileError} `E_HISTORY_GONE`, `E_INVALID_ARGUMENT` for an instant that cannot be read, unknown columns and conditions that
 *   do not fit; `E_UNSUPPORTED` for custom payloads; `E_CORRUPT` and others for damage
 */
export async function* scanRows(
  table: HudiTable,
  options: HudiScanOptions = {},
): AsyncGenerator<HudiBatch, void, void> {
  const slices = await scannedSlices(table, options);
  const columns = await scanColumns(table, {
    asOf: options.asOf,
    baseOnly: options.readOptimized === true,
  });
  yield* scanSlices(table, columns, slices, options);
}

/**
 * The file slices that {@link scanRows} reads. Slices that cannot have matching rows are left out.
 *
 * @throws {CFileError} as {@link scanRows}, for the instant and a damaged metadata table
 */
export async function scannedSlices(
  table: HudiTable,
  { asOf, partitions, where, readOptimized = false, ...given }: HudiScanOptions = {},
): Promise<readonly FileSlice[]> {
  await table.requireReadable(asOf);
  const slices: FileSlice[] = given.slices?.map(requireValidSlice) ?? [];
  if (given.slices === undefined) {
    for (const partition of partitions ?? (await table.partitions())) {
      slices.push(...(await table.slices(partition, asOf)));
    }
  }
  if (table.metadata === undefined || conditionList(where).length === 0) {
    return slices;
  }
  const columns = await tableColumns(table, asOf);
  return pruneSlices(table.metadata, slices, { where, columns, baseOnly: readOptimized });
}

function requireValidSlice(slice: FileSlice): FileSlice {
  const { partition, baseFile, logFiles } = slice;
  requireInside(partition, "partition");
  for (const name of baseFile === undefined ? logFiles : [baseFile, ...logFiles]) {
    requireName(name, "file slice");
  }
  return slice;
}

/** How slices are scanned. */
export interface SliceScanOptions extends HudiScanOptions {
  /** Whether partition columns have the values in the partition's path, without decoding. Default `false`. */
  readonly pathValues?: boolean;
  /** See {@link SliceReading}. */
  readonly baseCommits?: ReadonlySet<string> | undefined;
}

/** The rows of the given slices. @throws {CFileError} as {@link scanRows} */
export async function* scanSlices(
  table: HudiTable,
  all: readonly HudiColumn[],
  slices: readonly FileSlice[],
  options: SliceScanOptions,
): AsyncGenerator<HudiBatch, void, void> {
  const { limit = Number.POSITIVE_INFINITY, where, signal, onProgress } = options;
  await requireStableNames(table, options.asOf);
  const selected = (options.columns ?? all.map(({ name }) => name)).map((name) => columnNamed(all, name));
  const tested = conditionList(where).flatMap(({ column }) =>
    column === undefined ? [] : columnNamed(all, column),
  );
  const columns = [...new Set([...selected, ...tested])];
  const rule = mergeRule(table.properties);
  const baseOnly = options.readOptimized === true;
  const hasLogs = !baseOnly && slices.some(({ logFiles }) => logFiles.length > 0);
  const reading: SliceReading = {
    table,
    rule,
    ordering: hasLogs && rule.inLogs === "ordering" ? orderingFields(table.properties, all) : [],
    schemas: new SchemaCache(),
    asOf: options.asOf,
    hasDeleteMarks: all.some(({ name }) => name === META.deleted),
    columns,
    baseCommits: options.baseCommits,
    baseOnly,
    signal,
  };
  const filter = new RowFilter(where, columns);
  let left = limit;
  let done = 0;
  for (const slice of slices) {
    signal?.throwIfAborted();
    const constants = constantColumns(table, slice.partition, columns, options.pathValues === true);
    for await (const batch of left > 0 ? readSlice(slice, reading) : []) {
      const kept = filter.matching(withConstants(batch, constants));
      const length = Math.min(left, kept.length);
      left -= length;
      if (length > 0) {
        yield firstRows(kept, selected.length, length);
      }
      if (left <= 0) {
        break;
      }
    }
    onProgress?.({ done: ++done, total: slices.length });
  }
}

function columnNamed(columns: readonly HudiColumn[], name: string): HudiColumn {
  const column = columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    const known = columns.map((each) => each.name).join(", ");
    throw invalidArgument(`no column ${JSON.stringify(name)} (columns: ${known})`, { field: "column" });
  }
  return column;
}

type TestedColumn = Parameters<ConditionTest["apply"]>[0];

/** Tests the rows of batches. */
class RowFilter {
  private readonly tests: readonly { readonly position: number; readonly test: ConditionTest }[];

  constructor(where: Conditions | undefined, columns: readonly HudiColumn[]) {
    const testable = columns.flatMap(({ name, avro }) => {
      const scalar = scalarType(avro);
      return scalar === undefined ? [] : { name, type: scalar.type, array: false };
    });
    this.tests = checkConditions(where, testable).map((condition) => ({
      position: columns.findIndex(({ name }) => name === condition.column.name),
      test: new ConditionTest(condition),
    }));
  }

  matching(batch: HudiBatch): HudiBatch {
    if (this.tests.length === 0) {
      return batch;
    }
    const marks = new Uint8Array(batch.length).fill(1);
    let count = batch.length;
    for (const { position, test } of this.tests) {
      // Conditions are on columns of single values, which vectors fit.
      count = test.apply(batch.columns[position] as TestedColumn, marks);
    }
    if (count === batch.length) {
      return batch;
    }
    const kept = markedPositions(marks, count);
    return { ...batch, length: count, columns: batch.columns.map((column) => takeNested(column, kept)) };
  }
}

function firstRows(batch: HudiBatch, columns: number, length: number): HudiBatch {
  const names = batch.names.slice(0, columns);
  const vectors = batch.columns.slice(0, columns);
  return length === batch.length
    ? { ...batch, names, columns: vectors }
    : { ...batch, length, names, columns: vectors.map((vector) => sliceNested(vector, 0, length)) };
}

/** Columns whose values come from the partition's path: positions and text. */
type Constants = ReadonlyMap<number, { readonly column: HudiColumn; readonly text: string | null }>;

function constantColumns(
  { properties }: HudiTable,
  partition: string,
  columns: readonly HudiColumn[],
  pathValues: boolean,
): Constants {
  const constants = new Map<number, { column: HudiColumn; text: string | null }>();
  if (!(properties.dropsPartitionColumns || pathValues)) {
    return constants;
  }
  for (const [field, text] of partitionTexts(partition, properties, !pathValues)) {
    const position = columns.findIndex(({ name }) => name === field);
    const column = columns[position];
    if (column !== undefined && (column.avro.kind === "string" || properties.dropsPartitionColumns)) {
      constants.set(position, { column, text });
    }
  }
  return constants;
}

function withConstants(batch: HudiBatch, constants: Constants): HudiBatch {
  if (constants.size === 0) {
    return batch;
  }
  const columns = batch.columns.map((vector, i) => {
    const constant = constants.get(i);
    if (constant === undefined) {
      return vector;
    }
    const { avro } = constant.column;
    return avroVector(avro, avro, new Array(batch.length).fill(partitionValue(constant.text, avro)));
  });
  return { ...batch, columns };
}
