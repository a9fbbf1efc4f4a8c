/**
 * Builds FlatBuffers back to front, as the official library does; `flat-buffer.ts` describes their layout. Equal vtables are
 * shared. Positions are counted from the end of the buffer.
 */
export class FlatBufferBuilder {
  /** The buffer under construction; its last `size` bytes are written. */
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private size = 0;
  private alignment = 1;
  private readonly vtables: number[] = [];

  /** Adds a vector of elements of `width` bytes. */
  vector(elements: Uint8Array, width: number): number {
    this.align(4, elements.length);
    this.align(width, elements.length);
    this.grow(elements.length);
    this.bytes.set(elements, this.bytes.length - this.size);
    return this.u32(elements.length / width);
  }

  /** Adds a string: a vector of bytes and a zero. */
  string(text: Uint8Array): number {
    this.align(4, text.length + 1);
    this.grow(1);
    this.grow(text.length);
    this.bytes.set(text, this.bytes.length - this.size);
    return this.u32(text.length);
  }

  /** Adds a vector of references to earlier positions. */
  references(targets: readonly number[]): number {
    this.align(4, 4 * targets.length);
    for (let i = targets.length - 1; i >= 0; i--) {
      this.reference(targets[i] as number);
    }
    return this.u32(targets.length);
  }

  /**
   * Adds a table.
   *
   * @param references targets by slot; `undefined` for an absent field
   * @param type a field of one byte in slot 0, before the references
   */
  table(references: readonly (number | undefined)[], type?: number): number {
    const start = this.size;
    const first = type === undefined ? 0 : 1;
    const fields = new Array<number>(first + references.length).fill(0);
    // The official library adds larger fields first, and fields of equal size in reverse order.
    for (let i = references.length - 1; i >= 0; i--) {
      const target = references[i];
      if (target !== undefined) {
        fields[first + i] = this.reference(target);
      }
    }
    if (type !== undefined) {
      this.align(1, 0);
      this.grow(1);
      this.bytes[this.bytes.length - this.size] = type;
      fields[0] = this.size;
    }
    this.align(4, 0);
    this.grow(4);
    return this.finishTable(start, fields);
  }

  /** The whole buffer with its root table. */
  finish(root: number): Uint8Array {
    this.align(Math.max(4, this.alignment), 4);
    this.reference(root);
    return this.bytes.slice(this.bytes.length - this.size);
  }

  private finishTable(start: number, fields: readonly number[]): number {
    const table = this.size;
    const used = fields.findLastIndex((field) => field > 0) + 1;
    const vtable = new Uint8Array(4 + 2 * used);
    const view = new DataView(vtable.buffer);
    view.setUint16(0, vtable.length, true);
    view.setUint16(2, table - start, true);
    for (let i = 0; i < used; i++) {
      const field = fields[i] as number;
      view.setUint16(4 + 2 * i, field === 0 ? 0 : table - field, true);
    }
    let shared = this.vtables.find((position) => this.holds(position, vtable));
    if (shared === undefined) {
      this.grow(vtable.length);
      this.bytes.set(vtable, this.bytes.length - this.size);
      shared = this.size;
      this.vtables.push(shared);
    }
    this.view.setInt32(this.bytes.length - table, shared - table, true);
    return table;
  }

  private holds(position: number, vtable: Uint8Array): boolean {
    const start = this.bytes.length - position;
    return vtable.every((byte, i) => this.bytes[start + i] === byte);
  }

  private reference(target: number): number {
    this.align(4, 0);
    return this.u32(this.size + 4 - target);
  }

  private u32(value: number): number {
    this.align(4, 0);
    this.grow(4);
    this.view.setUint32(this.bytes.length - this.size, value, true);
    return this.size;
  }

  /** Pads so that after `length` more bytes the position is a multiple of `width`. */
  private align(width: number, length: number): void {
    this.alignment = Math.max(this.alignment, width);
    this.grow(-(this.size + length) & (width - 1));
  }

  /** Adds `length` zero bytes. */
  private grow(length: number): void {
    const needed = this.size + length;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
      grown.set(this.bytes, grown.length - this.bytes.length);
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    this.size = needed;
  }
}
