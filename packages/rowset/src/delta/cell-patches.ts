/**
 * Cells of one column that changes overwrite, in a range of rows. Of each row the last one counts. Values stay where they
 * are, in the delta files' blocks, until a batch is patched.
 */
import type { MutatedCell } from "@cfile/deltafile";

export class CellPatches {
  /** Number of rows that have one. */
  count = 0;
  /** The rows, counted from the start of the range, in the order in which they were met. */
  positions = new Uint32Array(16);
  /** The value of patch `i` stands in `data[i][starts[i]..ends[i])`; an end of -1 is a NULL. */
  starts = new Int32Array(16);
  ends = new Int32Array(16);
  readonly data: Uint8Array[] = [];
  /** By position: the patch's number and 1. */
  private slots = new Int32Array(0);
  private length = 0;

  /** Forgets all patches; the next are for `length` rows. */
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

  /** {@link set} of the value in `data[start..end)`; NULL for an end of -1. */
  put(position: number, data: Uint8Array, start: number, end: number): void {
    // Most columns of most batches have no patches: memory is for those that do.
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

  /** The number of the position's patch; -1 when it has none. */
  find(position: number): number {
    return position < this.slots.length ? (this.slots[position] as number) - 1 : -1;
  }

  private grow(): void {
    const size = 2 * this.positions.length;
    const positions = new Uint32Array(size);
    const starts = new Int32Array(size);
    const ends = new Int32Array(size);
    positions.set(this.positions);
    starts.set(this.starts);
    ends.set(this.ends);
    this.positions = positions;
    this.starts = starts;
    this.ends = ends;
  }
}
