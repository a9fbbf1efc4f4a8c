/** Whole pages cut out of the middle of a file that keeps its start and footer: values never change columns, except in reported guesses. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { rebuildParquet, recoverParquet } from "../src/recover.js";
import { type ExportOptions, exportParquet } from "../src/write.js";
import { rowsWithout, rowTexts, type Subject, subjectOf } from "./rebuilt-rows.js";

const ROWS = 240;
const COLUMNS = ["a", "b", "c"].map(
  (name) => ({ name, type: "INT64", nullable: false, array: false }) as const,
);

async function sameTyped(
  valueAt: (row: number, column: number) => number,
  options: ExportOptions,
): Promise<Subject> {
  async function* rows() {
    for (let firstRow = 0; firstRow < ROWS; firstRow += 20) {
      const columns = COLUMNS.map((column, c) =>
        batchFromValues(
          column,
          Array.from({ length: 20 }, (_, i) => BigInt(valueAt(firstRow + i, c))),
        ),
      );
      yield { length: 20, firstRow, names: COLUMNS.map(({ name }) => name), columns };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: COLUMNS, rows: rows() }, options);
  return subjectOf("same", sink.bytes());
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** One to three stretches of whole pages, not at the end. */
function stretches({ groups }: Subject, random: (limit: number) => number): Range[] {
  const pages = groups
    .flatMap(({ leaves }) => leaves.flatMap(({ dictionary, pages: own }) => [dictionary ?? [], own].flat(2)))
    .sort((a, b) => a.from - b.from);
  return Array.from({ length: 1 + random(3) }, () => {
    const from = random(pages.length - 1);
    const to = Math.min(pages.length - 2, from + random(6));
    return { from: pages[from]?.from ?? 0, to: pages[Math.max(from, to)]?.to ?? 0 };
  });
}

function without(bytes: Uint8Array, ranges: readonly Range[]): Uint8Array {
  return bytes.filter((_, at) => !ranges.some(({ from, to }) => at >= from && at < to));
}

const FORMS: readonly ExportOptions[] = [
  { codec: "UNCOMPRESSED", rowGroupRows: 60, pageRows: 20, statistics: "none" },
  { codec: "UNCOMPRESSED", rowGroupRows: 20, pageRows: 20, statistics: "none" },
  { codec: "UNCOMPRESSED", rowGroupRows: 240, pageRows: 20, statistics: "none" },
  { codec: "UNCOMPRESSED", rowGroupRows: 60, pageRows: 20 },
  { codec: "SNAPPY", rowGroupRows: 60, pageRows: 20, statistics: "none" },
  { codec: "SNAPPY", rowGroupRows: 120, pageRows: 40 },
];
const VALUES: readonly (readonly [string, (row: number, column: number) => number])[] = [
  ["ascending", (row, column) => 1_000_003 * row + column],
  ["of the same bounds", (row, column) => ((row * 7919 + column * 31) % 1000) * 100_000_007],
  ["with dictionaries", (row, column) => (row % 7) * 1_000_000_007 + column],
];

describe("whole pages cut out of the middle", () => {
  it.each(VALUES)("values %s: certain rows are rows of the file, others are named", async (_, valueAt) => {
    const random = randomNumbers(25);
    for (const form of FORMS) {
      const subject = await sameTyped(valueAt, form);
      for (let i = 0; i < 8; i++) {
        const lost = stretches(subject, random);
        const what = `${JSON.stringify(form)} without ${JSON.stringify(lost)}`;
        const cut = without(subject.bytes, lost);
        const sink = memorySink();
        const ledger = await rebuildParquet(cut, sink);
        const rows = await rowTexts(sink.bytes());
        const expected = new Set(rowsWithout(subject, ...lost));
        let from = 0;
        for (const { rowsKept, isCertain, isGuessed } of ledger.groups) {
          const own = rows.slice(from, from + rowsKept);
          from += rowsKept;
          expect([what, rowsKept === 0 || isCertain !== isGuessed]).toEqual([what, true]);
          expect([what, isCertain ? own.filter((row) => !expected.has(row)) : []]).toEqual([what, []]);
        }
        expect([what, ledger.ok]).toEqual([what, false]);
      }
    }
  });

  it("keeps every row whose pages are whole if the page index distinguishes them", async () => {
    const random = randomNumbers(26);
    const subject = await sameTyped((row, column) => 1_000_003 * row + column, {
      ...{ codec: "UNCOMPRESSED", rowGroupRows: 60, pageRows: 20 },
    });
    for (let i = 0; i < 30; i++) {
      const lost = stretches(subject, random);
      const sink = memorySink();
      const { groups } = await rebuildParquet(without(subject.bytes, lost), sink);
      expect(await rowTexts(sink.bytes())).toEqual(rowsWithout(subject, ...lost));
      expect(groups.filter(({ isCertain }) => !isCertain)).toEqual([]);
    }
  });

  it("is an error of every reader that trusts the offsets in the footer", async () => {
    const random = randomNumbers(27);
    for (const form of FORMS) {
      const subject = await sameTyped((row, column) => 1_000_003 * row + column, form);
      for (let i = 0; i < 5; i++) {
        const cut = without(subject.bytes, stretches(subject, random));
        const error = {
          code: "E_TRUNCATED",
          reason: expect.stringContaining("shorter than its footer states"),
        };
        await expect(openParquet(cut)).rejects.toMatchObject(error);
        await expect(recoverParquet(cut)).rejects.toMatchObject(error);
      }
    }
  });
});
