/**
 * Column mutations (docs/spec/deltafile.md#4-rowchangelist), back to back:
 *
 * | part | coding |
 * | --- | --- |
 * | column id | varint32, at most 2^31 - 1 |
 * | length | varint32: 0 for NULL, else bytes of the value and 1 |
 * | value | as in `cell-codec.ts` |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import type { DeltaBatch } from "../read/delta-batch.js";

const MAX_COLUMN_ID = 0x7fffffff;
const NO_BYTES = /* @__PURE__ */ new ByteReader(/* @__PURE__ */ new Uint8Array(0));

/**
 * Goes through the mutations of one entry after another without an object for each: `next()` moves on, then
 * `columnId`, `isNull` and `data[start..end)` tell the mutation.
 */
export class MutationCursor {
  columnId = 0;
  isNull = false;
  /** The value stands in `data[start..end)`; empty for NULL. */
  start = 0;
  end = 0;
  private reader: ByteReader = NO_BYTES;
  private limit = 0;

  /** The bytes in which the values stand. */
  get data(): Uint8Array {
    return this.reader.bytes;
  }

  /** Goes to the mutations of entry `index` of the batch. */
  reset(batch: Pick<DeltaBatch, "offsets" | "data">, index: number): this {
    return this.resetTo(batch.data, batch.offsets[index] as number, batch.offsets[index + 1] as number);
  }

  /** Goes to the mutations in `data[start..end)`. */
  resetTo(data: Uint8Array, start: number, end: number): this {
    if (this.reader.bytes !== data) {
      this.reader = new ByteReader(data);
    }
    if (!(start >= 0 && start <= end && end <= data.length)) {
      throw new CFileError("E_TRUNCATED", `a change list in ${start}..${end} of ${data.length} bytes`, {
        field: "change list",
      });
    }
    this.reader.position = start;
    this.limit = end;
    return this;
  }

  /**
   * Goes to the next mutation; `false` when there is none.
   *
   * @throws CFileError `E_TRUNCATED` when the entry ends inside, `E_CORRUPT` for an id above 2^31 - 1 or a varint of
   *   more than 5 bytes
   */
  next(): boolean {
    const { reader, limit } = this;
    const offset = reader.position;
    if (offset >= limit) {
      return false;
    }
    this.columnId = readVarint32(reader, "column id");
    if (this.columnId > MAX_COLUMN_ID) {
      throw corrupt(`column id ${this.columnId} is above 2^31 - 1`, {
        offset,
        field: "column id",
        actual: this.columnId,
      });
    }
    // A varint may reach into the entry after this one.
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
    return new CFileError("E_TRUNCATED", `the change list ends inside a value of column ${this.columnId}`, {
      offset,
      field: "value length",
      expected,
      actual: Math.max(0, left),
    });
  }
}
