/**
 * Contiguous column mutations (docs/spec/deltafile.md#4-rowchangelist):
 *
 * | part | coding |
 * | --- | --- |
 * | column ID | varint32, at most 2^31 - 1 |
 * | length | varint32: 0 for NULL, else length of the value + 1 |
 * | value | see `cell-codec.ts` |
 */
import { ByteReader, CFileError, mismatch } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import type { DeltaBatch } from "../read/delta-batch.js";

const MAX_COLUMN_ID = 0x7fffffff;
const NO_BYTES = /* @__PURE__ */ new ByteReader(/* @__PURE__ */ new Uint8Array(0));

/**
 * Iterates over mutations without an object per mutation: after `next()`, `columnId`, `isNull` and `data[start..end)` describe
 * the current one.
 */
export class MutationCursor {
  columnId = 0;
  isNull = false;
  /** The value is `data[start..end)`; empty for NULL. */
  start = 0;
  end = 0;
  private reader: ByteReader = NO_BYTES;
  private limit = 0;

  /** The bytes that hold the values. */
  get data(): Uint8Array {
    return this.reader.bytes;
  }

  /** Moves before the mutations of entry `index` of the batch. @throws {CFileError} as {@link resetTo} */
  reset(batch: Pick<DeltaBatch, "offsets" | "data">, index: number): this {
    return this.resetTo(batch.data, batch.offsets[index] as number, batch.offsets[index + 1] as number);
  }

  /** Moves before the mutations in `data[start..end)`. @throws {CFileError} `E_TRUNCATED` for a range outside `data` */
  resetTo(data: Uint8Array, start: number, end: number): this {
    if (this.reader.bytes !== data) {
      this.reader = new ByteReader(data);
    }
    if (!(start >= 0 && start <= end && end <= data.length)) {
      const reason = `change list at ${start}..${end} exceeds its ${data.length} bytes`;
      throw new CFileError("E_TRUNCATED", reason, { field: "change list" });
    }
    this.reader.position = start;
    this.limit = end;
    return this;
  }

  /**
   * Moves to the next mutation; `false` after the last one.
   *
   * @throws {CFileError} `E_TRUNCATED` if the entry ends inside the mutation, `E_CORRUPT` for an ID above 2^31 - 1 or a
   *   varint of more than 5 bytes
   */
  next(): boolean {
    const { reader, limit } = this;
    const offset = reader.position;
    if (offset >= limit) {
      return false;
    }
    this.columnId = readVarint32(reader, "column id");
    if (this.columnId > MAX_COLUMN_ID) {
      throw mismatch("invalid column id", `<= ${MAX_COLUMN_ID}`, this.columnId, {
        offset,
        field: "column id",
      });
    }
    // The varint may extend into the next entry.
    if (reader.position >= limit) {
      throw this.truncated(offset, 1, 0);
    }
    const length = readVarint32(reader, "value length");
    const start = reader.position;
    const size = length === 0 ? 0 : length - 1;
    if (size > limit - start) {
      throw this.truncated(offset, size, limit - start);
    }
    this.isNull = length === 0;
    this.start = start;
    this.end = start + size;
    reader.position = this.end;
    return true;
  }

  private truncated(offset: number, expected: number, left: number): CFileError {
    const reason = `change list ends inside a value of column ${this.columnId}`;
    const actual = Math.max(0, left);
    return new CFileError("E_TRUNCATED", reason, { offset, field: "value length", expected, actual });
  }
}
