/**
 * Parquet files cut at every page boundary (in larger files, at 300 of them) and at random offsets, without their footer, without their
 * start, and also with damage inside. With the whole file as `like`, exactly the rows whose pages are complete must be recovered.
 */
import { isCFileError } from "@cfile/bytes";
import { memorySink, memorySource } from "@cfile/io";
import { rebuildParquet } from "@cfile/parquet/recover";
import type { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { ourRows, rowDifference } from "./compare-files.js";
import type { RandomTable } from "./random-table.js";
import { type ByteRange, pageMap, wholeRows } from "./whole-rows.js";

const CUTS = 200;
const MAX_ENDS = 300;
const DAMAGED = 20;
const START = 4096;

/** A file with the rows that it should have. */
interface CutSubject {
  readonly name: string;
  readonly bytes: Uint8Array;
  rowsWithout(lost: ByteRange): string[];
}

/** Outcomes of all cuts. */
export class CutFiles {
  private readonly failures: string[] = [];
  private cases = 0;
  private rows = 0;
  private ambiguous = 0;
  private leftOut = 0;
  private guessed = 0;

  /** @param name of the file, for messages */
  async cut(random: Random, name: string, bytes: Uint8Array, table: RandomTable): Promise<void> {
    const map = await pageMap(memorySource(bytes));
    const { ends, end, footer, hasChecksums } = map;
    const rowsWithout = (lost: ByteRange): string[] => {
      const isWhole = wholeRows(map, lost);
      return table.rows.filter((_, row) => isWhole[row]);
    };
    const subject = { name, bytes, rowsWithout };
    const places = Array.from({ length: CUTS }, () => random.between(4, end));
    const step = Math.ceil(ends.length / MAX_ENDS);
    const boundaries = ends.filter((_, i) => i % step === 0 || i === ends.length - 1);
    for (const size of [...boundaries, ...places, footer, bytes.length - 8]) {
      await this.one(`cut at ${size}`, subject, bytes.subarray(0, size), { from: size, to: bytes.length });
    }
    const start = { from: 0, to: Math.min(START, end >> 1) };
    await this.one("without its start", subject, bytes.subarray(start.to), start);
    await this.one("without its start and its footer", subject, bytes.subarray(start.to, footer), start);
    for (let i = 0; hasChecksums && i < DAMAGED; i++) {
      const from = random.between(4, end - 1);
      const lost = { from, to: Math.min(end, from + random.between(1, 100)) };
      const damaged = bytes.slice(0, footer);
      for (let at = lost.from; at < lost.to; at++) {
        damaged[at] = ~(damaged[at] ?? 0);
      }
      await this.one(`damaged from ${lost.from} to ${lost.to}`, subject, damaged, lost);
    }
  }

  /** @param damaged the file without the bytes of `lost` */
  private async one(what: string, subject: CutSubject, damaged: Uint8Array, lost: ByteRange): Promise<void> {
    const { name, bytes } = subject;
    const expected = subject.rowsWithout(lost);
    this.cases++;
    try {
      const sink = memorySink();
      const { groups } = await rebuildParquet(damaged, sink, { like: bytes });
      const found = await ourRows(sink.bytes());
      this.rows += found.length;
      const isAmbiguous = groups.some(({ isCertain, isGuessed }) => !isCertain && !isGuessed);
      this.ambiguous += isAmbiguous ? 1 : 0;
      this.guessed += groups.some(({ isGuessed }) => isGuessed) ? 1 : 0;
      const wanted = isAmbiguous ? subsequence(expected, found) : expected;
      this.leftOut += expected.length - wanted.length;
      this.failures.push(...rowDifference(`${name}, ${what}`, wanted, found));
    } catch (error) {
      if (isCFileError(error, "E_LIMIT")) {
        this.ambiguous++;
        this.leftOut += expected.length;
        return;
      }
      this.failures.push(`${name}, ${what}: ${String(error).slice(0, 300)}`);
    }
  }

  result(): CheckResult {
    return {
      what: "a file cut anywhere, without its footer, its start or pages inside: cfile recovers the rows whose pages are whole, and no other",
      cases: this.cases,
      rows: this.rows,
      failures: this.failures,
      counts: {
        "with row groups left out as ambiguous": this.ambiguous,
        "complete rows in these row groups (counted from seed 24 on)": this.leftOut,
        "with columns told apart by the other file": this.guessed,
      },
    };
  }
}

/** The rows of `all` that `found` has in the same order. */
function subsequence(all: readonly string[], found: readonly string[]): string[] {
  let next = 0;
  return all.filter((row) => {
    const isFound = row === found[next];
    next += isFound ? 1 : 0;
    return isFound;
  });
}
