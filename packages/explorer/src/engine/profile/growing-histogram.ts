/** A histogram for one pass over any values: its bins double in width until all values fit. */

const BINS = 128;
/** Maximum number of bins shown. */
const SHOWN = 64;

export class GrowingHistogram {
  private counts = new Float64Array(BINS);
  private start = 0;
  private width = 0;
  private total = 0;

  add(value: number, times = 1): void {
    if (!Number.isFinite(value)) {
      return;
    }
    if (this.total === 0) {
      this.width = Math.max(2 ** -40, Math.abs(value) * 2 ** -40);
      this.start = value;
    }
    this.total += times;
    let bin = Math.floor((value - this.start) / this.width);
    while (bin < 0 || bin >= BINS) {
      this.grow(bin < 0);
      bin = Math.floor((value - this.start) / this.width);
    }
    this.counts[bin] = (this.counts[bin] ?? 0) + times;
  }

  /** Doubles the width of bins, which makes room before the first or after the last one. */
  private grow(isBefore: boolean): void {
    const next = new Float64Array(BINS);
    const shift = isBefore ? BINS / 2 : 0;
    for (let i = 0; i < BINS; i++) {
      next[shift + (i >> 1)] = (next[shift + (i >> 1)] ?? 0) + (this.counts[i] ?? 0);
    }
    this.start -= isBefore ? BINS * this.width : 0;
    this.width *= 2;
    this.counts = next;
  }

  /** Lower bounds and counts of the bins from the minimum to the maximum. */
  bins(): { readonly bounds: number[]; readonly counts: number[] } {
    let first = this.counts.findIndex((count) => count > 0);
    if (first < 0) {
      return { bounds: [], counts: [] };
    }
    const last = this.counts.findLastIndex((count) => count > 0);
    const step = Math.max(1, Math.ceil((last - first + 1) / SHOWN));
    first -= first % step;
    const bounds: number[] = [];
    const counts: number[] = [];
    for (let bin = first; bin <= last; bin += step) {
      bounds.push(this.start + bin * this.width);
      counts.push(this.counts.subarray(bin, bin + step).reduce((sum, count) => sum + count, 0));
    }
    return { bounds, counts };
  }
}
