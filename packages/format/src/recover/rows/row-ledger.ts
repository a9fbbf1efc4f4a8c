/** Lists all rows of the file: the kept blocks, and between them the lost rows with the reason. */
import type { BlockLocation } from "@cfile/bytes";
import type { VerifyProblem } from "../../verify/verify.js";
import type { BlockEntry } from "./ledger.js";
import type { PlacedRows } from "./row-chain.js";

export interface KeptBlock extends PlacedRows {
  readonly movedFrom: number | undefined;
}

/** A data block according to an index. */
export interface BlockClaim extends BlockLocation {
  /** From the positional index. */
  readonly firstRow: number | undefined;
}

/** A block whose location is known, but whose rows are lost. */
export interface LostBlock extends BlockClaim {
  /** Number of rows, if the block could be decoded that far. */
  readonly rows: number | undefined;
  readonly problem: VerifyProblem;
}

export interface LedgerInput {
  /** In row order. */
  readonly kept: readonly KeptBlock[];
  readonly lost: readonly LostBlock[];
  /** Ranges that belong to no part. */
  readonly unexplained: readonly BlockLocation[];
  /** Why the search in those ranges ended. */
  readonly searchProblem: VerifyProblem | undefined;
  readonly rowsTotal: number | undefined;
  readonly verified: boolean;
}

/** @returns entries in row order; an entry of lost rows has no row count if it is unknown */
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
    const { verified } = input;
    const location = { offset, size };
    entries.push({ block: location, firstRow, rows, state: "kept", verified, problem: undefined, movedFrom });
    row = firstRow + rows;
    byte = offset + size;
  }
  upTo(input.rowsTotal, Number.POSITIVE_INFINITY);
  return entries;
}

type PlacedBlock = LostBlock & { readonly firstRow: number };

interface Gap {
  readonly row: number;
  readonly nextRow: number | undefined;
  readonly byte: number;
  readonly nextByte: number;
}

/** The lost rows between two kept blocks. */
function lostRows(input: LedgerInput, between: readonly LostBlock[], gap: Gap): BlockEntry[] {
  const { row, nextRow } = gap;
  if (nextRow !== undefined && nextRow <= row) {
    return [];
  }
  const end = nextRow ?? Number.POSITIVE_INFINITY;
  const placed = withRows(between, row, end);
  const [first] = placed;
  if (first === undefined) {
    return unplaced(input, between, gap);
  }
  const entries: BlockEntry[] = [];
  if (first.firstRow > row) {
    entries.push(...unplaced(input, [], { ...gap, nextRow: first.firstRow, nextByte: first.offset }));
  }
  for (const [i, block] of placed.entries()) {
    const next = placed[i + 1]?.firstRow;
    const own = block.rows === undefined ? undefined : block.firstRow + block.rows;
    // Rows after a block with a known row count belong to another block.
    const until = Math.min(next ?? end, own ?? end);
    const rows = Number.isFinite(until) ? until - block.firstRow : undefined;
    entries.push(lostEntry(block, block.firstRow, rows, block.problem));
    const following = next ?? nextRow;
    if (rows !== undefined && following !== undefined && following > until) {
      const nextByte = placed[i + 1]?.offset ?? gap.nextByte;
      const byte = block.offset + block.size;
      entries.push(...unplaced(input, [], { row: until, nextRow: following, byte, nextByte }));
    }
  }
  return entries;
}

/** The lost blocks whose first row is known and ascends within the gap. */
function withRows(between: readonly LostBlock[], row: number, end: number): PlacedBlock[] {
  let reached = row - 1;
  const placed: PlacedBlock[] = [];
  for (const block of between) {
    const { firstRow } = block;
    if (firstRow !== undefined && firstRow > reached && firstRow < end) {
      placed.push({ ...block, firstRow });
      reached = firstRow;
    }
  }
  return placed;
}

/** Lost rows whose blocks are unknown. */
function unplaced(input: LedgerInput, between: readonly LostBlock[], gap: Gap): BlockEntry[] {
  const { row, nextRow, byte, nextByte } = gap;
  const ranges = [
    ...between,
    ...input.unexplained.filter(({ offset, size }) => offset + size > byte && offset < nextByte),
  ];
  if (ranges.length === 0 && nextRow === undefined) {
    return [];
  }
  const start = Math.max(byte, Math.min(...ranges.map(({ offset }) => offset)));
  const end = Math.min(nextByte, Math.max(...ranges.map(({ offset, size }) => offset + size)));
  const block = ranges.length === 0 || end <= start ? undefined : { offset: start, size: end - start };
  const problem: VerifyProblem =
    between[0]?.problem ??
    (block && input.searchProblem) ??
    (block === undefined
      ? { code: "E_TRUNCATED", reason: "the bytes of these rows are missing", field: "data block" }
      : { code: "E_CORRUPT", reason: "no valid block found here", block, field: "data block" });
  return [lostEntry(block, row, nextRow === undefined ? undefined : nextRow - row, problem)];
}

export function lostEntry(
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
