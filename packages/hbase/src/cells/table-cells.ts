/** Cells of a table as a client sees them, in order: row, family, qualifier, then newest first. */
import { concatBytes } from "@cfile/bytes";
import type { CellBatch, HFileCell, PackedBytes } from "@cfile/hfile";
import type { CellOutput } from "./cell-output.js";
import { packParts, requirePackable } from "./packed-parts.js";

/** Consecutive cells. Rows, qualifiers and values are views of the files' blocks: copy what you keep. */
export class TableCells {
  /** Number of cells. */
  readonly length: number;
  /** Positions of the first cells of rows; the first row may continue the last one of the previous batch. */
  readonly rowStarts: readonly number[];
  private readonly output: CellOutput;
  private readonly familyNames: readonly string[];
  /** Values from MOB files, by cell. */
  private readonly values: ReadonlyMap<number, Uint8Array>;
  /** The run with the last requested cell. */
  private run = 0;

  /** @internal Comes from a scan. */
  constructor(output: CellOutput, familyNames: readonly string[], values: ReadonlyMap<number, Uint8Array>) {
    this.length = output.length;
    this.rowStarts = output.rowStarts;
    this.output = output;
    this.familyNames = familyNames;
    this.values = values;
  }

  /** Row of a cell: a view. */
  row(cell: number): Uint8Array {
    return this.batch(cell).row(this.index(cell));
  }

  /** Column family of a cell. */
  family(cell: number): string {
    return this.familyNames[this.output.families[this.runOf(cell)] as number] as string;
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

  /** Value of a cell: a view; for MOB cells, the value in their MOB file. */
  value(cell: number): Uint8Array {
    return this.values.get(cell) ?? this.batch(cell).value(this.index(cell));
  }

  /** Tags of a cell as stored; empty without tags. */
  tags(cell: number): Uint8Array {
    return this.stored(cell).tags;
  }

  /** All rows in one array: that of cell `i` is `data[offsets[i]..offsets[i + 1])`. A copy, without an object per cell. */
  packRows(): PackedBytes {
    return packParts(this.output, "row");
  }

  /** All qualifiers in one array. */
  packQualifiers(): PackedBytes {
    return packParts(this.output, "qualifier");
  }

  /** All values in one array; for MOB cells, those in their MOB files. @throws {CFileError} `E_LIMIT` above 4 GiB */
  packValues(): PackedBytes {
    if (this.values.size === 0) {
      return packParts(this.output, "value");
    }
    return packed(Array.from({ length: this.length }, (_, i) => this.value(i)));
  }

  /** @internal The cell as stored. */
  stored(cell: number): HFileCell {
    return this.batch(cell).cell(this.index(cell));
  }

  /** @internal The block with the cell. */
  batch(cell: number): CellBatch {
    return this.output.batches[this.runOf(cell)] as CellBatch;
  }

  /** @internal Position of the cell in its block. */
  index(cell: number): number {
    const { firsts, starts } = this.output;
    const run = this.runOf(cell);
    return (firsts[run] as number) + cell - (starts[run] as number);
  }

  /** The run with a cell: mostly the last one or the next. */
  private runOf(cell: number): number {
    const { starts, length } = this.output;
    const end = (run: number): number => starts[run + 1] ?? length;
    const { run } = this;
    if (cell >= (starts[run] as number) && cell < end(run)) {
      return run;
    }
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= cell) {
        low = middle;
      } else {
        high = middle;
      }
    }
    this.run = low;
    return low;
  }
}

function packed(parts: readonly Uint8Array[]): PackedBytes {
  const offsets = new Uint32Array(parts.length + 1);
  let size = 0;
  for (const [i, { length }] of parts.entries()) {
    size += length;
    offsets[i + 1] = size;
  }
  requirePackable(size);
  return { offsets, data: concatBytes(parts) };
}
