/** Rows in pages: loads those in view, keeps some others, cancels loads that scroll out of view. */
import type { CellView, RowsView, RowView } from "../protocol.js";
import { isCancelled } from "./worker-client.js";

export type RowReader = (from: number, to: number, signal: AbortSignal) => Promise<RowsView>;

const PAGE_ROWS = 128;
const MAX_PAGES = 48;
/** Rows assumed after the last known one, if rows are not counted. */
const AHEAD = 200;

export class RowPages {
  readonly read: RowReader;
  /** Number of rows that can be scrolled to. */
  known: number;
  private readonly isCounted: boolean;
  private readonly onChange: () => void;
  private readonly pages = new Map<number, readonly RowView[]>();
  private readonly loading = new Map<number, AbortController>();

  constructor(read: RowReader, rowCount: number | undefined, onChange: () => void) {
    this.read = read;
    this.isCounted = rowCount !== undefined;
    this.known = rowCount ?? AHEAD;
    this.onChange = onChange;
  }

  cell(row: number, column: number): CellView | undefined {
    return this.pages.get(Math.floor(row / PAGE_ROWS))?.[row % PAGE_ROWS]?.[column];
  }

  /** Makes room for a row to go to. */
  expect(row: number): void {
    if (!this.isCounted) {
      this.known = Math.max(this.known, row + AHEAD);
    }
  }

  /** Loads the rows in view and cancels other loads. */
  show(from: number, to: number): void {
    const first = Math.floor(from / PAGE_ROWS);
    const last = Math.floor(Math.max(from, to - 1) / PAGE_ROWS);
    for (const [page, abort] of this.loading) {
      if (page < first || page > last) {
        abort.abort();
        this.loading.delete(page);
      }
    }
    for (let page = first; page <= last; page++) {
      const rows = this.pages.get(page);
      if (rows !== undefined) {
        // Keeps the pages in the order of their last use.
        this.pages.delete(page);
        this.pages.set(page, rows);
      } else if (!this.loading.has(page) && page * PAGE_ROWS < this.known) {
        this.load(page);
      }
    }
  }

  stop(): void {
    for (const abort of this.loading.values()) {
      abort.abort();
    }
    this.loading.clear();
  }

  private async load(page: number): Promise<void> {
    const abort = new AbortController();
    this.loading.set(page, abort);
    const from = page * PAGE_ROWS;
    try {
      const { rows, end } = await this.read(from, from + PAGE_ROWS, abort.signal);
      this.keep(page, rows);
      if (!this.isCounted) {
        this.known = end ? from + rows.length : Math.max(this.known, from + PAGE_ROWS + AHEAD);
      }
    } catch (error) {
      if (isCancelled(error)) {
        return;
      }
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.keep(page, Array(PAGE_ROWS).fill([{ lost: reason }]));
    }
    this.loading.delete(page);
    this.onChange();
  }

  private keep(page: number, rows: readonly RowView[]): void {
    this.pages.set(page, rows);
    for (const [oldest] of this.pages) {
      if (this.pages.size <= MAX_PAGES) {
        break;
      }
      this.pages.delete(oldest);
    }
  }
}
