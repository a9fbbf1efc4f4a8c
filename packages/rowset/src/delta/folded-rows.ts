/**
 * The rows of a row set with all their changes folded in (docs/spec/deltafile.md#5-who-writes-which-change-types): their latest
 * cells, since when they are deleted, and what undoes every change, newest first.
 *
 * | in a REDO file | folded |
 * | --- | --- |
 * | UPDATE | the new cells in the row; UPDATE with the old ones to undo it |
 * | DELETE@d, last | the row is deleted since d |
 * | DELETE@d, then REINSERT@r | DELETE@r to undo the second, then REINSERT@d with the old cells to undo the first |
 *
 * What UNDO files hold follows behind.
 */
import { corrupt } from "@cfile/bytes";
import type { ChangeType } from "@cfile/deltafile";
import { DELETE, MutationBuilder, MutationCursor, REINSERT, UPDATE } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { ColumnBatch } from "@cfile/encodings";
import { encodeRowKeys, type RowKeys } from "../keys/row-keys.js";
import { type BaseColumn, openBaseColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import type { RowSetColumn } from "../schema/schema.js";
import { CellPatches } from "./cell-patches.js";
import { DeltaCursor } from "./delta-cursor.js";
import { checkMutation } from "./delta-merger.js";
import { patchColumn } from "./patch-column.js";
import { storedCell } from "./stored-cell.js";

/** What undoes a change of a row. */
export interface UndoEntry {
  readonly timestamp: bigint;
  readonly type: ChangeType;
  readonly mutations: Uint8Array;
}

/** Some consecutive rows. */
export interface FoldedBatch {
  readonly keys: RowKeys;
  /** In the order of the schema. */
  readonly columns: readonly ColumnBatch[];
  /** When rows were deleted that are, by position. */
  readonly deletedAt: ReadonlyMap<number, bigint>;
  /** By position, newest first. */
  readonly undo: ReadonlyMap<number, readonly UndoEntry[]>;
}

const NO_MUTATIONS = /* @__PURE__ */ new Uint8Array(0);

interface PatchedColumn {
  readonly column: RowSetColumn;
  readonly source: BaseColumn;
  readonly patches: CellPatches;
  base: ColumnBatch | undefined;
}

export class FoldedRows {
  readonly rowCount: number;
  private readonly parts: RowSetParts;
  private readonly columns: readonly PatchedColumn[];
  private readonly byId: ReadonlyMap<number, PatchedColumn>;
  private readonly undoFiles: readonly DeltaCursor[];
  private readonly redoFiles: readonly DeltaCursor[];
  private readonly mutations = new MutationCursor();
  private readonly builder = new MutationBuilder();
  private nextRow = 0;

  private constructor(
    parts: RowSetParts,
    rowCount: number,
    columns: readonly PatchedColumn[],
    cursors: { readonly undo: readonly DeltaCursor[]; readonly redo: readonly DeltaCursor[] },
  ) {
    this.parts = parts;
    this.rowCount = rowCount;
    this.columns = columns;
    this.byId = new Map(columns.map((entry) => [entry.column.id, entry]));
    this.undoFiles = cursors.undo;
    this.redoFiles = cursors.redo;
  }

  /** @param historyStart what undoes changes before this timestamp is left out */
  static async open(parts: RowSetParts, historyStart: bigint): Promise<FoldedRows> {
    const { rowCount } = await parts.keyFile();
    const columns: PatchedColumn[] = [];
    for (const column of parts.schema.columns) {
      const options = { from: 0, to: rowCount, isWhole: true, signal: undefined };
      const source = await openBaseColumn(parts, column, options);
      columns.push({ column, source, patches: new CellPatches(), base: undefined });
    }
    const deltas = await parts.deltas();
    const cursors = (kind: "undo" | "redo", from: bigint): DeltaCursor[] =>
      deltas
        .filter((part) => part.kind === kind)
        .map((part) => new DeltaCursor(part, { timestamps: { from }, trustStatistics: false }));
    return new FoldedRows(parts, rowCount, columns, {
      undo: cursors("undo", historyStart),
      redo: cursors("redo", 0n),
    });
  }

  /** The next rows, at most `most`; `undefined` behind the last one. */
  async next(most: number): Promise<FoldedBatch | undefined> {
    const from = this.nextRow;
    const to = Math.min(this.rowCount, from + most);
    if (from === to) {
      return undefined;
    }
    this.nextRow = to;
    for (const column of this.columns) {
      column.base = await column.source.read(from, to);
      column.patches.reset(to - from);
    }
    const chains = new Map<number, UndoEntry[]>();
    for (const cursor of this.redoFiles) {
      await cursor.takeRows(from, to, (batch, index) => {
        this.fold(batch, index, (batch.rows[index] as number) - from, chains);
      });
    }
    const deletedAt = endOfChains(chains);
    for (const cursor of this.undoFiles) {
      await cursor.takeRows(from, to, (batch, index) => {
        chainOf(chains, (batch.rows[index] as number) - from).push({
          timestamp: batch.timestamps[index] as bigint,
          type: batch.types[index] as ChangeType,
          mutations: batch.data.slice(batch.offsets[index], batch.offsets[index + 1]),
        });
      });
    }
    const columns = this.columns.flatMap(({ base, patches }) => (base ? [patchColumn(base, patches)] : []));
    const keys = encodeRowKeys(columns.slice(0, this.parts.keyColumns.length));
    return { keys, columns, deletedAt, undo: chains };
  }

  async close(): Promise<void> {
    await Promise.allSettled([
      ...this.columns.map(({ source }) => source.close()),
      ...this.undoFiles.map((cursor) => cursor.close()),
      ...this.redoFiles.map((cursor) => cursor.close()),
    ]);
  }

  /** Applies a REDO entry, and puts what undoes it at the end of the row's chain. */
  private fold(batch: DeltaBatch, index: number, position: number, chains: Map<number, UndoEntry[]>): void {
    const chain = chainOf(chains, position);
    const timestamp = batch.timestamps[index] as bigint;
    const type = batch.types[index] as ChangeType;
    const last = chain.at(-1);
    if ((type === REINSERT) !== (last?.type === REINSERT)) {
      throw corrupt(
        `a change of row ${batch.rows[index]} at ${timestamp} that makes no sense after the one before`,
        {
          field: "timestamp",
        },
      );
    }
    if (type === DELETE) {
      chain.push({ timestamp, type: REINSERT, mutations: NO_MUTATIONS });
      return;
    }
    const old = this.replaceCells(batch, index, position);
    if (type === REINSERT && last !== undefined) {
      chain[chain.length - 1] = { ...last, mutations: old };
      chain.push({ timestamp, type: DELETE, mutations: NO_MUTATIONS });
    } else {
      chain.push({ timestamp, type: UPDATE, mutations: old });
    }
  }

  /** Applies an entry's mutations; gives those that undo them. */
  private replaceCells(batch: DeltaBatch, index: number, position: number): Uint8Array {
    const { builder } = this;
    const mutations = this.mutations.reset(batch, index);
    const replaced = new Set<number>();
    builder.clear();
    while (mutations.next()) {
      const known = this.byId.get(mutations.columnId);
      if (known?.base !== undefined) {
        checkMutation(known.column, mutations);
        // Of a column that is there twice, the last one counts, and the first one has replaced what was there.
        if (!replaced.has(mutations.columnId)) {
          builder.set(mutations.columnId, currentCell(known.base, known.patches, position));
          replaced.add(mutations.columnId);
        }
        known.patches.set(position, mutations);
      }
    }
    return builder.finish();
  }
}

function chainOf(chains: Map<number, UndoEntry[]>, position: number): UndoEntry[] {
  let chain = chains.get(position);
  if (chain === undefined) {
    chain = [];
    chains.set(position, chain);
  }
  return chain;
}

function currentCell(base: ColumnBatch, patches: CellPatches, position: number): Uint8Array | null {
  const patch = patches.find(position);
  if (patch < 0) {
    return storedCell(base, position);
  }
  const end = patches.ends[patch] as number;
  return end === -1 ? null : (patches.data[patch]?.subarray(patches.starts[patch], end) ?? null);
}

/** Turns the chains newest first; a DELETE that nothing came after is no history, but what the row is now. */
function endOfChains(chains: Map<number, UndoEntry[]>): Map<number, bigint> {
  const deletedAt = new Map<number, bigint>();
  for (const [position, chain] of chains) {
    const last = chain.at(-1);
    if (last?.type === REINSERT) {
      deletedAt.set(position, last.timestamp);
      chain.pop();
    }
    chain.reverse();
  }
  return deletedAt;
}
