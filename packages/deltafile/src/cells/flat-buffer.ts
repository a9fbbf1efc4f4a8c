/**
 * FlatBuffers, as much as array cells need. All numbers are little-endian, all offsets are checked before they are followed.
 *
 * | thing | coding |
 * | --- | --- |
 * | root | u32 at 0: offset of the root table |
 * | table | i32: distance back to its vtable; fields |
 * | vtable | u16 own size, u16 size of the table, u16 place of each field in the table, 0 for absent ones |
 * | reference | u32: distance to what it refers to |
 * | vector | u32 number of elements, elements |
 */
import { CFileError, type CFileErrorDetails } from "@cfile/bytes";

export class FlatBuffer {
  private readonly view: DataView;
  readonly bytes: Uint8Array;
  /** Elements of the vector that was found last, and where they start. */
  length = 0;
  start = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Position of the root table. */
  root(): number {
    return this.follow(0, "array cell");
  }

  /** Position of a table's field of `width` bytes; `undefined` when the table does not have it. */
  field(table: number, slot: number, width: number, name: string): number | undefined {
    this.require(table, 4, name);
    const vtable = table - this.view.getInt32(table, true);
    this.require(vtable, 4, name);
    const vtableSize = this.view.getUint16(vtable, true);
    const tableSize = this.view.getUint16(vtable + 2, true);
    this.require(vtable, Math.max(4, vtableSize), name);
    this.require(table, Math.max(4, tableSize), name);
    const entry = 4 + 2 * slot;
    const place = entry + 2 <= vtableSize ? this.view.getUint16(vtable + entry, true) : 0;
    if (place === 0) {
      return undefined;
    }
    if (place < 4 || place + width > tableSize) {
      throw this.bad("a field outside its table", name, table);
    }
    return table + place;
  }

  /** What the reference at `position` refers to. */
  follow(position: number, name: string): number {
    this.require(position, 4, name);
    const target = position + this.view.getUint32(position, true);
    this.require(target, 4, name);
    return target;
  }

  /** Finds the vector at `position`, of elements of `width` bytes: `length` and `start` tell it. */
  vector(position: number, width: number, name: string): void {
    this.require(position, 4, name);
    const length = this.view.getUint32(position, true);
    this.require(position + 4, length * width, name);
    this.length = length;
    this.start = position + 4;
  }

  u8(position: number): number {
    return this.view.getUint8(position);
  }

  bad(reason: string, field: string, offset: number, details: CFileErrorDetails = {}): CFileError {
    return new CFileError("E_CORRUPT", `${field}: ${reason}`, { ...details, offset, field });
  }

  private require(position: number, length: number, name: string): void {
    if (!(position >= 0 && position + length <= this.bytes.length)) {
      throw new CFileError(
        "E_TRUNCATED",
        `${name} reaches out of an array cell of ${this.bytes.length} bytes`,
        {
          offset: Math.max(0, position),
          field: name,
          expected: length,
        },
      );
    }
  }
}
