/** Reads columns of any nesting: rows in batches, as vectors in Arrow's layout. */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import type { ScalarBatch } from "@cfile/encodings";
import { ConditionTest, checkConditions, conditionList, markedPositions } from "@cfile/encodings/conditions";
import type { ParquetFile, ParquetScanOptions } from "../read/parquet-file.js";
import type { LeafKind } from "../schema/leaf-kind.js";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import { statedType } from "../schema/stated-type.js";
import { assemble } from "./assemble.js";
import { fieldTree, type LeafField, leafFields, type ParquetField } from "./field-tree.js";
import { LeafRows } from "./leaf-rows.js";
import type { NestedVector } from "./nested-vector.js";
import { sliceNested, takeNested } from "./take-nested.js";

/** The same rows of several columns. */
export interface NestedBatch {
  readonly length: number;
  /** Number of the first row in the file. */
  readonly firstRow: number;
  /** Positions of the rows, counted from `firstRow`, if conditions selected some of them. */
  readonly positions: Uint32Array | undefined;
  readonly names: readonly string[];
  /** One per name. */
  readonly columns: readonly NestedVector[];
}

/** The columns of a file as trees of fields, including those that cannot be read. */
export function fieldsOf(file: ParquetFile): ParquetField[] {
  return fieldTree(file.metadata.schema, file.leaves);
}

/** The path and type of a leaf that makes a column unreadable; `undefined` if the column can be read. */
export function refusalOf(field: ParquetField): string | undefined {
  for (const { leaf, values } of leafFields(field)) {
    if ("refused" in values) {
      return `${leaf.path}: ${values.refused}`;
    }
  }
  return undefined;
}

/**
 * All rows, or those that match `where`, of columns of any nesting. The default is all columns that can be read. Conditions apply to
 * columns that are neither structs, lists nor maps.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown column or a condition that does not fit its column; `E_UNSUPPORTED` for a
 *   column with a type that cannot be read; `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` with path and offset for damage
 *
 * @example
 * ```js
 * import { openParquet } from "@cfile/parquet";
 * import { scanNested } from "@cfile/parquet/nested";
 *
 * const file = await openParquet("fixtures/golden/parquet/list_columns.parquet");
 * for await (const { columns: [numbers] } of scanNested(file, { columns: ["int64_list"] })) {
 *   console.log(numbers.kind, numbers.offsets, numbers.toArray());
 * }
 * await file.close();
 * ```
 *
 * ```text
 * list Int32Array(4) [ 0, 3, 5, 6 ] [ [ 1n, 2n, 3n ], [ null, 1n ], [ 4n ] ]
 * ```
 */
export async function* scanNested(
  file: ParquetFile,
  options: ParquetScanOptions = {},
): AsyncGenerator<NestedBatch, void, void> {
  const { limit = Number.POSITIVE_INFINITY, where, signal, onProgress, useStatistics } = options;
  const fields = fieldsOf(file);
  const { columns = fields.filter((field) => refusalOf(field) === undefined).map(({ name }) => name) } =
    options;
  const tested = conditionList(where).flatMap(({ column }) => column ?? []);
  const names = [...new Set([...columns, ...tested])];
  const scanned = names.map((name) => columnNamed(fields, name, file));
  const conditions = checkConditions(where, scanned.flatMap(flatColumn));
  const tests = conditions.map((condition) => ({
    test: new ConditionTest(condition),
    position: names.indexOf(condition.column.name),
  }));
  const pruner = await file.pruner(conditions, useStatistics);
  let left = limit;
  for await (const rows of alignedRows(file, scanned, pruner)) {
    signal?.throwIfAborted();
    const matching = matchingRows(rows, tests);
    if (matching.length > 0 && left > 0) {
      const batch = firstRows(matching, Math.min(left, matching.length));
      left -= batch.length;
      yield { ...batch, names: columns, columns: batch.columns.slice(0, columns.length) };
    }
    onProgress?.({ done: rows.firstRow + rows.length, total: file.rowCount });
    if (left <= 0) {
      return;
    }
  }
}

/** Maximum elements of a row that spans pages. */
const MAX_ROW_ELEMENTS = 2 ** 26;

