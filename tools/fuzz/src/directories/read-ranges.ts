/** Records which bytes of files were read, to determine whether changes of other bytes can affect a result. */

/** Bytes `from` to `to` (exclusive). */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export class ReadRanges {
  private readonly files = new Map<string, Stretch[]>();

  /** Records a read. Adjacent and overlapping reads are merged. */
  add(path: string, from: number, to: number): void {
    const stretches = this.files.get(path) ?? [];
    this.files.set(path, stretches);
    const touching = stretches.filter((each) => each.from <= to && each.to >= from);
    const all = [...touching, { from, to }];
    const joined = {
      from: Math.min(...all.map((each) => each.from)),
      to: Math.max(...all.map((each) => each.to)),
    };
    this.files.set(path, [...stretches.filter((each) => !touching.includes(each)), joined]);
  }

  hasFile(path: string): boolean {
    return this.files.has(path);
  }

  overlaps(path: string, { from, to }: Stretch): boolean {
    return this.files.get(path)?.some((each) => each.from < to && each.to > from) === true;
  }

  clear(): void {
    this.files.clear();
  }
}

const CHUNK = 4096;

/** From the first to the last byte that differs; everything if the sizes differ. */
export function changedStretch(before: Uint8Array | undefined, after: Uint8Array): Stretch {
  if (before?.length !== after.length) {
    return { from: 0, to: Number.POSITIVE_INFINITY };
  }
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (let at = 0; at < after.length; at += CHUNK) {
    const end = at + CHUNK;
    if (Buffer.compare(before.subarray(at, end), after.subarray(at, end)) !== 0) {
      from = Math.min(from, at);
      to = end;
    }
  }
  return { from, to };
}
