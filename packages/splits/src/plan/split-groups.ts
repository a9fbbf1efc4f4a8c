/** Pieces put together to splits of about a target size. */
import { invalidArgument } from "@cfile/bytes";
import type { RowRange } from "../lines/split.js";
import type { Stretches } from "./column-blocks.js";
import { groupEnds } from "./size-groups.js";

/** Something that splits are made of, such as the files of a part or a row set. */
export interface Divisible<P> {
  /** The whole. */
  readonly piece: P;
  /** Rows; where nobody can tell, an estimate. */
  readonly rows: number;
  /** Stored bytes. */
  readonly bytes: number;
  /** Where it can be divided; missing: nowhere. */
  readonly stretches?: Stretches | undefined;
}

/** What becomes one split. */
export interface Group<P> {
  readonly pieces: readonly P[];
  readonly rows: number;
  readonly bytes: number;
}

/** Default bytes of a split. */
const DEFAULT_TARGET = 256 * 1024 * 1024;

/** @throws CFileError `E_INVALID_ARGUMENT` when it is no number above 0 */
export function targetBytes(target: number = DEFAULT_TARGET): number {
  if (!(target > 0)) {
    throw invalidArgument(`targetBytes is no number of bytes: ${target}`, { field: "targetBytes" });
  }
  return target;
}

/** The pieces in their order, divided and put together. */
export function groupsOf<P extends { readonly rows?: RowRange | undefined }>(
  wholes: readonly Divisible<P>[],
  target: number,
): Group<P>[] {
  const sizes = new Float64Array(wholes.reduce((sum, whole) => sum + unitsOf(whole), 0));
  let unit = 0;
  for (const whole of wholes) {
    sizes.set(whole.stretches?.sizes ?? [whole.bytes], unit);
    unit += unitsOf(whole);
  }
  const groups: Group<P>[] = [];
  let at = 0;
  let start = 0;
  let from = 0;
  for (const end of groupEnds(sizes, target)) {
    const bytes = Math.round(sum(sizes.subarray(from, end)));
    const pieces: P[] = [];
    let rows = 0;
    while (from < end) {
      const whole = wholes[at] as Divisible<P>;
      const to = Math.min(end, start + unitsOf(whole));
      const range = rangeOf(whole, from - start, to - start);
      pieces.push(range === undefined ? whole.piece : { ...whole.piece, rows: range });
      rows += range === undefined ? whole.rows : range.to - range.from;
      from = to;
      if (to === start + unitsOf(whole)) {
        start = to;
        at++;
      }
    }
    groups.push({ pieces, rows, bytes });
  }
  return groups;
}

function unitsOf({ stretches }: Divisible<unknown>): number {
  return stretches?.sizes.length ?? 1;
}

/** Rows of some of the stretches; `undefined` when that is the whole. */
function rangeOf({ stretches }: Divisible<unknown>, first: number, end: number): RowRange | undefined {
  if (stretches === undefined || (first === 0 && end === stretches.sizes.length)) {
    return undefined;
  }
  return { from: stretches.starts[first] as number, to: stretches.starts[end] as number };
}

function sum(sizes: Float64Array): number {
  return sizes.reduce((all, size) => all + size, 0);
}
