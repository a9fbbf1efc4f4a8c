/**
 * Scanning a row set (docs/spec/diskrowset.md#7-scan). What can be decided without reading is decided first: keys by the key
 * index, a single key by the Bloom file. Then, batch by batch: changes, conditions one column after the other, and only for
 * rows that are left the other columns.
 */
import type { MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows, type TableBatch, takeRows } from "@cfile/encodings/batches";
import { ConditionTest, checkConditions, markedPositions } from "@cfile/encodings/conditions";
import type { DeltaMerger } from "../delta/delta-merger.js";
import { keyConditions, type RowSetCondition } from "../keys/key-conditions.js";
import type { KeyIndex } from "../keys/key-index.js";
import type { EncodedRange } from "../keys/row-key.js";
import { columnsNamed } from "../schema/named-columns.js";
import type { RowSetColumn } from "../schema/schema.js";
import { type BaseColumn, openBaseColumn } from "./base-column.js";
import type { RowSetParts } from "./row-set-parts.js";
import { checkAsOf, checkBatchRows, checkLimit, checkOrder, type RowScanOptions } from "./scan-options.js";

export interface ScannedRowSet {
  readonly parts: RowSetParts;
  readonly index: KeyIndex;
  /** Whether the row set may have the key. */
  readonly mayContain: (key: Uint8Array, signal: AbortSignal | undefined) => Promise<boolean>;
}

/** How many batches may be where one would do, when they end with blocks: putting blocks together costs more. */
const MOST_BATCHES = 32;

/** The part of a column's arena that cells go to which changes were put into. */
const PATCHED = "patched";

interface RowRange {
  readonly from: number;
  readonly to: number;
}

