/** Rows that come one after the other, as a table that can be scrolled: a window of them is kept, and places to start again from. */
import type { CellView, RowsView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";

export interface StreamedBatch<P> {
  readonly rows: readonly (readonly CellView[])[];
  /** From where the stream can be started with this batch's first row. */
  readonly place?: P | undefined;
}

/** Rows that are kept behind the last one that was read. */
const WINDOW_ROWS = 20_000;
const ROWS_A_PLACE = 10_000;

export class StreamedRows<P> {
  private readonly start: (place: P | undefined) => AsyncIterator<StreamedBatch<P>>;
  private readonly places: { readonly row: number; readonly place: P }[] = [];
  private stream: AsyncIterator<StreamedBatch<P>> | undefined;
  private window: (readonly CellView[])[] = [];
  private windowStart = 0;
  private isEnded = false;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(start: (place: P | undefined) => AsyncIterator<StreamedBatch<P>>) {
    this.start = start;
  }

  /** One request after the other: they share the stream. */
  rows(from: number, to: number, work: Work, total = 0): Promise<RowsView> {
    const answer = this.queue.then(() => this.read(from, to, work, total));
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  private async read(from: number, to: number, { signal, progress }: Work, total: number): Promise<RowsView> {
    signal.throwIfAborted();
    this.moveTo(from);
    while (this.windowStart + this.window.length < to && !this.isEnded) {
      signal.throwIfAborted();
      await this.readBatch(from);
      progress({ done: this.windowStart + this.window.length, total });
    }
    const rows = this.window.slice(Math.max(0, from - this.windowStart), Math.max(0, to - this.windowStart));
    return { from, rows, end: this.isEnded && to >= this.windowStart + this.window.length };
  }

  private moveTo(from: number): void {
    const end = this.windowStart + this.window.length;
    const nearest = this.places.findLast(({ row }) => row <= from);
    const isBehind = this.stream !== undefined && from >= this.windowStart;
    if (isBehind && (nearest === undefined || nearest.row <= end)) {
      return;
    }
    this.stream = this.start(nearest?.place);
    this.window = [];
    this.windowStart = nearest?.row ?? 0;
    this.isEnded = false;
  }

  private async readBatch(from: number): Promise<void> {
    const { stream } = this;
    let next: IteratorResult<StreamedBatch<P>> | undefined;
    try {
      next = await stream?.next();
    } catch (error) {
      this.stream = undefined;
      throw error;
    }
    if (next === undefined || next.done === true) {
      this.isEnded = true;
      return;
    }
    const { rows, place } = next.value;
    const row = this.windowStart + this.window.length;
    if (place !== undefined && row >= (this.places.at(-1)?.row ?? -ROWS_A_PLACE) + ROWS_A_PLACE) {
      this.places.push({ row, place });
    }
    this.window.push(...rows);
    const surplus = Math.min(this.window.length - WINDOW_ROWS, from - this.windowStart);
    if (surplus > 0) {
      this.window = this.window.slice(surplus);
      this.windowStart += surplus;
    }
  }
}
