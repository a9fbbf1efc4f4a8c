/**
 * Delta files that were made together with base files:
 *
 * | made by | blocks |
 * | --- | --- |
 * | flush, merge compaction | base files, UNDO, REDO; a file without entries leaves its block ID unused |
 * | major delta compaction | new files of the changed columns, then UNDO and REDO if they have entries |
 * | copy of a replica | columns, REDO files, UNDO files, Bloom file, ad-hoc index |
 */
import { guessDeltaKind, openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../blocks/problems.js";
import type { BaseFiles } from "./base-files.js";
import type { BlockOrder } from "./block-order.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** Delta files of a row set: UNDO newest first, REDO oldest first. */
export interface RowSetDeltas {
  readonly undo: readonly SurveyedBlock[];
  readonly redo: readonly SurveyedBlock[];
}

/** Columns that a major delta compaction made, and the delta files that it made with them. */
export interface CompactedColumns {
  readonly columns: readonly SurveyedBlock[];
  readonly deltas: readonly SurveyedBlock[];
}

/** Blocks of a flush, whose IDs are reserved, can be this far apart. */
export const FLUSH_MICROSECONDS = 100_000n;
/** On a fast disk, blocks that are committed together follow each other within this time. */
const COMMIT_MICROSECONDS = 300n;

/** The delta files that were written with base files; `undefined` if it is unclear which of them are REDO files. */
export async function deltasOfBase(base: BaseFiles, order: BlockOrder): Promise<RowSetDeltas | undefined> {
  if (base.copiedDeltas.length > 0) {
    return copiedDeltas(base);
  }
  const [undo, redo] = [order.at(base.end + 1n), order.at(base.end + 2n)];
  return {
    undo: undo !== undefined && (await isOfBase(undo, base, order, "undo")) ? [undo] : [],
    redo: redo !== undefined && (await isOfBase(redo, base, order, "redo")) ? [redo] : [],
  };
}

async function isOfBase(
  delta: SurveyedBlock,
  { key, rows, keyColumns, slots }: BaseFiles,
  order: BlockOrder,
  kind: "undo" | "redo",
): Promise<boolean> {
  const base = [key, ...keyColumns, ...slots.filter((slot) => slot !== undefined)];
  if (
    delta.kind !== "delta" ||
    !order.isFree(delta, key.id) ||
    !isSameCommit(delta, base, FLUSH_MICROSECONDS)
  ) {
    return false;
  }
  const reader = await openDeltaFile(delta.source, { cacheBytes: 0 });
  return (await reader.verify({ kind, rowCount: rows })).ok;
}

/** REDO files come first, oldest first; then UNDO files, newest first. */
async function copiedDeltas({ copiedDeltas: deltas }: BaseFiles): Promise<RowSetDeltas | undefined> {
  const kinds = await Promise.all(deltas.map(kindOf));
  const splits = [...Array(deltas.length + 1).keys()].filter(
    (split) =>
      kinds.every((kind, i) => kind === undefined || (kind === "redo") === i < split) &&
      isSorted(deltas.slice(0, split), 1) &&
      isSorted(deltas.slice(split), -1),
  );
  const [split, ...others] = splits;
  return split === undefined || others.length > 0
    ? undefined
    : { redo: deltas.slice(0, split), undo: deltas.slice(split) };
}

/** The kind of a delta file as far as its entries show. */
async function kindOf({ source }: SurveyedBlock): Promise<"undo" | "redo" | undefined> {
  const guess = await unlessDamaged(async () =>
    guessDeltaKind(await openDeltaFile(source, { cacheBytes: 0 })),
  );
  return guess?.kind;
}

/** @param direction 1: times ascend, -1: times descend */
function isSorted(deltas: readonly SurveyedBlock[], direction: 1 | -1): boolean {
  return deltas.every((delta, i) => {
    const [before, now] = [deltas[i - 1]?.deltas?.minTimestamp, delta.deltas?.minTimestamp];
    return before === undefined || now === undefined || (direction === 1 ? before <= now : before >= now);
  });
}

/** The columns that belong to no row set yet, in the groups in which they were made. */
export function compactedColumns(order: BlockOrder): readonly CompactedColumns[] {
  const runs: SurveyedBlock[][] = [];
  for (const column of order.free("column")) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const isNext = last?.order === column.order - 1n && last.rows === column.rows;
    if (run !== undefined && isNext && isSameCommit(column, run)) {
      run.push(column);
    } else {
      runs.push([column]);
    }
  }
  return runs.map((columns) => ({ columns, deltas: deltasAfter(columns, order) }));
}

function deltasAfter(columns: readonly SurveyedBlock[], order: BlockOrder): readonly SurveyedBlock[] {
  const last = columns.at(-1);
  const deltas: SurveyedBlock[] = [];
  for (let at = (last?.order ?? 0n) + 1n; deltas.length < 2; at++) {
    const block = order.at(at);
    if (block?.kind !== "delta" || !order.isFree(block) || !isSameCommit(block, columns)) {
      break;
    }
    deltas.push(block);
  }
  return deltas;
}

/** Whether a block was finished with the columns: not much later than they were among themselves. */
export function isSameCommit(
  { createdAt: at }: Pick<SurveyedBlock, "createdAt">,
  columns: readonly SurveyedBlock[],
  tolerance = COMMIT_MICROSECONDS,
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
