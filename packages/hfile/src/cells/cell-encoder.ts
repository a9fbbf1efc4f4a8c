/** Checks and encodes cells; `cell-batch.ts` has their layout. */
import { ByteBuilder, type CFileError, invalidArgument } from "@cfile/bytes";
import { rowBytes } from "./cell-search.js";
import { writeVlong, writtenVlongLength } from "./hadoop-vlong.js";

/** A cell to write; cells that were read can be passed unchanged. */
export interface HFileCellInput {
  /** Bytes, or text, which is encoded as UTF-8. At most 32767 bytes. */
  readonly row: Uint8Array | string;
  readonly value: Uint8Array | string;
  /** At most 255 bytes. Default empty, as in Hudi files. */
  readonly family?: Uint8Array | undefined;
  /** Default empty. */
  readonly qualifier?: Uint8Array | undefined;
  /** Default 2^63 - 1, as in Hudi files. */
  readonly timestamp?: bigint | undefined;
  /** Code of the type. Default 4, a put. */
  readonly type?: number | undefined;
  /** Default 0. */
  readonly mvcc?: bigint | undefined;
  /** At most 65535 bytes. Default empty; only files with tags can have others. */
  readonly tags?: Uint8Array | undefined;
}

const MAX_ROW = 0x7fff;
const MAX_TIMESTAMP = 2n ** 63n - 1n;
const PUT = 4;
const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/** Encodes one cell at a time; its parts are valid until the next one is encoded. */
export class CellEncoder {
  private readonly keyBuilder = new ByteBuilder();
  private readonly withTags: boolean;
  private readonly maxLength: number;
  private readonly plain: boolean;
  key: Uint8Array = EMPTY;
  row: Uint8Array = EMPTY;
  value: Uint8Array = EMPTY;
  tags: Uint8Array = EMPTY;
  mvcc = 0n;

  /**
   * @param plain whether cells must have only a row and a value, as in Hudi files
   * @param maxLength maximum size of a cell in bytes
   */
  constructor(withTags: boolean, plain: boolean, maxLength: number) {
    this.withTags = withTags;
    this.plain = plain;
    this.maxLength = maxLength;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT`, naming the row */
  encode(cell: HFileCellInput): void {
    const row = rowBytes(cell.row);
    const value = rowBytes(cell.value);
    const { family = EMPTY, qualifier = EMPTY, timestamp = MAX_TIMESTAMP, type = PUT } = cell;
    const { mvcc = 0n, tags = EMPTY } = cell;
    requireAtMost(row, "row", row.length, MAX_ROW);
    requireAtMost(row, "family", family.length, 255);
    requireAtMost(row, "tags", tags.length, this.withTags ? 0xffff : 0);
    requireAtMost(row, "cell", row.length + qualifier.length + value.length + tags.length, this.maxLength);
    if (!(Number.isInteger(type) && type >= 0 && type <= 255)) {
      throw wrongCell(row, `invalid type ${type} (must be 0 to 255)`, "type");
    }
    if (timestamp !== BigInt.asIntN(64, timestamp) || mvcc < 0n || mvcc > MAX_TIMESTAMP) {
      throw wrongCell(row, "timestamp or MVCC number exceeds 64 bits", "timestamp");
    }
    if (
      this.plain &&
      (family.length + qualifier.length > 0 || timestamp !== MAX_TIMESTAMP || type !== PUT || mvcc !== 0n)
    ) {
      throw wrongCell(row, "cells of Hudi files have only row and value", "cell");
    }
    const out = this.keyBuilder;
    out.clear();
    out.u8(row.length >>> 8);
    out.u8(row.length & 0xff);
    out.append(row);
    out.u8(family.length);
    out.append(family);
    out.append(qualifier);
    out.u32be(Number(BigInt.asUintN(32, timestamp >> 32n)));
    out.u32be(Number(BigInt.asUintN(32, timestamp)));
    out.u8(type);
    this.key = out.view8();
    this.row = this.key.subarray(2, 2 + row.length);
    this.value = value;
    this.tags = tags;
    this.mvcc = mvcc;
  }

  /** Bytes of the whole cell. */
  get length(): number {
    const tags = this.withTags ? 2 + this.tags.length : 0;
    return 8 + this.key.length + this.value.length + tags + writtenVlongLength(this.mvcc);
  }

  appendTo(body: ByteBuilder): void {
    body.u32be(this.key.length);
    body.u32be(this.value.length);
    body.append(this.key);
    body.append(this.value);
    if (this.withTags) {
      body.u8(this.tags.length >>> 8);
      body.u8(this.tags.length & 0xff);
      body.append(this.tags);
    }
    writeVlong(body, this.mvcc);
  }
}

function requireAtMost(row: Uint8Array, field: string, length: number, maximum: number): void {
  if (length > maximum) {
    throw wrongCell(row, `${field} of ${length} bytes is too long (maximum ${maximum})`, field);
  }
}

/** The error for a cell, with the first bytes of its row. */
export function wrongCell(row: Uint8Array, reason: string, field: string): CFileError {
  const text = new TextDecoder().decode(row.subarray(0, 100));
  return invalidArgument(`row ${JSON.stringify(text)}: ${reason}`, { field });
}
