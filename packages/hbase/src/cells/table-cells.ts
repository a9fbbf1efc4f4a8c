/** Cells of a table as a client sees them, in order: row, family, qualifier, then newest first. */
import type { CellBatch, HFileCell } from "@cfile/hfile";
import type { CellOutput } from "./cell-output.js";

/** Consecutive cells. Rows, qualifiers and values are views of the files' blocks: copy what you keep. */
export class TableCells {
  /** Number of cells. */
  readonly length: number;
  /** Positions of the first cells of rows; the first row may continue the last one of the previous batch. */
  readonly rowStarts: readonly number[];
  private readonly batches: readonly CellBatch[];
  private readonly indexes: readonly number[];
  private readonly families: readonly number[];
  private readonly familyNames: readonly string[];
  /** Values that are in MOB files. */
  private readonly values: ReadonlyMap<number, Uint8Array>;

  /** @internal Comes from a scan. */
  constructor(output: CellOutput, familyNames: readonly string[], values: ReadonlyMap<number, Uint8Array>) {
    this.length = output.length;
    this.rowStarts = output.rowStarts;
    this.batches = output.batches;
    this.indexes = output.indexes;
    this.families = output.families;
    this.familyNames = familyNames;
    this.values = values;
  }

  /** Row of a cell: a view. */
  row(cell: number): Uint8Array {
    return this.batch(cell).row(this.index(cell));
  }

  /** Column family of a cell. */
  family(cell: number): string {
    return this.familyNames[this.families[cell] as number] as string;
  }

  /** Qualifier of a cell: a view. */
  qualifier(cell: number): Uint8Array {
    return this.stored(cell).qualifier;
  }

  /** Milliseconds since 1970, unless the client that wrote the cell chose otherwise. */
  timestamp(cell: number): bigint {
    return this.stored(cell).timestamp;
  }

  /** Code of the type: 4 for values, others for markers of raw scans. */
  type(cell: number): number {
    return this.stored(cell).type;
  }

  /** Value of a cell: a view; of MOB cells, the value in their MOB file. */
  value(cell: number): Uint8Array {
    return this.values.get(cell) ?? this.batch(cell).value(this.index(cell));
  }

  /** Tags of a cell as stored; empty without tags. */
  tags(cell: number): Uint8Array {
    return this.stored(cell).tags;
  }

  /** @internal The cell as stored. */
  stored(cell: number): HFileCell {
    return this.batch(cell).cell(this.index(cell));
  }

  /** @internal The block with the cell. */
  batch(cell: number): CellBatch {
    return this.batches[cell] as CellBatch;
  }

  /** @internal Position of the cell in its block. */
  index(cell: number): number {
    return this.indexes[cell] as number;
  }
}
