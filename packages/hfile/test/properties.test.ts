import { compareBytes, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HFileReader, openHFile, type PackedBytes, type PackedValues } from "../src/index.js";
import { recoverHFile } from "../src/recover.js";
import { type Entry, sortedEntries, writeFile, writerOptions } from "./sorted-files.js";

const RUNS = { numRuns: 60, seed: 20251121 };
const text = ({ row, value }: { row: Uint8Array; value: Uint8Array }) => `${toHex(row)}=${toHex(value)}`;
const startsWith = (row: Uint8Array, prefix: Uint8Array) =>
  compareBytes(row.subarray(0, prefix.length), prefix) === 0;

async function list(reader: HFileReader, options = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const cell of reader.entries(options)) {
    found.push(text(cell));
  }
  return found;
}

/** Rows of the file, and rows between, before and after them. */
function probes(entries: readonly Entry[]): Uint8Array[] {
  const rows = entries.flatMap(({ row }) => [
    row,
    new Uint8Array([...row, 0]),
    row.subarray(0, row.length - 1),
  ]);
  return [new Uint8Array(0), ...rows.filter((_, i) => i % 5 === 0), Uint8Array.of(255, 255)];
}

function pack(rows: readonly Uint8Array[]): PackedBytes {
  let end = 0;
  const ends = rows.map(({ length }) => (end += length));
  return { offsets: Uint32Array.of(0, ...ends), data: Uint8Array.from(rows.flatMap((row) => [...row])) };
}

function unpacked({ offsets, data, present }: PackedValues): (Uint8Array | undefined)[] {
  return Array.from(present, (isPresent, i) => {
    const value = data.slice(offsets[i], offsets[i + 1]);
    expect(isPresent === 1 || value.length === 0).toBe(true);
    return isPresent ? value : undefined;
  });
}

describe("a written file", () => {
  it("answers scans, lookups and seeks like a sorted array", async () => {
    await fc.assert(
      fc.asyncProperty(sortedEntries, writerOptions, async (entries, options) => {
        const bytes = await writeFile(entries, options);
        const reader = await openHFile(bytes);
        expect(reader.entryCount).toBe(entries.length);
        expect(await list(reader)).toEqual(entries.map(text));
        const report = await reader.verify();
        expect(report).toMatchObject({ ok: true, problems: [], entries: entries.length });
        const rows = probes(entries).sort(compareBytes);
        const firsts = rows.map((row) => entries.find((entry) => compareBytes(entry.row, row) === 0));
        const values = firsts.map((entry) => entry?.value);
        expect(await reader.getMany(rows)).toEqual(values);
        expect(unpacked(await reader.getManyPacked(pack(rows)))).toEqual(values);
        for (const [i, row] of rows.entries()) {
          expect(await reader.get(row)).toEqual(firsts[i]?.value);
          const equal = entries.filter((entry) => compareBytes(entry.row, row) === 0);
          expect((await reader.getAll(row)).map(text)).toEqual(equal.map(text));
          expect(await list(reader, { prefix: row })).toEqual(
            entries.filter((entry) => startsWith(entry.row, row)).map(text),
          );
          const to = rows[rows.length - 1 - i] as Uint8Array;
          expect(await list(reader, { from: row, to, limit: 7 })).toEqual(
            entries
              .filter((entry) => compareBytes(entry.row, row) >= 0 && compareBytes(entry.row, to) < 0)
              .slice(0, 7)
              .map(text),
          );
          await checkSeek(reader, entries, row);
        }
        // Now blocks are cached.
        expect(unpacked(await reader.getManyPacked(rows))).toEqual(values);
      }),
      RUNS,
    );
  });

  it("is recovered completely, even without its trailer", async () => {
    await fc.assert(
      fc.asyncProperty(sortedEntries, writerOptions, fc.boolean(), async (entries, options, cut) => {
        const bytes = await writeFile(entries, options);
        const file = await recoverHFile(cut ? bytes.subarray(0, bytes.length - 1000) : bytes);
        const found: string[] = [];
        for await (const batch of file.batches()) {
          for (let i = 0; i < batch.length; i++) {
            found.push(text(batch.cell(i)));
          }
        }
        expect(found).toEqual(entries.map(text));
        expect(file.lost.length).toBe(cut ? 1 : 0);
      }),
      RUNS,
    );
  });
});

async function checkSeek(reader: HFileReader, entries: readonly Entry[], row: Uint8Array): Promise<void> {
  const ceiling = entries.find((entry) => compareBytes(entry.row, row) >= 0);
  const floor = entries.filter((entry) => compareBytes(entry.row, row) < 0).at(-1);
  const found = await reader.seek(row);
  switch (found.result) {
    case "found":
      expect(text(found.cell)).toBe(ceiling && text(ceiling));
      expect(compareBytes(found.cell.row, row)).toBe(0);
      break;
    case "before first":
      expect([undefined, text(found.ceiling)]).toEqual([floor, ceiling && text(ceiling)]);
      break;
    case "between":
      expect([text(found.floor), text(found.ceiling)]).toEqual([
        floor && text(floor),
        ceiling && text(ceiling),
      ]);
      break;
    case "after last":
      expect([text(found.floor), undefined]).toEqual([floor && text(floor), ceiling]);
      break;
    case "empty":
      expect(entries).toEqual([]);
      break;
  }
}

describe("unsorted rows", () => {
  it("are rejected by the writer and by lookups", async () => {
    const entries = ["b", "a"].map((row) => ({
      row: new TextEncoder().encode(row),
      value: new Uint8Array(0),
    }));
    await expect(writeFile(entries, {})).rejects.toSatisfy(
      (error) => isCFileError(error, "E_INVALID_ARGUMENT") && error.message.includes('"a"'),
    );
    const reader = await openHFile(await writeFile([], {}));
    const data = Uint8Array.of(98, 97);
    for (const rows of [
      ["b", "a"],
      ["aa", "a"],
      { offsets: Uint32Array.of(0, 1, 2), data },
      { offsets: Uint32Array.of(0, 2, 1), data },
      { offsets: Uint32Array.of(0, 3), data },
      { offsets: new Uint32Array(0), data },
    ]) {
      await expect(reader.getManyPacked(rows)).rejects.toSatisfy((e) =>
        isCFileError(e, "E_INVALID_ARGUMENT"),
      );
    }
  });
});
