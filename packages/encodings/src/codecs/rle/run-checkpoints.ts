/** Where runs of an RLE stream start: a decoder remembers one in 64 runs that it opens, so that going back is short. */

const RUNS_PER_CHECKPOINT = 64;

/** The start of a run: its byte, and the position of its first value. */
export interface RunStart {
  readonly start: number;
  readonly value: number;
}

export class RunCheckpoints {
  private last: RunStart;
  private readonly runs: RunStart[];
  private runsAfter = 0;

  /** @param start byte of the first run */
  constructor(start: number) {
    this.last = { start, value: 0 };
    this.runs = [this.last];
  }

  /** Takes note of a run that starts at byte `start` and value `value`. */
  pass(start: number, value: number): void {
    if (value > this.last.value && ++this.runsAfter >= RUNS_PER_CHECKPOINT) {
      this.runsAfter = 0;
      this.last = { start, value };
      this.runs.push(this.last);
    }
  }

  /** Makes the next run a checkpoint: the runs before it were not passed one by one. */
  addNext(): void {
    this.runsAfter = RUNS_PER_CHECKPOINT;
  }

  /** The last checkpoint at or before value `position`. */
  before(position: number): RunStart {
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.runs[middle] as RunStart).value <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return this.runs[low] as RunStart;
  }
}