export async function* scanRowSet(
  rowSet: ScannedRowSet,
  options: RowScanOptions,
): AsyncGenerator<TableBatch, void, void> {
  const { parts, index } = rowSet;
  const { schema } = parts;
  const { arena, signal } = options;
  const asOf = checkAsOf(options.asOf);
  const batchRows = checkBatchRows(options.batchRows);
  checkOrder(options.order);
  let left = checkLimit(options.limit);
  const projection = columnsNamed(schema, options.columns);
  const ofKeys = keyConditions(schema, options.keys ?? {}, checkConditions(options.where, schema.columns));
  const conditions = withoutTruisms(ofKeys.rest);
  if (conditions === undefined || left === 0) {
    return;
  }
  if (ofKeys.only !== undefined && !(await rowSet.mayContain(ofKeys.only, signal))) {
    return;
  }
  const found = await rowsOf(index, ofKeys.range, signal);
  const from = Math.max(found.from, options.rows?.from ?? 0);
  const to = Math.min(found.to, options.rows?.to ?? found.to);
  if (from >= to) {
    return;
  }
  const scan = new RowSetScan(parts, projection, conditions, {
    asOf,
    from,
    to,
    signal,
    arena,
  });
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

/** The rows whose keys lie in the range. */
async function rowsOf(
  index: KeyIndex,
  { from, to }: EncodedRange,
  signal: AbortSignal | undefined,
): Promise<RowRange> {
  const first = from === undefined ? 0 : (await index.lowerBound(from, { signal })).row;
  const end = to === undefined ? index.rowCount : (await index.lowerBound(to, { signal })).row;
  return { from: first, to: end };
}

/** Without conditions that every row fulfils; `undefined` when there is one that none can. */
function withoutTruisms(conditions: readonly RowSetCondition[]): RowSetCondition[] | undefined {
  const isImpossible = conditions.some(
    ({ op, column, operands }) =>
      (op === "isNull" && !column.nullable) || (op === "in" && operands.length === 0),
  );
  return isImpossible
    ? undefined
    : conditions.filter(({ op, column }) => op !== "isNotNull" || column.nullable);
}

interface ScanSettings extends RowRange {
  readonly asOf: bigint;
  readonly signal: AbortSignal | undefined;
  /** Each column has its part. */
  readonly arena: MemoryArena | undefined;
}

interface FilterColumn {
  readonly column: RowSetColumn;
  readonly tests: ConditionTest[];
}

class RowSetScan {
  private readonly parts: RowSetParts;
  private readonly projection: readonly RowSetColumn[];
  private readonly names: readonly string[];
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
    this.filters = filterColumns(conditions);
    this.settings = settings;
  }

  /** Opens what will be read whole; other columns wait until a row wants them. */
  async open(): Promise<void> {
    const [first] = this.filters;
    const wanted = [...new Set([...this.filters.map(({ column }) => column), ...this.projection])];
    this.deltas = await this.mergeDeltas(wanted);
    const whole = first === undefined ? [...new Set(this.projection)] : [first.column];
    await Promise.all(whole.map((column) => this.column(column, true)));
  }

  /** What changes make of the base data; `undefined` where there are none. */
  private async mergeDeltas(columns: readonly RowSetColumn[]): Promise<DeltaMerger | undefined> {
    const { parts, settings } = this;
    if (!parts.hasDeltas(settings.asOf)) {
      return undefined;
    }
    const { mergeDeltas } = await import("../delta/delta-merger.js");
    return mergeDeltas(parts, { ...settings, columns });
  }

  /** Where rows from `from` on, `to` at most, end best: with a block, so that its cells need not be copied. */
  async endOfBatch(from: number, to: number): Promise<number> {
    let end = to;
    for (const column of this.columns.values()) {
      const blockEnd = (await column.blockEnd(from)) ?? to;
      if (blockEnd < end && blockEnd - from >= (to - from) / MOST_BATCHES) {
        end = blockEnd;
      }
    }
    return end;
  }

  /** The wanted ones of rows `from` to `to`, at most `limit`; `undefined` when there are none. */
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
    const positions =
      marks === undefined || count === length ? undefined : markedPositions(marks, Math.min(count, limit));
    if (positions === undefined) {
      return this.assemble(from, Math.min(length, limit), undefined, known);
    }
    return this.assemble(from, length, positions, known);
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
    // A column may be wanted more than once, but is read once.
    const read = new Map<number, Promise<ColumnBatch>>();
    for (const column of this.projection) {
      if (!read.has(column.id)) {
        read.set(column.id, this.projected(column, from, length, positions, known));
      }
    }
    const columns = await Promise.all(this.projection.map(({ id }) => read.get(id) as Promise<ColumnBatch>));
    const { names } = this;
    if (positions === undefined) {
      return { length, firstRow: from, names, columns };
    }
    const rows = positions.map((position) => from + position);
    return { length: positions.length, firstRow: rows[0] ?? from, rows, names, columns };
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
    return positions.length === end - first
      ? batch
      : takeRows(
          batch,
          positions.map((position) => position - first),
        );
  }

  /** Cells of rows `start` to `end`, changes included, which are those of a range that begins at `from`. */
  private async cells(column: RowSetColumn, from: number, start: number, end: number): Promise<ColumnBatch> {
    const base = await (await this.column(column, false)).read(start, end);
    const memory = this.settings.arena?.part(column.id).part(PATCHED);
    return this.deltas?.patched(column, base, start - from, memory) ?? base;
  }

  private async column(column: RowSetColumn, isWhole: boolean): Promise<BaseColumn> {
    const held = this.columns.get(column.id);
    if (held !== undefined) {
      return held;
    }
    const { from, to, signal, arena } = this.settings;
    const opened = await openBaseColumn(this.parts, column, {
      from,
      to,
      isWhole,
      arena: arena?.part(column.id),
      signal,
    });
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

/** The conditions by column, columns in the order in which they were named. */
function filterColumns(conditions: readonly RowSetCondition[]): FilterColumn[] {
  const filters = new Map<number, FilterColumn>();
  for (const condition of conditions) {
    const { column } = condition;
    const filter = filters.get(column.id) ?? { column, tests: [] };
    filter.tests.push(new ConditionTest(condition));
    filters.set(column.id, filter);
  }
  return [...filters.values()];
}
