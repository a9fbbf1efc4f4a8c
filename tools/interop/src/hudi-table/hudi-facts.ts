/** The facts that the driver writes about a table, in the formats of `cfile hudi --json`. */

export type TimelineRow = readonly (string | null)[];

export type Slice = readonly [
  fileId: string,
  baseInstant: string,
  baseFile: string | null,
  logs: readonly string[],
];

/** The answer to a read, or why Hudi rejects it. */
export interface RowsFact {
  /** Options of `cfile hudi scan`. */
  readonly options: readonly string[];
  readonly columns?: readonly (readonly [name: string, type: string])[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly refused?: string;
}

export interface HudiFacts {
  readonly timeline: readonly TimelineRow[];
  readonly archived: readonly TimelineRow[];
  /** From the metadata table, if there is one. */
  readonly files?: Readonly<Record<string, readonly (readonly [name: string, size: number])[]>>;
  /** File slices by instant; the latest ones have an empty instant. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, readonly Slice[]>>>>;
  readonly reads: readonly RowsFact[];
}

/** Rows as text, sorted. */
export function sortedRows(rows: readonly (readonly unknown[])[] = []): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
