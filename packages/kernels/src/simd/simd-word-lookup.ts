/** Looks up codewords in a SIMD table, and in the portable table when the SIMD table declines. */
import { unlessForbidden } from "../kernel-choice.js";
import type { CodeTarget, WordLookup, WordStore, WordStrings } from "../word-table.js";
import { NO_CODES, SimdWordTable } from "./simd-word-table.js";

/** Minimum number of strings for which the table is worth its memory. */
const MIN_STRINGS = 64;
const ANY_SIZE = 0xffffffff;

export class SimdWordLookup implements WordLookup {
  readonly store: WordStore;
  private readonly portable: WordLookup;
  private readonly spare: SimdWordTable[];
  private table: SimdWordTable | undefined;

  /** @param spare released tables, to be reused */
  constructor(portable: WordLookup, spare: SimdWordTable[]) {
    this.portable = portable;
    this.spare = spare;
    this.store = portable.store;
  }

  lookUp(strings: WordStrings, from: number, to: number, target: CodeTarget): number {
    if (to - from < MIN_STRINGS) {
      return this.portable.lookUp(strings, from, to, target);
    }
    this.table ??= this.spare.pop() ?? unlessForbidden(() => new SimdWordTable(this.spare));
    const { data, offsets } = strings;
    const { codes, isWhole, room } = target;
    let taken = 0;
    while (from + taken < to) {
      const start = from + taken;
      const held = this.store.held();
      const limits = isWhole ? { ...held, blockSize: ANY_SIZE } : held;
      const found = this.table?.findCodes(strings, start, to, room - taken, limits) ?? NO_CODES;
      if (found === NO_CODES) {
        const rest = { codes: codes.subarray(taken), room: room - taken, isWhole };
        return taken + this.portable.lookUp(strings, start, to, rest);
      }
      for (const position of found.fresh) {
        this.store.append(data, offsets[start + position] as number, offsets[start + position + 1] as number);
      }
      codes.set(found.codes, taken);
      taken += found.codes.length;
      if (found.isFull) {
        break;
      }
    }
    return taken;
  }

  release(): void {
    this.table?.release();
    this.table = undefined;
  }
}
