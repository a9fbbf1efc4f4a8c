/** Every row of the file in one list: the blocks that were kept, and between them what was lost, and why. */
import type { BlockLocation } from "@cfile/bytes";
import type { VerifyProblem } from "../../verify/verify.js";
import type { BlockClaim } from "../index-survey.js";
import { type BlockEntry, problem } from "./ledger.js";
import type { PlacedRows } from "./row-chain.js";

export interface KeptBlock extends PlacedRows {
  readonly movedFrom: number | undefined;
}

/** A block of which the place is known, but whose rows are lost. */
export interface LostBlock extends BlockClaim {
  /** Where the block itself could tell. */
  readonly rows: number | undefined;
  readonly problem: VerifyProblem;
}

export interface LedgerInput {
  /** In row order. */
  readonly kept: readonly KeptBlock[];
  readonly lost: readonly LostBlock[];
  /** Bytes that are part of nothing. */
  readonly unexplained: readonly BlockLocation[];
  /** Why a search in them ended. */
  readonly searchProblem: VerifyProblem | undefined;
  readonly rowsTotal: number | undefined;
  readonly verified: boolean;
}

/** @returns entries in row order; those of lost rows have no rows where nobody can tell how many */
export function rowLedger(input: LedgerInput): BlockEntry[] {
  const entries: BlockEntry[] = [];
  const lost = [...input.lost].sort((a, b) => a.offset - b.offset);
  let row = 0;
  let byte = Number.NEGATIVE_INFINITY;
  const upTo = (nextRow: number | undefined, nextByte: number): void => {
    const between = lost.filter(({ offset }) => offset >= byte && offset < nextByte);
    entries.push(...lostRows(input, between, { row, nextRow, byte, nextByte }));
  };
  for (const block of input.kept) {
    const { offset, size, firstRow, rows, movedFrom } = block;
    upTo(firstRow, offset);
    entries.push({
      block: { offset, size },
      firstRow,
      rows,
      state: "kept",
      verified: input.verified,
      problem: undefined,
      movedFrom,
    });
    row = firstRow + rows;
    byte = offset + size;
  }
  upTo(input.rowsTotal, Number.POSITIVE_INFINITY);
  return entries;
}

interface Gap {
  readonly row: number;
  readonly nextRow: number | undefined;
  readonly byte: number;
  readonly nextByte: number;
}

/** What was between two kept blocks. */
function lostRows(input: LedgerInput, between: readonly LostBlock[], gap: Gap): BlockEntry[] {
  const { row, nextRow } = gap;
  if (nextRow !== undefined && nextRow <= row) {
    return [];
  }
  const end = nextRow ?? Number.POSITIVE_INFINITY;
  const placed = withRows(between, row, end);
  if (placed.length === 0) {
    return unplaced(input, between, gap);
  }
  const entries: BlockEntry[] = [];
  const first = placed[0]?.firstRow ?? row;
  if (first > row) {
    entries.push(
      ...unplaced(input, [], { ...gap, nextRow: first, nextByte: placed[0]?.offset ?? gap.nextByte }),
    );
  }
  for (const [i, block] of placed.entries()) {
    const next = placed[i + 1]?.firstRow;
    const own = block.rows === undefined ? undefined : block.firstRow + block.rows;
    // Rows behind a block that tells its own number belong to something else.
    const until = Math.min(next ?? end, own ?? end);
    entries.push(
      lostEntry(
        block,
        block.firstRow,
        Number.isFinite(until) ? until - block.firstRow : undefined,
        block.problem,
      ),
    );
    const following = next ?? nextRow;
    if (Number.isFinite(until) && following !== undefined && following > until) {
      const nextByte = placed[i + 1]?.offset ?? gap.nextByte;
      entries.push(
        ...unplaced(input, [], { row: until, nextRow: following, byte: block.offset + block.size, nextByte }),
      );
    }
  }
  return entries;
}

/** The lost blocks whose first row is known and fits. */
function withRows(
  between: readonly LostBlock[],
  row: number,
  end: number,
): (LostBlock & { readonly firstRow: number })[] {
  let reached = row - 1;
  const placed: (LostBlock & { readonly firstRow: number })[] = [];
  for (const block of between) {
    const { firstRow } = block;
    if (firstRow !== undefined && firstRow > reached && firstRow < end) {
      placed.push({ ...block, firstRow });
      reached = firstRow;
    }
  }
  return placed;
}

/** Lost rows of which no block is known to have held which. */
function unplaced(input: LedgerInput, between: readonly LostBlock[], gap: Gap): BlockEntry[] {
  const { row, nextRow, byte, nextByte } = gap;
  const places = [
    ...between,
    ...input.unexplained.filter(({ offset, size }) => offset + size > byte && offset < nextByte),
  ];
  if (places.length === 0 && nextRow === undefined) {
    return [];
  }
  const start = Math.max(byte, Math.min(...places.map(({ offset }) => offset)));
  const end = Math.min(nextByte, Math.max(...places.map(({ offset, size }) => offset + size)));
  const block = places.length === 0 || end <= start ? undefined : { offset: start, size: end - start };
  const reason =
    block === undefined
      ? "the bytes of these rows are not in the file"
      : "no sound block is to be found here";
  const found =
    between[0]?.problem ??
    (block === undefined ? undefined : input.searchProblem) ??
    problem(block === undefined ? "E_TRUNCATED" : "E_CORRUPT", reason, { block, field: "data block" });
  return [lostEntry(block, row, nextRow === undefined ? undefined : nextRow - row, found)];
}

function lostEntry(
  block: BlockLocation | undefined,
  firstRow: number,
  rows: number | undefined,
  found: VerifyProblem,
): BlockEntry {
  return {
    block: block && { offset: block.offset, size: block.size },
    firstRow,
    rows,
    state: "lost",
    verified: false,
    problem: found,
    movedFrom: undefined,
  };
}
