/** Cells of a table as a client sees them, in order: row, family, qualifier, then newest first. */
import { CFileError, concatBytes } from "@cfile/bytes";
import { copyRange } from "@cfile/encodings/batches";
import { type CellBatch, type HFileCell, type PackedBytes, TIMESTAMP_AND_TYPE } from "@cfile/hfile";
import type { CellOutput } from "./cell-output.js";

/** Offsets have 32 bits. */
const MAX_PACKED = 0xffff_ffff;

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

  /** All rows in one array: that of cell `i` is `data[offsets[i]..offsets[i + 1])`. A copy, without an object per cell. */
  packRows(): PackedBytes {
    return this.packed("row");
  }

  /** All qualifiers in one array. */
  packQualifiers(): PackedBytes {
    return this.packed("qualifier");
  }

  /** All values in one array; of MOB cells, those in their MOB files. @throws {CFileError} `E_LIMIT` above 4 GiB */
  packValues(): PackedBytes {
    if (this.values.size === 0) {
      return this.packed("value");
    }
    return packed(Array.from({ length: this.length }, (_, i) => this.value(i)));
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

  private packed(part: CellPart): PackedBytes {
    const { length, batches, indexes } = this;
    const starts = new Int32Array(length);
    const offsets = new Uint32Array(length + 1);
    let size = 0;
    for (let i = 0; i < length; i++) {
      const batch = batches[i] as CellBatch;
      const index = indexes[i] as number;
      const start = partStart(batch, index, part);
      starts[i] = start;
      size += partEnd(batch, index, part) - start;
      offsets[i + 1] = size;
    }
    requirePackable(size);
    const data = new Uint8Array(size);
    for (let i = 0; i < length; i++) {
      const start = starts[i] as number;
      const at = offsets[i] as number;
      copyRange((batches[i] as CellBatch).data, start, start + (offsets[i + 1] as number) - at, data, at);
    }
    return { offsets, data };
  }
}

type CellPart = "row" | "qualifier" | "value";

function partStart(batch: CellBatch, index: number, part: CellPart): number {
  if (part === "row") {
    return batch.rowStarts[index] as number;
  }
  if (part === "value") {
    return batch.valueStart(index);
  }
  const family = batch.rowEnd(index);
  return family + 1 + (batch.data[family] as number);
}

function partEnd(batch: CellBatch, index: number, part: CellPart): number {
  if (part === "row") {
    return batch.rowEnd(index);
  }
  return part === "value" ? batch.valueEnd(index) : batch.valueStart(index) - TIMESTAMP_AND_TYPE;
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

/** @throws {CFileError} `E_LIMIT` above 4 GiB */
function requirePackable(size: number): void {
  if (size > MAX_PACKED) {
    const details = { field: "cells", expected: MAX_PACKED, actual: size };
    throw new CFileError("E_LIMIT", "the packed bytes exceed 4 GiB: read smaller batches", details);
  }
}
