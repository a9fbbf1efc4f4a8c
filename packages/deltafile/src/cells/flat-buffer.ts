/**
 * The part of FlatBuffers that array cells use. Numbers are little-endian; offsets are checked before they are followed.
 *
 * | element | coding |
 * | --- | --- |
 * | root | u32 at 0: offset of the root table |
 * | table | i32: distance back to its vtable; fields |
 * | vtable | u16 own size, u16 size of the table, u16 offset of each field in the table, 0 for absent fields |
 * | reference | u32: distance to its target |
 * | vector | u32 number of elements, elements |
 */
import { CFileError, corrupt } from "@cfile/bytes";

export class FlatBuffer {
  private readonly view: DataView;
  readonly bytes: Uint8Array;
  /** Element count of the vector found last, and the position of its elements. */
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

  /** Position of a table's field of `width` bytes; `undefined` if it is absent. */
  field(table: number, slot: number, width: number, name: string): number | undefined {
    this.require(table, 4, name);
    const vtable = table - this.view.getInt32(table, true);
    this.require(vtable, 4, name);
    const vtableSize = this.view.getUint16(vtable, true);
    const tableSize = this.view.getUint16(vtable + 2, true);
    this.require(vtable, Math.max(4, vtableSize), name);
    this.require(table, Math.max(4, tableSize), name);
    const entry = 4 + 2 * slot;
    const offset = entry + 2 <= vtableSize ? this.view.getUint16(vtable + entry, true) : 0;
    if (offset === 0) {
      return undefined;
    }
    if (offset < 4 || offset + width > tableSize) {
      throw corrupt(`${name} outside its table`, { offset: table, field: name });
    }
    return table + offset;
  }

  /** Target of the reference at `position`. */
  follow(position: number, name: string): number {
    this.require(position, 4, name);
    const target = position + this.view.getUint32(position, true);
    this.require(target, 4, name);
    return target;
  }

  /** Sets `length` and `start` to the vector at `position`, of elements of `width` bytes. */
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

  private require(position: number, length: number, name: string): void {
    if (!(position >= 0 && position + length <= this.bytes.length)) {
      const reason = `${name} reaches beyond an array cell of ${this.bytes.length} bytes`;
      throw new CFileError("E_TRUNCATED", reason, {
        offset: Math.max(0, position),
        field: name,
        expected: length,
      });
    }
  }
}
