/**
 * The changes of one row, tracked separately for whether the row is live and for each of its columns. In a snapshot at T, the last REDO
 * change before T counts; without one, the UNDO change at or after T that is applied last; without one, the base data
 * (docs/spec/deltafile.md#7-snapshot-semantics).
 */
import { withErrorContext } from "@cfile/bytes";
import type { MutatedCell } from "@cfile/deltafile";
import { appliedTimestamps, DELETE, decodeCell, MutationCursor, REINSERT } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "@cfile/format";
import type { DeltaPart, RowSetParts } from "../read/row-set-parts.js";
import type { RowSetColumn } from "../schema/schema.js";
import { checkMutation, mayAffect } from "./delta-merger.js";

interface Change<T> {
  readonly timestamp: bigint;
  readonly value: T;
}

/** The changes of one cell, or of whether the row is live. Queries must have ascending timestamps. */
class Track<T> {
  readonly undo: Change<T>[] = [];
  readonly redo: Change<T>[] = [];
  private undoEnd: number | undefined;
  /** Indexes of the REDO changes by timestamp; those before `redoNext` are before the last `asOf`. */
  private redoOrder: number[] | undefined;
  private redoNext = 0;
  private redoLast = -1;

  /** The change in effect at `asOf`; `undefined` for the base data. */
  at(asOf: bigint): Change<T> | undefined {
    const { redo, undo } = this;
    this.redoOrder ??= redo
      .map((_, i) => i)
      .sort((left, right) => ascending(redo[left]?.timestamp, redo[right]?.timestamp));
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
}

function ascending(left = 0n, right = 0n): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Queries must have ascending timestamps. */
export class RowTimeline {
  private readonly presence = new Track<boolean>();
  private readonly cells = new Map<number, Track<MutatedCell>>();
  private readonly columns: ReadonlyMap<number, RowSetColumn>;
  private readonly known = new Set<bigint>();

  private constructor(columns: readonly RowSetColumn[]) {
    this.columns = new Map(columns.map((column) => [column.id, column]));
  }

  /**
   * Reads the changes of a row.
   *
   * @param asOf the only timestamp that will be queried. Default: any
   * @throws {CFileError} with the path of the delta file
   */
  static async read(
    parts: RowSetParts,
    row: number,
    columns: readonly RowSetColumn[],
    { signal }: BlockReadOptions,
    asOf?: bigint,
  ): Promise<RowTimeline> {
    const timeline = new RowTimeline(columns);
    const { trustStatistics = true } = parts.options;
    const deltas = (await parts.deltas()).filter(
      ({ reader }) => asOf === undefined || !trustStatistics || mayAffect(reader.statistics, columns),
    );
    const changes = await Promise.all(
      deltas.map(async ({ kind, reader }) => {
        const timestamps = asOf === undefined ? {} : appliedTimestamps(kind, asOf);
        const batch = await reader.deltasOf(row, { timestamps, signal, trustStatistics });
        return { kind, batch, path: reader.path };
      }),
    );
    for (const { kind, batch, path } of changes) {
      withErrorContext({ path }, () => timeline.add(kind, batch));
    }
    return timeline;
  }

  /** All timestamps at which the row changes, ascending, each once. */
  get timestamps(): readonly bigint[] {
    return [...this.known].sort(ascending);
  }

  /** Whether the row is live at `asOf`. */
  isLive(asOf: bigint): boolean {
    return this.presence.at(asOf)?.value ?? true;
  }

  /** The cell at `asOf`; `undefined` when the base data apply. */
  cell(column: RowSetColumn, asOf: bigint, options: CellOptions): CellValue | undefined {
    const change = this.cells.get(column.id)?.at(asOf);
    return change && decodeCell(column, change.value, options);
  }

  private add(kind: DeltaPart["kind"], batch: DeltaBatch): void {
    const cursor = new MutationCursor();
    for (let i = 0; i < batch.length; i++) {
      const timestamp = batch.timestamps[i] as bigint;
      const type = batch.types[i];
      this.known.add(timestamp);
      if (type === DELETE || type === REINSERT) {
        this.presence[kind].push({ timestamp, value: type === REINSERT });
      }
      const mutations = cursor.reset(batch, i);
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
}
