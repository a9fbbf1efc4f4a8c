/**
 * The changes of one row by what they change: whether the row is there, and each of its columns. At a timestamp T, what counts is
 * the last REDO change before T; without one, the UNDO change at or after T that is applied last; without one, the base data
 * (docs/spec/deltafile.md#7-snapshot-semantics).
 */
import { isCFileError } from "@cfile/bytes";
import type { MutatedCell } from "@cfile/deltafile";
import { appliedTimestamps, DELETE, decodeCell, MutationCursor, REINSERT } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "@cfile/format";
import type { DeltaPart, RowSetParts } from "../read/row-set-parts.js";
import type { RowSetColumn } from "../schema/schema.js";
import { checkMutation, mayMatter } from "./delta-merger.js";

interface Change<T> {
  readonly timestamp: bigint;
  readonly value: T;
}

/** The changes of one thing; timestamps asked for may only grow. */
class Track<T> {
  readonly undo: Change<T>[] = [];
  readonly redo: Change<T>[] = [];
  private undoEnd: number | undefined;
  /** Numbers of the REDO changes by timestamp, those before the last `asOf` first. */
  private redoOrder: number[] | undefined;
  private redoNext = 0;
  private redoLast = -1;

  /** What it is at `asOf`; `undefined` for what the base data say. */
  at(asOf: bigint): Change<T> | undefined {
    const { redo, undo } = this;
    this.redoOrder ??= redo.map((_, i) => i).sort((left, right) => this.compare(left, right));
    const order = this.redoOrder;
    for (; this.redoNext < order.length; this.redoNext++) {
      const next = order[this.redoNext] as number;
      if ((redo[next] as Change<T>).timestamp >= asOf) {
        break;
      }
      this.redoLast = Math.max(this.redoLast, next);
    }
    if (this.redoLast >= 0) {
      return redo[this.redoLast];
    }
    let end = this.undoEnd ?? undo.length;
    while (end > 0 && (undo[end - 1] as Change<T>).timestamp < asOf) {
      end--;
    }
    this.undoEnd = end;
    return undo[end - 1];
  }

  private compare(left: number, right: number): number {
    const a = (this.redo[left] as Change<T>).timestamp;
    const b = (this.redo[right] as Change<T>).timestamp;
    return a < b ? -1 : a > b ? 1 : 0;
  }
}

export class RowTimeline {
  /** All timestamps at which something changes, ascending, each once. */
  readonly timestamps: readonly bigint[];
  private readonly presence: Track<boolean>;
  private readonly cells: ReadonlyMap<number, Track<MutatedCell>>;

  private constructor(
    timestamps: readonly bigint[],
    presence: Track<boolean>,
    cells: ReadonlyMap<number, Track<MutatedCell>>,
  ) {
    this.timestamps = timestamps;
    this.presence = presence;
    this.cells = cells;
  }

  /**
   * Reads the changes of a row.
   *
   * @param asOf what is applied for this state alone; other timestamps must then not be asked for. Default: all changes
   * @throws CFileError with the path of the delta file
   */
  static async read(
    parts: RowSetParts,
    row: number,
    columns: readonly RowSetColumn[],
    { signal }: BlockReadOptions,
    asOf?: bigint,
  ): Promise<RowTimeline> {
    const builder = new TimelineBuilder(columns);
    const { trustStatistics = true } = parts.options;
    const deltas = (await parts.deltas()).filter(
      ({ reader }) => asOf === undefined || !trustStatistics || mayMatter(reader.statistics, columns),
    );
    const batches = await Promise.all(
      deltas.map(({ kind, reader }) => {
        const timestamps = asOf === undefined ? {} : appliedTimestamps(kind, asOf);
        return reader.deltasOf(row, { timestamps, signal, trustStatistics });
      }),
    );
    deltas.forEach((part, i) => {
      builder.add(part, batches[i] as DeltaBatch);
    });
    const { presence, cells } = builder;
    return new RowTimeline(builder.timestamps(), presence, cells);
  }

  /** Whether the row is there at `asOf`. Timestamps asked for may only grow. */
  isAlive(asOf: bigint): boolean {
    return this.presence.at(asOf)?.value ?? true;
  }

  /** The cell at `asOf`; `undefined` for that of the base data. Timestamps asked for may only grow. */
  cell(column: RowSetColumn, asOf: bigint, options: CellOptions): CellValue | undefined {
    const change = this.cells.get(column.id)?.at(asOf);
    return change && decodeCell(column, change.value, options);
  }
}

class TimelineBuilder {
  readonly presence = new Track<boolean>();
  readonly cells = new Map<number, Track<MutatedCell>>();
  private readonly columns: Map<number, RowSetColumn>;
  private readonly known = new Set<bigint>();
  private readonly mutations = new MutationCursor();

  constructor(columns: readonly RowSetColumn[]) {
    this.columns = new Map(columns.map((column) => [column.id, column]));
  }

  add({ kind, reader }: DeltaPart, batch: DeltaBatch): void {
    try {
      for (let i = 0; i < batch.length; i++) {
        const timestamp = batch.timestamps[i] as bigint;
        const type = batch.types[i];
        this.known.add(timestamp);
        if (type === DELETE || type === REINSERT) {
          this.presence[kind].push({ timestamp, value: type === REINSERT });
        }
        this.addCells(batch, i, kind, timestamp);
      }
    } catch (error) {
      throw isCFileError(error) ? error.within({ path: reader.path }) : error;
    }
  }

  timestamps(): bigint[] {
    return [...this.known].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  }

  private addCells(batch: DeltaBatch, index: number, kind: DeltaPart["kind"], timestamp: bigint): void {
    const mutations = this.mutations.reset(batch, index);
    while (mutations.next()) {
      const column = this.columns.get(mutations.columnId);
      if (column !== undefined) {
        checkMutation(column, mutations);
        const { isNull, data, start, end } = mutations;
        const track = this.cells.get(column.id) ?? new Track<MutatedCell>();
        this.cells.set(column.id, track);
        track[kind].push({ timestamp, value: { isNull, data, start, end } });
      }
    }
  }
}
