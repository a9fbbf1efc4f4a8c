/**
 * Scans a row set (docs/spec/diskrowset.md#7-scan). The key index narrows the rows to key ranges, and the Bloom file can rule out a
 * single key. Then, batch by batch: changes, conditions one column after the other, and the remaining columns only for matching rows.
 */
import type { MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows, type TableBatch, takeRows } from "@cfile/encodings/batches";
import { ConditionTest, checkConditions, markedPositions } from "@cfile/encodings/conditions";
import type { DeltaMerger } from "../delta/delta-merger.js";
import { keyConditions, type RowSetCondition } from "../keys/key-conditions.js";
import type { KeyIndex } from "../keys/key-index.js";
import { columnsNamed, type RowSetColumn } from "../schema/schema.js";
import { type BaseColumn, currentEnd, openBaseColumn } from "./base-column.js";
import type { RowSetParts } from "./row-set-parts.js";
import { checkAsOf, checkBatchRows, checkLimit, checkOrder, type RowScanOptions } from "./scan-options.js";

export interface ScannedRowSet {
  readonly parts: RowSetParts;
  readonly index: KeyIndex;
  /** Whether the row set may contain the key. */
  readonly mayContain: (key: Uint8Array, signal: AbortSignal | undefined) => Promise<boolean>;
}

/** Batches end at block ends, since joining blocks requires copying, unless that multiplies the number of batches by more than this. */
const MAX_SPLIT = 32;

/** The part of a column's arena for cells with changes applied. */
const PATCHED = "patched";

export async function* scanRowSet(
  { parts, index, mayContain }: ScannedRowSet,
  options: RowScanOptions,
): AsyncGenerator<TableBatch, void, void> {
  const { schema } = parts;
  const { arena, cacheBlocks, signal } = options;
  const asOf = checkAsOf(options.asOf);
  const batchRows = checkBatchRows(options.batchRows);
  checkOrder(options.order);
  let left = checkLimit(options.limit);
  const projection = columnsNamed(schema, options.columns);
  const where = checkConditions(options.where, schema.columns);
  const { range, only, rest } = keyConditions(schema, options.keys ?? {}, where);
  if (left === 0 || rest.some(isNeverMet) || (only !== undefined && !(await mayContain(only, signal)))) {
    return;
  }
  // A table has many row sets, and most of their blocks are not searched again.
  const search = { signal, keepDecoded: false };
  const first = range.from === undefined ? 0 : (await index.lowerBound(range.from, search)).row;
  const last = range.to === undefined ? index.rowCount : (await index.lowerBound(range.to, search)).row;
  const from = Math.max(first, options.rows?.from ?? 0);
  const to = Math.min(last, options.rows?.to ?? last);
  if (from >= to) {
    return;
  }
  const conditions = rest.filter(({ op, column }) => op !== "isNotNull" || column.nullable);
  const scan = new RowSetScan(parts, projection, conditions, { asOf, from, to, signal, arena, cacheBlocks });
  try {
    await scan.open();
    let end = from;
    for (let row = from; row < to && left > 0; row = end) {
      signal?.throwIfAborted();
      end = await scan.endOfBatch(row, Math.min(to, row + batchRows));
      const batch = await scan.read(row, end, left);
      if (batch !== undefined) {
        left -= batch.length;
        yield batch;
      }
    }
  } finally {
    await scan.close();
  }
}

function isNeverMet({ op, column, operands }: RowSetCondition): boolean {
  return (op === "isNull" && !column.nullable) || (op === "in" && operands.length === 0);
}

interface ScanSettings {
  readonly asOf: bigint;
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal | undefined;
  /** Each column uses a part of it. */
  readonly arena: MemoryArena | undefined;
  readonly cacheBlocks: boolean | undefined;
}

interface FilterColumn {
  readonly column: RowSetColumn;
  readonly tests: ConditionTest[];
}

class RowSetScan {
  private readonly parts: RowSetParts;
  private readonly projection: readonly RowSetColumn[];
  private readonly names: readonly string[];
  /** By projected column: its first index among them, since a column that is requested twice is read once. */
  private readonly firstIndexes: readonly number[];
  /** In the order in which conditions name the columns. */
  private readonly filters: readonly FilterColumn[];
  private readonly settings: ScanSettings;
  private readonly columns = new Map<number, BaseColumn>();
  private deltas: DeltaMerger | undefined;
  private marks = new Uint8Array(0);

  constructor(
    parts: RowSetParts,
    projection: readonly RowSetColumn[],
    conditions: readonly RowSetCondition[],
    settings: ScanSettings,
  ) {
    this.parts = parts;
    this.projection = projection;
    this.names = projection.map(({ name }) => name);
    this.firstIndexes = projection.map((column) => projection.indexOf(column));
    const filters = new Map<number, FilterColumn>();
    for (const condition of conditions) {
      const { column } = condition;
      const filter = filters.get(column.id) ?? { column, tests: [] };
      filter.tests.push(new ConditionTest(condition));
      filters.set(column.id, filter);
    }
    this.filters = [...filters.values()];
    this.settings = settings;
  }

  /** Opens the columns that are read as a whole; others are opened when a row needs them. */
  async open(): Promise<void> {
    const { parts, settings, projection } = this;
    const filtered = this.filters.map(({ column }) => column);
    if (parts.hasDeltas(settings.asOf)) {
      const { mergeDeltas } = await import("../delta/delta-merger.js");
      const columns = [...new Set([...filtered, ...projection])];
      this.deltas = await mergeDeltas(parts, { ...settings, columns });
    }
    const whole = filtered.length === 0 ? new Set(projection) : filtered.slice(0, 1);
    await Promise.all([...whole].map((column) => this.column(column, true)));
  }

