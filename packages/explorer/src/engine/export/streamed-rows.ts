/** Makes a stream of rows scrollable: keeps a window of rows, and positions to restart from. */
import type { RowsView, RowView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";

export interface StreamedBatch<P> {
  readonly rows: readonly RowView[];
  /** Restarts the stream at the first row of this batch. */
  readonly position?: P | undefined;
}

/** Rows kept in memory. */
const WINDOW_ROWS = 20_000;
const ROWS_PER_POSITION = 10_000;

/**
 * @param start the stream, from a position or from the first row
 * @param total number of rows, for progress
 */
export function streamedRows<P>(
  start: (position: P | undefined) => AsyncIterator<StreamedBatch<P>>,
  total = 0,
) {
  const positions: { readonly row: number; readonly position: P }[] = [];
  let stream: AsyncIterator<StreamedBatch<P>> | undefined;
  let window: RowView[] = [];
  let first = 0;
  let isEnded = false;
  let queue: Promise<unknown> = Promise.resolve();

  const moveTo = (from: number): void => {
    const nearest = positions.findLast(({ row }) => row <= from);
    const isAhead = stream !== undefined && from >= first;
    if (!isAhead || (nearest !== undefined && nearest.row > first + window.length)) {
      stream = start(nearest?.position);
      window = [];
      first = nearest?.row ?? 0;
      isEnded = false;
    }
  };
  const readBatch = async (from: number): Promise<void> => {
    let next: IteratorResult<StreamedBatch<P>> | undefined;
    try {
      next = await stream?.next();
    } catch (error) {
      stream = undefined;
      throw error;
    }
    if (next === undefined || next.done === true) {
      isEnded = true;
      return;
    }
    const { rows, position } = next.value;
    const row = first + window.length;
    if (position !== undefined && row >= (positions.at(-1)?.row ?? -ROWS_PER_POSITION) + ROWS_PER_POSITION) {
      positions.push({ row, position });
    }
    window.push(...rows);
    const surplus = Math.min(window.length - WINDOW_ROWS, from - first);
    if (surplus > 0) {
      window = window.slice(surplus);
      first += surplus;
    }
  };
  const read = async (from: number, to: number, { signal, progress }: Work): Promise<RowsView> => {
    signal.throwIfAborted();
    moveTo(from);
    while (first + window.length < to && !isEnded) {
      signal.throwIfAborted();
      await readBatch(from);
      progress({ done: first + window.length, total });
    }
    const rows = window.slice(Math.max(0, from - first), Math.max(0, to - first));
    return { rows, end: isEnded && to >= first + window.length };
  };
  // Requests share the stream: one at a time.
  return ({ from, to }: { readonly from: number; readonly to: number }, work: Work): Promise<RowsView> => {
    const result = queue.then(() => read(from, to, work));
    queue = result.catch(() => undefined);
    return result;
  };
}
