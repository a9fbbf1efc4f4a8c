/**
 * New cells of one column in a range of rows; the last one per row wins. Values stay in the blocks of the delta files until a batch
 * is patched.
 */
import type { MutatedCell } from "@cfile/deltafile";

export class CellPatches {
  /** Number of patched rows. */
  count = 0;
  /** Patched rows, counted from the start of the range, in order of arrival. */
  positions = new Uint32Array(16);
  /** The value of patch `i` is `data[i][starts[i]..ends[i])`; NULL if its end is -1. */
  starts = new Int32Array(16);
  ends = new Int32Array(16);
  readonly data: Uint8Array[] = [];
  /** By position: the index of the patch plus 1. */
  private slots = new Int32Array(0);
  private length = 0;

  /** Removes all patches and starts a range of `length` rows. */
  reset(length: number): void {
    for (let i = 0; i < this.count; i++) {
      this.slots[this.positions[i] as number] = 0;
    }
    this.count = 0;
    this.data.length = 0;
    this.length = length;
  }

  set(position: number, { isNull, data, start, end }: MutatedCell): void {
    this.put(position, data, start, isNull ? -1 : end);
  }

  /** Sets the value `data[start..end)`; NULL if `end` is -1. */
  put(position: number, data: Uint8Array, start: number, end: number): void {
    // Allocated lazily: most columns of most batches have no patches.
    if (this.slots.length < this.length) {
      this.slots = new Int32Array(this.length);
    }
    let slot = (this.slots[position] as number) - 1;
    if (slot < 0) {
      slot = this.count++;
      if (slot === this.positions.length) {
        this.grow();
      }
      this.slots[position] = slot + 1;
      this.positions[slot] = position;
    }
    this.data[slot] = data;
    this.starts[slot] = start;
    this.ends[slot] = end;
  }

  /** Index of the patch at a position; -1 without one. */
  find(position: number): number {
    return position < this.slots.length ? (this.slots[position] as number) - 1 : -1;
  }

  private grow(): void {
    const { positions, starts, ends } = this;
    const size = 2 * positions.length;
    this.positions = new Uint32Array(size);
    this.positions.set(positions);
    this.starts = new Int32Array(size);
    this.starts.set(starts);
    this.ends = new Int32Array(size);
    this.ends.set(ends);
  }
}
