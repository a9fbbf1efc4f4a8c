/**
 * The rows of a row set with all changes folded in (docs/spec/deltafile.md#5-who-writes-which-change-types). They have the latest
 * cells, the deletion timestamps of deleted rows, and the entries that undo every change, newest first.
 *
 * | in a REDO file | folded |
 * | --- | --- |
 * | UPDATE | the new cells in the row; UPDATE with the old ones to undo it |
 * | DELETE@d, last | the row is deleted since d |
 * | DELETE@d, then REINSERT@r | DELETE@r to undo the second, then REINSERT@d with the old cells to undo the first |
 *
 * The entries of UNDO files follow.
 */
import { corrupt } from "@cfile/bytes";
import type { ChangeType, DeltaKind } from "@cfile/deltafile";
import { DELETE, encodeBatchCell, MutationBuilder, MutationCursor, REINSERT, UPDATE } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { ColumnBatch } from "@cfile/encodings";
import { encodeRowKeys } from "../keys/row-keys.js";
import type { SortedBatch } from "../merge/sorted-sources.js";
import { type BaseColumn, openBaseColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import type { RowSetColumn } from "../schema/schema.js";
import { CellPatches } from "./cell-patches.js";
import { DeltaCursor } from "./delta-cursor.js";
import { checkMutation } from "./delta-merger.js";
import { patchColumn } from "./patch-column.js";

/** An entry that undoes a change of a row. */
export interface UndoEntry {
  readonly timestamp: bigint;
  readonly type: ChangeType;
  readonly mutations: Uint8Array;
}

/** Consecutive rows; columns in schema order. */
export interface FoldedBatch extends SortedBatch {
  /** Deletion timestamps by position of deleted rows. */
  readonly deletedAt: ReadonlyMap<number, bigint>;
  /** By position: the entries that undo changes, newest first. */
  readonly undo: ReadonlyMap<number, readonly UndoEntry[]>;
}

const NO_MUTATIONS = /* @__PURE__ */ new Uint8Array(0);

interface PatchedColumn {
  readonly column: RowSetColumn;
  readonly source: BaseColumn;
  readonly patches: CellPatches;
  base: ColumnBatch | undefined;
}

/** Undo entries by position, oldest first while REDO entries are folded, then newest first. */
type Chains = Map<number, UndoEntry[]>;

export class FoldedRows {
  private readonly rowCount: number;
  private readonly keyCount: number;
  private readonly columns: readonly PatchedColumn[];
  private readonly byId: ReadonlyMap<number, PatchedColumn>;
  private readonly cursors: Readonly<Record<DeltaKind, readonly DeltaCursor[]>>;
  private readonly mutations = new MutationCursor();
  private readonly builder = new MutationBuilder();
  private nextRow = 0;

  private constructor(
    rowCount: number,
    columns: readonly PatchedColumn[],
    cursors: Readonly<Record<DeltaKind, readonly DeltaCursor[]>>,
  ) {
    this.rowCount = rowCount;
    this.keyCount = columns.filter(({ column }) => column.isKey).length;
    this.columns = columns;
    this.byId = new Map(columns.map((entry) => [entry.column.id, entry]));
    this.cursors = cursors;
  }

  /** @param historyStart entries of UNDO files before this timestamp are dropped */
  static async open(parts: RowSetParts, historyStart: bigint): Promise<FoldedRows> {
    const { rowCount } = await parts.keyFile();
    const columns: PatchedColumn[] = [];
    for (const column of parts.schema.columns) {
      const options = { from: 0, to: rowCount, isWhole: true, signal: undefined };
      const source = await openBaseColumn(parts, column, options);
      columns.push({ column, source, patches: new CellPatches(), base: undefined });
    }
    const cursorsOf = async (kind: DeltaKind, from: bigint): Promise<DeltaCursor[]> =>
      (await parts.deltasOf(kind)).map(
        (part) => new DeltaCursor(part, { timestamps: { from }, trustStatistics: false }),
      );
    return new FoldedRows(rowCount, columns, {
      undo: await cursorsOf("undo", historyStart),
      redo: await cursorsOf("redo", 0n),
    });
  }

  /** The next rows, at most `maximum`; `undefined` after the last one. */
  async next(maximum: number): Promise<FoldedBatch | undefined> {
    const from = this.nextRow;
    const to = Math.min(this.rowCount, from + maximum);
    if (from === to) {
      return undefined;
    }
    this.nextRow = to;
    for (const column of this.columns) {
      column.base = await column.source.read(from, to);
      column.patches.reset(to - from);
    }
    const chains: Chains = new Map();
    for (const cursor of this.cursors.redo) {
      await cursor.takeRows(from, to, (batch, index) => {
        this.fold(batch, index, chainOf(chains, (batch.rows[index] as number) - from), from);
      });
    }
    const deletedAt = endChains(chains);
    for (const cursor of this.cursors.undo) {
      await cursor.takeRows(from, to, (batch, index) => {
        chainOf(chains, (batch.rows[index] as number) - from).push({
          timestamp: batch.timestamps[index] as bigint,
          type: batch.types[index] as ChangeType,
          mutations: batch.data.slice(batch.offsets[index], batch.offsets[index + 1]),
        });
      });
    }
    const columns = this.columns.flatMap(({ base, patches }) => (base ? [patchColumn(base, patches)] : []));
    const keys = encodeRowKeys(columns.slice(0, this.keyCount));
    return { keys, columns, deletedAt, undo: chains };
  }

  async close(): Promise<void> {
    const sources = [...this.columns.map(({ source }) => source), ...this.cursors.undo, ...this.cursors.redo];
    await Promise.allSettled(sources.map((source) => source.close()));
  }

  /** Applies a REDO entry of a row, and appends the entry that undoes it to the row's chain. */
  private fold(batch: DeltaBatch, index: number, chain: UndoEntry[], from: number): void {
    const row = batch.rows[index] as number;
    const timestamp = batch.timestamps[index] as bigint;
    const type = batch.types[index] as ChangeType;
    const last = chain.at(-1);
    if ((type === REINSERT) !== (last?.type === REINSERT)) {
      throw corrupt(`change of row ${row} at ${timestamp} does not fit the previous change`, {
        field: "timestamp",
      });
    }
    if (type === DELETE) {
      chain.push({ timestamp, type: REINSERT, mutations: NO_MUTATIONS });
      return;
    }
    const old = this.replaceCells(batch, index, row - from);
    if (type === REINSERT && last !== undefined) {
      chain[chain.length - 1] = { ...last, mutations: old };
      chain.push({ timestamp, type: DELETE, mutations: NO_MUTATIONS });
    } else {
      chain.push({ timestamp, type: UPDATE, mutations: old });
    }
  }

  /** Applies the mutations of an entry; returns the mutations that undo them. */
  private replaceCells(batch: DeltaBatch, index: number, position: number): Uint8Array {
    const { builder } = this;
    const mutations = this.mutations.reset(batch, index);
    const replaced = new Set<number>();
    builder.clear();
    while (mutations.next()) {
      const known = this.byId.get(mutations.columnId);
      if (known?.base !== undefined) {
        checkMutation(known.column, mutations);
        // If an entry has a column twice, the last value wins; only the first one replaced the old value.
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

function chainOf(chains: Chains, position: number): UndoEntry[] {
  const chain = chains.get(position) ?? [];
  chains.set(position, chain);
  return chain;
}

function currentCell(base: ColumnBatch, patches: CellPatches, position: number): Uint8Array | null {
  const patch = patches.find(position);
  if (patch < 0) {
    return encodeBatchCell(base, position);
  }
  const end = patches.ends[patch] as number;
  return end === -1 ? null : (patches.data[patch]?.subarray(patches.starts[patch], end) ?? null);
}

/** Reverses chains to newest first. A DELETE at the end of a chain is not history: the row is still deleted. */
function endChains(chains: Chains): Map<number, bigint> {
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
