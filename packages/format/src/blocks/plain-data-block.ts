/** A data block of a column without nulls or arrays: just the encoded values. */
import { corrupt, type Limits } from "@cfile/bytes";
import type {
  BatchRows,
  BlockDecoder,
  BlockOpener,
  ColumnBatch,
  DataType,
  SeekPosition,
  SeekTarget,
} from "@cfile/encodings";
import { batchOfVector, DATA_TYPES, physicalWidth } from "@cfile/encodings";
import type { BlockColumn, DataBlock } from "./data-block.js";

export class PlainDataBlock implements DataBlock {
  readonly rows: number;
  readonly nulls = 0;
  readonly firstRow: number;
  readonly memory: number;
  private readonly type: DataType;
  private readonly decoder: BlockDecoder;

  constructor(bytes: Uint8Array, column: BlockColumn, _limits: Limits, open: BlockOpener) {
    this.decoder = open(bytes, column);
    this.type = column.type;
    this.rows = this.decoder.count;
    this.firstRow = this.decoder.ordinal;
    this.memory = memoryOf(bytes, column.type, this.rows);
    requireRows(this.rows);
  }

  decode(from: number, to: number): ColumnBatch {
    const rows = presentRows(this.type, to - from, this.firstRow + from);
    return batchOfVector(rows, this.decoder.decode(from, to));
  }

  check(): void {
    this.decoder.check();
  }

  seek(target: SeekTarget): SeekPosition {
    return this.decoder.seek(target);
  }
}

export function presentRows(type: DataType, length: number, firstRow: number): BatchRows {
  return { type, length, firstRow, validity: undefined, nullCount: 0 };
}

export function requireRows(rows: number): void {
  if (rows === 0) {
    throw corrupt("data block without rows", { field: "row count" });
  }
}

/** Approximate size of a decoded block in bytes. Each string also has an offset. */
export function memoryOf(bytes: Uint8Array, type: DataType, values: number): number {
  const { physical } = DATA_TYPES[type];
  return bytes.length + values * (physical === "BINARY" ? 4 : Math.max(1, physicalWidth(physical)));
}