  /** The best end, at most `to`, of a batch that starts at row `from`: the end of a block, so that cells are not copied. */
  async endOfBatch(from: number, to: number): Promise<number> {
    let end = to;
    for (const column of this.columns.values()) {
      const blockEnd = currentEnd(column, from) ?? (await column.blockEnd(from)) ?? to;
      if (blockEnd < end && blockEnd - from >= (to - from) / MAX_SPLIT) {
        end = blockEnd;
      }
    }
    return end;
  }

  /** The matching rows from `from` to `to` (exclusive), at most `limit`; `undefined` if no row matches. */
  async read(from: number, to: number, limit: number): Promise<TableBatch | undefined> {
    const { deltas } = this;
    await deltas?.advance(from, to);
    const length = to - from;
    let count = length - (deltas?.deadCount ?? 0);
    if (count === 0) {
      return undefined;
    }
    const known = new Map<number, ColumnBatch>();
    let marks: Uint8Array | undefined;
    if (count < length || this.filters.length > 0) {
      marks = this.freshMarks(length, deltas);
      for (const { column, tests } of this.filters) {
        const batch = await this.cells(column, from, from, to);
        known.set(column.id, batch);
        for (const test of tests) {
          count = test.apply(batch, marks);
        }
        if (count === 0) {
          return undefined;
        }
      }
    }
    return marks === undefined || count === length
      ? this.assemble(from, Math.min(length, limit), undefined, known)
      : this.assemble(from, length, markedPositions(marks, Math.min(count, limit)), known);
  }

  async close(): Promise<void> {
    await Promise.all([this.deltas?.close(), ...[...this.columns.values()].map((column) => column.close())]);
  }

  private async assemble(
    from: number,
    length: number,
    positions: Uint32Array | undefined,
    known: ReadonlyMap<number, ColumnBatch>,
  ): Promise<TableBatch> {
    const { names } = this;
    const atHand = positions === undefined && known.size === 0 ? this.cellsAtHand(from, length) : undefined;
    if (atHand !== undefined) {
      return { length, firstRow: from, names, columns: atHand };
    }
    // A column that is requested twice is read once.
    const read = new Map<number, Promise<ColumnBatch>>();
    const reads = this.projection.map((column) => {
      const cells = read.get(column.id) ?? this.projected(column, from, length, positions, known);
      read.set(column.id, cells);
      return cells;
    });
    const columns = await Promise.all(reads);
    if (positions === undefined) {
      return { length, firstRow: from, names, columns };
    }
    const rows = positions.map((position) => from + position);
    return { length: positions.length, firstRow: rows[0] ?? from, rows, names, columns };
  }

  /** The cells of consecutive rows, with changes applied, if each column has them in its current block. */
  private cellsAtHand(from: number, length: number): ColumnBatch[] | undefined {
    const columns: ColumnBatch[] = [];
    for (const column of this.projection) {
      const same = columns[this.firstIndexes[columns.length] as number];
      if (same !== undefined) {
        columns.push(same);
        continue;
      }
      const base = this.columns.get(column.id);
      const end = base && currentEnd(base, from);
      if (base?.current === undefined || end === undefined || end < from + length) {
        return undefined;
      }
      const start = from - base.current.firstRow;
      columns.push(this.withChanges(column, sliceRows(base.current, start, start + length), 0));
    }
    return columns;
  }

  private async projected(
    column: RowSetColumn,
    from: number,
    length: number,
    positions: Uint32Array | undefined,
    known: ReadonlyMap<number, ColumnBatch>,
  ): Promise<ColumnBatch> {
    const held = known.get(column.id);
    if (positions === undefined) {
      const batch = held ?? (await this.cells(column, from, from, from + length));
      return sliceRows(batch, 0, length);
    }
    if (held !== undefined) {
      return takeRows(held, positions);
    }
    const first = positions[0] as number;
    const end = (positions[positions.length - 1] as number) + 1;
    const batch = await this.cells(column, from, from + first, from + end);
    if (positions.length === end - first) {
      return batch;
    }
    const own = positions.map((position) => position - first);
    return takeRows(batch, own);
  }

  /** Cells of rows `start` to `end` (exclusive) with changes applied, in the batch that starts at row `from`. */
  private async cells(column: RowSetColumn, from: number, start: number, end: number): Promise<ColumnBatch> {
    const base = await (await this.column(column, false)).read(start, end);
    return this.withChanges(column, base, start - from);
  }

  /** @param offset position of the first cell in the range of the merged changes */
  private withChanges(column: RowSetColumn, cells: ColumnBatch, offset: number): ColumnBatch {
    const { deltas, settings } = this;
    if (deltas === undefined) {
      return cells;
    }
    return deltas.patched(column, cells, offset, settings.arena?.part(column.id).part(PATCHED));
  }

  private async column(column: RowSetColumn, isWhole: boolean): Promise<BaseColumn> {
    const held = this.columns.get(column.id);
    if (held !== undefined) {
      return held;
    }
    const { settings } = this;
    const options = { ...settings, isWhole, arena: settings.arena?.part(column.id) };
    const opened = await openBaseColumn(this.parts, column, options);
    this.columns.set(column.id, opened);
    return opened;
  }

  private freshMarks(length: number, deltas: DeltaMerger | undefined): Uint8Array {
    if (this.marks.length < length) {
      this.marks = new Uint8Array(length);
    }
    const { marks } = this;
    marks.fill(1, 0, length);
    if (deltas !== undefined && deltas.deadCount > 0) {
      const { dead } = deltas;
      for (let i = 0; i < length; i++) {
        marks[i] = 1 - (dead[i] as number);
      }
    }
    return marks;
  }
}
