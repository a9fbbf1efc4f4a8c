/**
 * A FlatBuffer whose offsets, lengths and nesting are checked against its bytes. Generated readers
 * trust all of them: a damaged count makes them loop or allocate without end.
 *
 * ```text
 * buffer   u32 offset of the root table
 * table    i32 distance back to its vtable, then its members
 * vtable   u16 its size, u16 size of the table, then u16 per slot: offset in the table, 0 when absent
 * member   a scalar, or a u32 offset from itself to a table, string or vector
 * string   u32 length, then as many bytes;  vector: u32 count, then as many elements
 * ```
 *
 * Specification: https://flatbuffers.dev/internals/
 */
import { corrupt } from "@cfile/bytes";

/** The content of a table's slot; a number is the width of a scalar in bytes. */
type Slot =
  | number
  | "string"
  | { readonly table: Layout }
  | { readonly tables: () => Layout }
  /** A vector, by the width of its elements in bytes. */
  | { readonly elements: number }
  /** One of these tables; the previous slot holds its index. */
  | { readonly union: readonly Layout[] };

export type Layout = readonly Slot[];

const FIELD = "Arrow IPC metadata";
const MAX_DEPTH = 64;
/** Shared tables and strings multiply the work of decoding; writers rarely share them. */
const MAX_SHARING = 16;

export class FlatBuffer {
  readonly root: number;
  private readonly view: DataView;
  private readonly start: number;
  private budget: number;
  /** End of the last table, string or vector. */
  private end = 0;

  /**
   * @param start offset of `bytes` in the input, for errors
   * @throws {CFileError} `E_CORRUPT` if an offset or length leads outside `bytes`, tables nest too deeply, or data follows them
   */
  constructor(bytes: Uint8Array, start: number, layout: Layout) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = start;
    this.budget = bytes.length * MAX_SHARING;
    this.require(0, 4);
    this.root = this.target(0);
    this.checkTable(this.root, layout, 0);
    // Only padding may follow. Otherwise an oversized length would hide the messages after it.
    const rest = bytes.subarray(this.end).findIndex((byte) => byte !== 0);
    if (rest >= 0) {
      const reason = `metadata ends at ${this.end} of ${bytes.length} bytes (expected only zeros after it)`;
      this.fail(reason, this.end + rest);
    }
  }

  /** Position of a member of a checked table; 0 when it is absent. */
  member(table: number, slot: number): number {
    const vtable = table - this.view.getInt32(table, true);
    const entry = 4 + 2 * slot;
    const offset = entry < this.view.getUint16(vtable, true) ? this.view.getUint16(vtable + entry, true) : 0;
    return offset === 0 ? 0 : table + offset;
  }

  /** An integer of 1, 2 or 8 bytes; 0 if the member is absent. */
  scalar(table: number, slot: number, width: 1 | 2 | 8): number {
    const at = this.member(table, slot);
    if (at === 0) {
      return 0;
    }
    return width === 8 ? this.i64(at) : width === 2 ? this.view.getInt16(at, true) : this.u8(at);
  }

  i64(at: number): number {
    return Number(this.view.getBigInt64(at, true));
  }

  /** Position of the table that a member leads to; 0 when it is absent. */
  table(table: number, slot: number): number {
    const at = this.member(table, slot);
    return at === 0 ? 0 : this.target(at);
  }

  /** Positions of the elements of a vector, each `width` bytes wide; empty when it is absent. */
  elements(table: number, slot: number, width: number): number[] {
    const vector = this.table(table, slot);
    const count = vector === 0 ? 0 : this.view.getUint32(vector, true);
    return Array.from({ length: count }, (_, i) => vector + 4 + i * width);
  }

  /** Positions of the tables of a vector. */
  tables(table: number, slot: number): number[] {
    return this.elements(table, slot, 4).map((at) => this.target(at));
  }

  /** @throws {CFileError} `E_CORRUPT`, with the offset of position `at` */
  fail(reason: string, at: number): never {
    throw corrupt(reason, { field: FIELD, offset: this.start + at });
  }

  private u8(at: number): number {
    return this.view.getUint8(at);
  }

  private target(at: number): number {
    return at + this.view.getUint32(at, true);
  }

  private require(at: number, size: number): void {
    this.budget -= size;
    if (at < 0 || at + size > this.view.byteLength) {
      this.fail(`${size} bytes at ${at} lie outside the ${this.view.byteLength} bytes of metadata`, 0);
    }
    this.end = Math.max(this.end, at + size);
    if (this.budget < 0) {
      this.fail("tables or strings are shared too often", at);
    }
  }

  private checkTable(table: number, layout: Layout, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.fail(`tables are nested deeper than ${MAX_DEPTH} levels`, table);
    }
    this.require(table, 4);
    const vtable = table - this.view.getInt32(table, true);
    this.require(vtable, 4);
    const vtableSize = this.view.getUint16(vtable, true);
    const size = this.view.getUint16(vtable + 2, true);
    if (vtableSize < 4 || vtableSize % 2 !== 0 || size < 4 || size > 0x7fff) {
      this.fail(`invalid vtable: ${vtableSize} bytes for a table of ${size} bytes`, vtable);
    }
    this.require(vtable, vtableSize);
    this.require(table, size);
    layout.forEach((slot, i) => {
      const at = this.member(table, i);
      if (at === 0) {
        return;
      }
      if (at < table + 4 || at + (typeof slot === "number" ? slot : 4) > table + size) {
        this.fail(`slot ${i} lies outside its table of ${size} bytes`, vtable);
      }
      if (typeof slot !== "number") {
        const type = i === 0 ? 0 : this.member(table, i - 1);
        this.checkTarget(slot, at, type === 0 ? 0 : this.u8(type), depth + 1);
      }
    });
  }

  private checkTarget(slot: Exclude<Slot, number>, at: number, type: number, depth: number): void {
    const target = this.target(at);
    this.require(target, 4);
    if (slot === "string") {
      this.require(target + 4, this.view.getUint32(target, true));
    } else if ("table" in slot) {
      this.checkTable(target, slot.table, depth);
    } else if ("union" in slot) {
      const layout = slot.union[type];
      if (layout === undefined) {
        this.fail(`unknown type ${type} of a union`, at);
      }
      this.checkTable(target, layout, depth);
    } else {
      const width = "elements" in slot ? slot.elements : 4;
      const count = this.view.getUint32(target, true);
      this.require(target + 4, count * width);
      if ("tables" in slot) {
        const layout = slot.tables();
        for (let i = 0; i < count; i++) {
          this.checkTable(this.target(target + 4 + 4 * i), layout, depth);
        }
      }
    }
  }
}
