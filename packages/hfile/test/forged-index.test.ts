/** Index entries and cells with false contents: cycles, overlaps, negative lengths. The files have no checksums. */

import { type CFileError, isCFileError } from "@cfile/bytes";
import { checked, expectRefusal } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { HFILE_LIMITS } from "../src/file/file-structure.js";
import { parseIndexNode } from "../src/index/index-node.js";
import { type HFileReader, openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";
import { storedBlocks } from "./stored-blocks.js";

const HEADER = 33;
const ENTRY_HEAD = 12;
const OPTIONS = { checksums: "NULL", blockSize: 256, indexBlockSize: 128 } as const;
const entries = numberedEntries(400);
const bytes = await writeFile(entries, OPTIONS);
const blocks = await storedBlocks(bytes);

/** A whole scan, lookups of all rows, and the verifier's report. */
async function readAll(file: Uint8Array): Promise<CFileError[]> {
  const errors: CFileError[] = [];
  const attempt = async (work: (reader: HFileReader) => Promise<void>): Promise<void> => {
    try {
      await work(await openHFile(file));
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      errors.push(error);
    }
  };
  await attempt(async (reader) => {
    let cells = 0;
    for await (const batch of reader.scan()) {
      cells += batch.length;
      expect(cells).toBeLessThanOrEqual(entries.length);
    }
  });
  await attempt(async (reader) => {
    const rows = entries.map(({ row }) => row);
    const values = await reader.getMany(rows);
    for (const [i, value] of values.entries()) {
      // Values are missing or right, never wrong.
      expect(value === undefined || Buffer.compare(value, entries[i]?.value ?? rows[0] ?? value) === 0).toBe(
        true,
      );
    }
  });
  await attempt(async (reader) => {
    const report = await reader.verify();
    expect(report.ok).toBe(false);
  });
  return errors;
}

function forged(at: number, value: number, size: 4 | 8): Uint8Array {
  const file = bytes.slice();
  const view = new DataView(file.buffer);
  if (size === 8) {
    view.setBigInt64(at, BigInt(value));
  } else {
    view.setInt32(at, value);
  }
  return file;
}

interface IndexEntry {
  readonly kind: string;
  /** Offset of the index block. */
  readonly own: number;
  /** Position of the entry's offset and size in the file. */
  readonly at: number;
  readonly offset: number;
  readonly size: number;
  readonly previous: number;
}

const indexEntries: IndexEntry[] = blocks
  .filter(({ kind }) => kind === "leaf index" || kind === "intermediate index")
  .flatMap(({ kind, offset: own, body }) => {
    const node = parseIndexNode(body, HFILE_LIMITS);
    return Array.from({ length: node.length }, (_, i) => ({
      kind,
      own,
      at: own + HEADER + (node.keyStarts[i] as number) - ENTRY_HEAD,
      offset: node.offset(i),
      size: node.size(i),
      previous: i === 0 ? 0 : node.offset(i - 1),
    }));
  });
const some = (kind: string): IndexEntry[] =>
  indexEntries
    .filter((entry) => entry.kind === kind)
    .filter((_, i, all) => i % Math.ceil(all.length / 6) === 1);

describe.each(["leaf index", "intermediate index"])("an entry of a %s block", (kind) => {
  it("exists in the test file", () => {
    expect(some(kind).length).toBeGreaterThan(2);
  });

  it.each([
    ["its own block", ({ own }: IndexEntry) => own],
    ["the previous block", ({ previous }: IndexEntry) => previous],
    ["the inside of the previous block", ({ previous }: IndexEntry) => previous + 1],
    ["the middle of its block", ({ offset }: IndexEntry) => offset + 5],
    ["the start of the file", () => 0],
    ["a negative offset", () => -1],
    ["the smallest offset", () => -(2 ** 53)],
    ["the end of the file", () => bytes.length],
    ["far beyond the end", () => 2 ** 52],
  ])("that leads to %s causes a typed error", async (_, to) => {
    for (const entry of some(kind)) {
      const errors = await readAll(forged(entry.at, to(entry), 8));
      expect(errors.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ["zero", () => 0],
    ["negative", () => -1],
    ["minimal", () => -(2 ** 31)],
    ["one byte too large", ({ size }: IndexEntry) => size + 1],
    ["one byte too small", ({ size }: IndexEntry) => size - 1],
    ["maximal", () => 2 ** 31 - 1],
  ])("with a wrong size, %s, causes a typed error", async (_, to) => {
    for (const entry of some(kind)) {
      const errors = await readAll(forged(entry.at + 8, to(entry), 4));
      expect(errors.length).toBeGreaterThan(0);
    }
  });
});

describe("negative and oversized lengths", () => {
  const data = blocks.filter(({ kind }) => kind === "data").filter((_, i) => i % 20 === 3);

  it.each([
    ["key length", HEADER],
    ["value length", HEADER + 4],
    ["on-disk size", 8],
    ["uncompressed size", 12],
  ])("of a data block cause a typed error: %s", async (_, at) => {
    expect(data.length).toBeGreaterThan(1);
    for (const { offset } of data) {
      for (const value of [-1, -(2 ** 31), 2 ** 31 - 1, 0]) {
        if (at === HEADER + 4 && value === 0) {
          continue;
        }
        const errors = await readAll(forged(offset + at, value, 4));
        expect(errors.length).toBeGreaterThan(0);
      }
    }
  });
});

/** Golden files that are small enough to test every length and every byte, or every fifth. */
describe.each([
  ["hudi_1_2_native_512B_NONE_empty", 1],
  // Decompression makes each test slower.
  ["hudi_1_0_hbase_2_4_9_no_entry", 5],
] as const)("%s", (name, step) => {
  const golden = goldenFile(name).bytes;
  const open = async (file: Uint8Array): Promise<void> => {
    try {
      const reader = await openHFile(file);
      await reader.verify();
      await reader.get("a");
      checked(1);
    } catch (error) {
      expectRefusal(error);
    }
  };

  it("truncated to any length throws a CFileError", async () => {
    for (let length = 0; length < golden.length; length++) {
      await expect(openHFile(golden.subarray(0, length))).rejects.toSatisfy((error) => isCFileError(error));
    }
  });

  it("with one flipped bit throws a CFileError or stays readable", async () => {
    for (let offset = 0; offset < golden.length; offset += step) {
      const bad = golden.slice();
      bad[offset] = (bad[offset] as number) ^ (1 << (offset & 7));
      await open(bad);
    }
  });
});
