/**
 * Parquet files cut at every page boundary and at random places: with the whole file as `like`, the recovered rows must be
 * the first rows of the table, and with the footer gone all of them.
 */
import { memorySink, memorySource } from "@cfile/io";
import { rebuildParquet, walkFile } from "@cfile/parquet/recover";
import type { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { ourRows, rowDifference } from "./compare-files.js";
import type { RandomTable } from "./random-table.js";

const CUTS = 200;

/** Outcomes of all cuts. */
export class CutFiles {
  private readonly failures: string[] = [];
  private cases = 0;
  private rows = 0;

  /** @param name of the file, for messages */
  async cut(random: Random, name: string, bytes: Uint8Array, table: RandomTable): Promise<void> {
    const ends: number[] = [];
    let end = 0;
    for await (const { kind, offset, size } of walkFile(memorySource(bytes))) {
      if (kind === "page") {
        end = offset + size;
        ends.push(end);
      }
    }
    const places = Array.from({ length: CUTS }, () => random.between(4, end));
    for (const size of [...ends, ...places]) {
      await this.one(name, bytes, size, table, size === end && bytes.length - size > 8);
    }
    await this.one(name, bytes, bytes.length - 8, table, true);
  }

  private async one(
    name: string,
    bytes: Uint8Array,
    size: number,
    { rows }: RandomTable,
    isWhole: boolean,
  ): Promise<void> {
    const what = `${name}, cut at ${size}`;
    this.cases++;
    try {
      const sink = memorySink();
      const ledger = await rebuildParquet(bytes.subarray(0, size), sink, { like: bytes });
      const found = await ourRows(sink.bytes());
      this.rows += found.length;
      const isAmbiguous = ledger.groups.some(({ isCertain }) => !isCertain);
      const wanted = isWhole && !isAmbiguous ? rows : rows.slice(0, found.length);
      this.failures.push(...rowDifference(what, wanted, found));
    } catch (error) {
      this.failures.push(`${what}: ${String(error).slice(0, 300)}`);
    }
  }

  result(): CheckResult {
    return {
      what: "a file cut anywhere, without its footer: cfile recovers its first rows, and no other",
      cases: this.cases,
      rows: this.rows,
      failures: this.failures,
    };
  }
}