interface ScannedColumn {
  readonly field: ParquetField;
  readonly leaves: readonly ScannedLeaf[];
}

interface ScannedLeaf {
  readonly field: LeafField;
  readonly kind: LeafKind;
}

/** A condition on a column of a batch. */
interface PlacedTest {
  readonly test: ConditionTest;
  readonly position: number;
}

function columnNamed(fields: readonly ParquetField[], name: string, file: ParquetFile): ScannedColumn {
  const field = fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    throw invalidArgument(`no column ${JSON.stringify(name)}`, { field: "name" });
  }
  const leaves = leafFields(field).map((own) => {
    const { leaf, values } = own;
    if ("refused" in values) {
      const reason = `column ${name} cannot be read: ${leaf.path} is ${values.refused}`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: name });
    }
    const kind = "refused" in leaf.kind ? values : statedType(file.keyValues, values, leaf);
    return { field: own, kind };
  });
  return { field, leaves };
}

/** The column of a CFile that conditions can test. */
function flatColumn({ field: { kind, name, nullable }, leaves }: ScannedColumn): ParquetColumn[] {
  return kind === "leaf"
    ? leaves.map((leaf) => ({ name, type: leaf.kind.type, nullable, array: false }))
    : [];
}

function matchingRows(rows: NestedBatch, tests: readonly PlacedTest[]): NestedBatch {
  if (tests.length === 0) {
    return rows;
  }
  const marks = new Uint8Array(rows.length).fill(1);
  let count = rows.length;
  tests.forEach(({ test, position }) => {
    const column = rows.columns[position];
    count = column !== undefined && isScalar(column) ? test.apply(column, marks) : 0;
  });
  if (count === rows.length) {
    return rows;
  }
  const kept = markedPositions(marks, count);
  return {
    ...rows,
    length: count,
    positions: kept,
    columns: rows.columns.map((column) => takeNested(column, kept)),
  };
}

const isScalar = (column: NestedVector): column is ScalarBatch =>
  column.kind !== "struct" && column.kind !== "list" && column.kind !== "map";

function firstRows(batch: NestedBatch, length: number): NestedBatch {
  const columns = batch.columns.map((column) => sliceNested(column, 0, length));
  return { ...batch, length, positions: batch.positions?.subarray(0, length), columns };
}

/** The rows of the columns, cut wherever a page of one of their leaves ends. */
async function* alignedRows(
  file: ParquetFile,
  columns: readonly ScannedColumn[],
  pruner: Awaited<ReturnType<ParquetFile["pruner"]>>,
): AsyncGenerator<NestedBatch, void, void> {
  const names = columns.map(({ field }) => field.name);
  const scanned = columns.flatMap(({ leaves }) => leaves);
  let groupStart = 0;
  for (let group = 0; group < file.metadata.row_groups.length && scanned.length > 0; group++) {
    const ranges = await pruner?.rows(group);
    const leaves = scanned.map(
      ({ field, kind }) =>
        new LeafRows(field, kind, file.chunks.rows(field.leaf, group, ranges, MAX_ROW_ELEMENTS)),
    );
    try {
      for (;;) {
        const available = await Promise.all(leaves.map((leaf) => leaf.available()));
        const length = Math.min(...available);
        if (length === 0) {
          requireEnd(scanned, available, group);
          break;
        }
        const firstRow = groupStart + (leaves[0]?.row ?? 0);
        const entries = new Map(leaves.map((leaf) => [leaf.index, leaf.take(length)]));
        const vectors = columns.map(({ field }) => assemble(field, entries, firstRow));
        yield { length, firstRow, positions: undefined, names, columns: vectors };
      }
    } finally {
      await Promise.all(leaves.map((leaf) => leaf.close()));
    }
    groupStart += file.rowsOfGroup(group);
  }
}

/** Requires that all leaves end together. */
function requireEnd(scanned: readonly ScannedLeaf[], available: readonly number[], group: number): void {
  const longer = scanned[available.findIndex((rows) => rows > 0)];
  if (longer !== undefined) {
    const reason = `${longer.field.leaf.path} has more rows than other columns of row group ${group}`;
    throw corrupt(reason, { field: "num_rows" });
  }
}
