/** Groups pieces into splits of about a target size. */
import { invalidOption } from "@cfile/bytes";
import type { RowRange } from "../lines/split.js";
import type { Stretches } from "./column-blocks.js";
import { groupEnds } from "./size-groups.js";

/** A piece that may be divided, such as the files of a part or a row set. */
export interface Divisible<P> {
  /** The whole. */
  readonly piece: P;
  /** Rows; an estimate if unknown. */
  readonly rows: number;
  /** Stored bytes. */
  readonly bytes: number;
  /** Where it can be divided; missing if it cannot. */
  readonly stretches?: Stretches | undefined;
}

/** The content of one split. */
export interface Group<P> {
  readonly pieces: readonly P[];
  readonly rows: number;
  readonly bytes: number;
}

const DEFAULT_TARGET = 256 * 1024 * 1024;
const AT_ONCE = 8;

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `target` is greater than 0 */
export function targetBytes(target: number = DEFAULT_TARGET): number {
  if (!(target > 0)) {
    throw invalidOption("targetBytes", target, "a number > 0");
  }
  return target;
}

/** Runs `work` for eight items at a time and returns the results in order. */
export async function mapAtOnce<T, U>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  work: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  for (let first = 0; first < items.length; first += AT_ONCE) {
    signal?.throwIfAborted();
    results.push(...(await Promise.all(items.slice(first, first + AT_ONCE).map(work))));
  }
  return results;
}

/** Divides and groups the pieces, in their order. */
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

/** The rows of some stretches; `undefined` for all of them. */
function rangeOf({ stretches }: Divisible<unknown>, first: number, end: number): RowRange | undefined {
  if (stretches === undefined || (first === 0 && end === stretches.sizes.length)) {
    return undefined;
  }
  return { from: stretches.starts[first] as number, to: stretches.starts[end] as number };
}

function sum(sizes: Float64Array): number {
  return sizes.reduce((all, size) => all + size, 0);
}
