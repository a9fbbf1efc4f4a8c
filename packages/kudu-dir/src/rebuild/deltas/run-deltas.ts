/**
 * Delta files that were made together with base files:
 *
 * | made by | blocks |
 * | --- | --- |
 * | flush, merge compaction | base files, UNDO, REDO; a file without entries leaves its block ID unused |
 * | major delta compaction | new files of the changed columns, then UNDO and REDO if they have entries |
 * | copy of a replica | columns, REDO files, UNDO files, Bloom file, ad-hoc index |
 *
 * From Kudu 1.15 on, the row sets of a replica are copied in parallel, and their blocks are interleaved.
 */
import type { DeltaKind } from "@cfile/deltafile";
import { guessDeltaKind, openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../../blocks/problems.js";
import type { BaseFiles } from "../columns/base-files.js";
import type { BlockOrder } from "../columns/block-order.js";
import { isDelta, type SurveyedBlock, type SurveyedDelta } from "../survey-blocks.js";
import { hasOnlyRowsOf, isHistory } from "./row-history.js";

/** A delta file whose owner and kind do not follow from its position alone. */
export interface NearbyDelta {
  readonly block: SurveyedDelta;
  /** Its possible kinds if it belongs to the row set. */
  readonly kinds: readonly DeltaKind[];
  /** Whether it certainly belongs to the row set. */
  readonly isOwn: boolean;
}

/** Delta files of a row set, by their position: UNDO newest first, REDO oldest first. */
export interface RowSetDeltas {
  readonly undo: readonly SurveyedDelta[];
  readonly redo: readonly SurveyedDelta[];
  readonly nearby: readonly NearbyDelta[];
}

/** Columns that a major delta compaction made, and the delta files that it made with them. */
export interface CompactedColumns {
  readonly columns: readonly [SurveyedBlock, ...SurveyedBlock[]];
  readonly last: SurveyedBlock;
  readonly deltas: readonly SurveyedDelta[];
}

/** Maximum time between blocks of a flush, whose IDs are reserved. */
const FLUSH_MICROSECONDS = 100_000n;
/** Maximum time between blocks that are committed together, on a fast disk. */
const COMMIT_MICROSECONDS = 300n;

/**
 * The delta files that were written with base files, or copied with them.
 *
 * @param bases the base files of all row sets
 */
export async function deltasOfBase(
  base: BaseFiles,
  order: BlockOrder,
  bases: readonly BaseFiles[],
): Promise<RowSetDeltas> {
  const [undo, redo] = [order.at(base.end + 1n), order.at(base.end + 2n)];
  const isUndo = isDelta(undo) && (await isOfBase(undo, base, order, "undo"));
  const isRedo = isDelta(redo) && isGhosts(redo) && (await isOfBase(redo, base, order, "redo"));
  const isFlushed = isUndo ? isWrittenWith(undo, base) : isRedo && isCommittedWith(redo, base);
  const isCopied = base.copiedDeltas.length > 0;
  // Delta files of a row set that was finished meanwhile may be here.
  const isShared = bases.some((other) => other !== base && base.start < other.end && other.end < base.end);
  if (isFlushed && !isCopied && !isShared) {
    return { undo: isUndo ? [undo] : [], redo: isRedo ? [redo] : [], nearby: [] };
  }
  if (isCopied && !base.isMixed && !isFlushed) {
    return await copiedDeltas(base);
  }
  const between = base.isMixed ? deltasBetween(base, order) : base.copiedDeltas;
  return {
    undo: [],
    redo: [],
    nearby: [
      ...(isUndo ? [{ block: undo, kinds: ["undo"] as const, isOwn: false }] : []),
      ...(isRedo ? [{ block: redo, kinds: ["redo"] as const, isOwn: false }] : []),
      ...between.map((block) => ({ block, kinds: ["undo", "redo"] as const, isOwn: false })),
    ],
  };
}

function deltasBetween({ start, end }: BaseFiles, order: BlockOrder): readonly SurveyedDelta[] {
  return order.freeDeltas().filter((block) => block.order > start && block.order < end);
}

async function isOfBase(
  delta: SurveyedDelta,
  base: BaseFiles,
  order: BlockOrder,
  kind: DeltaKind,
): Promise<boolean> {
  if (!order.isFree(delta, base.id) || !isSameCommit(delta, blocksOf(base), FLUSH_MICROSECONDS)) {
    return false;
  }
  const reader = await openDeltaFile(delta.source, { cacheBytes: 0 });
  return (await reader.verify({ kind, rowCount: base.rows })).ok;
}

/** Whether an UNDO file has the inserts of all rows, or at least the time of the base files. */
function isWrittenWith(undo: SurveyedDelta, base: BaseFiles): boolean {
  const { deleteCount, reinsertCount } = undo.deltas;
  return deleteCount - reinsertCount === base.rows || isCommittedWith(undo, base);
}

function isCommittedWith(delta: SurveyedBlock, base: BaseFiles): boolean {
  return delta.createdAt !== undefined && isSameCommit(delta, blocksOf(base), COMMIT_MICROSECONDS);
}

/** A flush makes REDO files only for rows that were deleted before. */
function isGhosts({ deltas }: SurveyedDelta): boolean {
  return deltas.reinsertCount === 0 && deltas.updateCounts.size === 0;
}

function blocksOf({ key, keyColumns, slots }: BaseFiles): readonly SurveyedBlock[] {
  return [key, ...keyColumns, ...slots.filter((slot) => slot !== undefined)];
}

/** REDO files come first, oldest first; then UNDO files, newest first. */
async function copiedDeltas({ copiedDeltas: deltas, rows }: BaseFiles): Promise<RowSetDeltas> {
  const areOwn = (await Promise.all(deltas.map((delta) => hasOnlyRowsOf(delta, rows)))).every(Boolean);
  const kinds = await Promise.all(deltas.map(kindOf));
  const splits: number[] = [];
  for (let split = 0; split <= deltas.length; split++) {
    const [redo, undo] = [deltas.slice(0, split), deltas.slice(split)];
    const isPossible =
      areOwn &&
      kinds.every((kind, i) => kind === undefined || (kind === "redo") === i < split) &&
      isSorted(redo) &&
      isSorted(undo.toReversed());
    if (isPossible && (await isHistory(redo)) && (await isHistory(undo))) {
      splits.push(split);
    }
  }
  const [split, ...others] = splits;
  if (split !== undefined && others.length === 0) {
    return { redo: deltas.slice(0, split), undo: deltas.slice(split), nearby: [] };
  }
  const kindsAt = (i: number): readonly DeltaKind[] =>
    split === undefined
      ? ["undo", "redo"]
      : [...new Set(splits.map((one) => (i < one ? ("redo" as const) : ("undo" as const))))];
  const nearby = deltas.map((block, i) => ({ block, kinds: kindsAt(i), isOwn: split !== undefined }));
  return { undo: [], redo: [], nearby };
}

/** The kind of a delta file, if its entries show it. */
async function kindOf({ source }: SurveyedBlock): Promise<DeltaKind | undefined> {
  const guess = await unlessDamaged(async () =>
    guessDeltaKind(await openDeltaFile(source, { cacheBytes: 0 })),
  );
  return guess?.reason === "timestamps" ? guess.kind : undefined;
}

/** Whether the times ascend. */
function isSorted(files: readonly SurveyedDelta[]): boolean {
  let last = 0n;
  return files.every(({ deltas }) => {
    const isLater = deltas.minTimestamp >= last;
    last = deltas.minTimestamp;
    return isLater;
  });
}

/** The columns that belong to no row set yet, grouped as they were made. */
export async function compactedColumns(order: BlockOrder): Promise<readonly CompactedColumns[]> {
  const runs: { readonly columns: [SurveyedBlock, ...SurveyedBlock[]]; last: SurveyedBlock }[] = [];
  for (const column of order.free("column")) {
    const run = runs.at(-1);
    const isNext = run?.last.order === column.order - 1n && run.last.rows === column.rows;
    if (run !== undefined && isNext && isSameCommit(column, run.columns, COMMIT_MICROSECONDS)) {
      run.columns.push(column);
      run.last = column;
    } else {
      runs.push({ columns: [column], last: column });
    }
  }
  return await Promise.all(runs.map(async (run) => ({ ...run, deltas: await deltasAfter(run, order) })));
}

async function deltasAfter(
  { columns, last }: Omit<CompactedColumns, "deltas">,
  order: BlockOrder,
): Promise<readonly SurveyedDelta[]> {
  const deltas: SurveyedDelta[] = [];
  // Without times, the second one may belong to any flush.
  const most = last.createdAt === undefined ? 1 : 2;
  for (let at = last.order + 1n; deltas.length < most; at++) {
    const block = order.at(at);
    if (
      !isDelta(block) ||
      !order.isFree(block) ||
      !isSameCommit(block, columns, COMMIT_MICROSECONDS) ||
      !(await hasOnlyRowsOf(block, last.rows))
    ) {
      break;
    }
    deltas.push(block);
  }
  return deltas;
}

/** Whether a block was finished with the columns: about as close to them in time as they are to each other. */
function isSameCommit(
  { createdAt: at }: Pick<SurveyedBlock, "createdAt">,
  columns: readonly SurveyedBlock[],
  tolerance: bigint,
): boolean {
  const times = columns.flatMap(({ createdAt }) => createdAt ?? []);
  if (at === undefined || times.length === 0) {
    return true;
  }
  const first = times.reduce((left, right) => (left < right ? left : right));
  const last = times.reduce((left, right) => (left > right ? left : right));
  const perBlock = times.length > 1 ? (last - first) / BigInt(times.length - 1) : 0n;
  const slack = 4n * perBlock > tolerance ? 4n * perBlock : tolerance;
  return at >= first - slack && at <= last + slack;
}
