import { isCFileError } from "@cfile/bytes";
import { memorySink, memorySource } from "@cfile/io";
import {
  cut,
  type Damaged,
  flippedBit,
  insert,
  offsetIn,
  overwrite,
  randomNumbers,
  remove,
} from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { DELETE, REINSERT, UPDATE } from "../src/index.js";
import { type DeltaBatch, openDeltaFile } from "../src/read.js";
import { type RecoverDeltaOptions, type RecoveredDeltaFile, recoverDeltaFile } from "../src/recover.js";
import { deltaFile, type Entry, openBytes, SET } from "./forge.js";
import { type GoldenDeltaFile, goldenDeltaFile, goldenDeltaFiles } from "./golden.js";

/** Multiplies the number of cases of a quick run. */
const FACTOR = Number(process.env["RECOVER_RUNS"] ?? 1);

interface Block {
  readonly offset: number;
  readonly size: number;
  readonly entries: readonly string[];
}

interface Subject {
  readonly golden: GoldenDeltaFile;
  readonly blocks: readonly Block[];
  readonly headerEnd: number;
  readonly footerStart: number;
}

const shown = ({ length, rows, timestamps, types, offsets, data }: DeltaBatch): string[] =>
  Array.from({ length }, (_, i) => {
    const mutations = Buffer.from(data.subarray(offsets[i], offsets[i + 1])).toString("hex");
    return `${rows[i]} ${timestamps[i]} ${types[i]} ${mutations}`;
  });

async function subject(golden: GoldenDeltaFile): Promise<Subject> {
  const reader = await openBytes(golden.bytes);
  const lists: string[][] = [];
  for await (const batch of reader.entries()) {
    lists.push(shown(batch));
  }
  const { footerRange, headerRange } = reader.structure;
  return {
    golden,
    blocks: golden.validx.map(({ offset, size }, i) => ({ offset, size, entries: lists[i] ?? [] })),
    headerEnd: headerRange.size,
    footerStart: footerRange.offset,
  };
}

async function recovered(
  bytes: Uint8Array,
  options: RecoverDeltaOptions,
): Promise<RecoveredDeltaFile & { readonly content: Uint8Array }> {
  const sink = memorySink();
  const found = await recoverDeltaFile(memorySource(bytes), sink, options);
  return { ...found, content: sink.bytes() };
}

/** Compares a recovery with the undamaged blocks, entry by entry. */
async function faultsOf(file: Subject, damaged: Damaged, options: RecoverDeltaOptions): Promise<string[]> {
  const { golden, blocks } = file;
  const intact = blocks.filter((block) => offsetIn(damaged, block) !== undefined);
  const expected = intact.flatMap(({ entries }) => entries);
  if (expected.length === 0) {
    const error: unknown = await recovered(damaged.bytes, options).catch((thrown: unknown) => thrown);
    return isCFileError(error, "E_CORRUPT") ? [] : [`nothing to recover: ${error}`];
  }
  const { content, ledger } = await recovered(damaged.bytes, options);
  const faults: string[] = [];
  const reader = await openDeltaFile(memorySource(content));
  const kept: string[] = [];
  for await (const batch of reader.entries()) {
    kept.push(...shown(batch));
  }
  const leftOut = new Set(ledger.leftOut.map(({ row, timestamp }) => `${row} ${timestamp}`));
  const wanted = expected.filter((entry) => !leftOut.has(entry.split(" ").slice(0, 2).join(" ")));
  if (JSON.stringify(kept) !== JSON.stringify(wanted)) {
    faults.push(`${kept.length} entries, expected ${wanted.length}`);
  }
  const report = await reader.verify({ kind: golden.kind });
  faults.push(...report.problems.map(({ reason }) => reason));
  const { entriesKept, entriesTotal, entriesLost, complete, kind, kindFrom } = ledger;
  if (entriesKept !== kept.length || (entriesTotal !== undefined && entriesTotal !== golden.deltas.length)) {
    faults.push(`ledger counts ${entriesKept} of ${entriesTotal}`);
  }
  if (entriesTotal !== undefined && entriesLost !== entriesTotal - kept.length) {
    faults.push(`ledger lost ${entriesLost}`);
  }
  if (complete && kept.length !== golden.deltas.length) {
    faults.push("complete, but entries are missing");
  }
  if (kindFrom !== "any" && kind !== golden.kind) {
    faults.push(`wrong kind ${kind}`);
  }
  // Every lost entry belongs to a row of a lost range.
  const present = new Set(kept);
  const lost = blocks.flatMap(({ entries }) => entries).filter((entry) => !present.has(entry));
  const ranges = ledger.blocks.filter(({ state }) => state === "lost").map(({ rows }) => rows);
  const outside = lost.filter((entry) => {
    const row = Number(entry.split(" ")[0]);
    const isLeftOut = leftOut.has(entry.split(" ").slice(0, 2).join(" "));
    const isIn = ranges.some(({ from = 0, to = Number.POSITIVE_INFINITY }) => row >= from && row < to);
    return !isLeftOut && !isIn;
  });
  if (entriesTotal !== undefined && outside.length > 0) {
    faults.push(`lost rows outside the ranges of the ledger: ${outside.slice(0, 3).join("; ")}`);
  }
  return faults;
}

const patterns: Readonly<Record<string, (file: Subject, next: (limit: number) => number) => Damaged>> = {
  "a bit of a data block": ({ golden: { bytes }, blocks }, next) => {
    const { offset, size } = blocks[next(blocks.length)] as Block;
    return flippedBit(bytes, 8 * offset + next(8 * size));
  },
  "a bit between header and footer": ({ golden: { bytes }, headerEnd, footerStart }, next) =>
    flippedBit(bytes, 8 * headerEnd + next(8 * (footerStart - headerEnd))),
  "a range of zeros": ({ golden: { bytes }, footerStart }, next) => {
    const from = next(footerStart);
    return overwrite(bytes, from, Math.min(footerStart, from + 1 + next(3000)), () => 0);
  },
  "the footer": ({ golden: { bytes }, footerStart }, next) =>
    overwrite(bytes, footerStart, bytes.length, () => next(256)),
  "index and footer": ({ golden: { bytes }, blocks }, next) => {
    const { offset, size } = blocks.at(-1) as Block;
    return overwrite(bytes, offset + size, bytes.length, () => next(256));
  },
  truncation: ({ golden: { bytes }, headerEnd, footerStart }, next) =>
    cut(bytes, headerEnd + next(footerStart - headerEnd)),
  "foreign bytes before the file": ({ golden: { bytes } }, next) =>
    insert(
      bytes,
      0,
      Uint8Array.from({ length: 1 + next(300) }, () => next(256)),
    ),
  "foreign bytes inside the file": ({ golden: { bytes }, footerStart }, next) =>
    insert(
      bytes,
      next(footerStart),
      Uint8Array.from({ length: 1 + next(300) }, () => next(256)),
    ),
  "missing bytes": ({ golden: { bytes }, footerStart }, next) => {
    const from = next(footerStart);
    return remove(bytes, from, Math.min(footerStart, from + 1 + next(500)));
  },
};

describe("a damaged delta file of Kudu", () => {
  test.each(Object.keys(patterns))("is recovered to exactly its undamaged blocks: %s", async (pattern) => {
    const next = randomNumbers(pattern.length);
    const faults: string[] = [];
    for (let run = 0; run < 24 * FACTOR; run++) {
      const golden = goldenDeltaFiles[run % goldenDeltaFiles.length] as GoldenDeltaFile;
      const file = await subject(golden);
      const damaged = patterns[pattern]?.(file, next);
      const options = next(2) === 0 ? {} : { kind: golden.kind };
      const known = { ...options, checksums: true, compression: compressionOf(golden) };
      const found = damaged && (await faultsOf(file, damaged, known));
      faults.push(...(found ?? ["no damage"]).map((fault) => `${golden.name}, run ${run}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  test.each(goldenDeltaFiles.map(({ name }) => name))(
    "keeps all entries without damage: %s",
    async (name) => {
      const { bytes, deltas } = goldenDeltaFile(name);
      const { ledger, content } = await recovered(bytes, {});
      expect(ledger).toMatchObject({
        complete: true,
        entriesKept: deltas.length,
        entriesLost: 0,
        leftOut: [],
      });
      expect(ledger.lostChanges).toEqual({ deletes: 0, reinserts: 0, updates: new Map() });
      const reader = await openBytes(content);
      expect(reader.entryCount).toBe(deltas.length);
    },
  );

  test("without footer and index needs no options if the blocks reveal their compression", async () => {
    const golden = goldenDeltaFile("delta_redo_multiblock");
    const file = await subject(golden);
    const last = file.blocks.at(-1) as Block;
    const { ledger } = await recovered(golden.bytes.slice(0, last.offset + last.size), {});
    expect(ledger).toMatchObject({
      kind: "redo",
      kindFrom: "timestamps",
      entriesTotal: undefined,
      complete: false,
    });
    expect(ledger.entriesKept).toBe(golden.deltas.length);
    expect(ledger.container.column.knownFrom.compression).toBe("guessed");
  });

  test("shows how many changes of each column are lost", async () => {
    const golden = goldenDeltaFile("delta_redo_multiblock");
    const { blocks } = await subject(golden);
    const { offset } = blocks[1] as Block;
    const { ledger, content } = await recovered(flippedBit(golden.bytes, 8 * offset + 99).bytes, {});
    const before = (await openBytes(golden.bytes)).statistics;
    const after = (await openBytes(content)).statistics;
    expect(ledger.lostChanges?.deletes).toBe(before.deleteCount - after.deleteCount);
    for (const [id, count] of before.updateCounts) {
      expect(ledger.lostChanges?.updates.get(id) ?? 0).toBe(count - (after.updateCounts.get(id) ?? 0));
    }
    expect([...(ledger.lostChanges?.updates.values() ?? [])].every((count) => count > 0)).toBe(true);
  });
});

const compressionOf = ({ compression }: GoldenDeltaFile): GoldenDeltaFile["compression"] =>
  String(compression) === "NONE" ? "NO_COMPRESSION" : compression;

describe("a row whose entries are in lost and kept blocks", () => {
  /** Blocks of about 20 entries of one row, which is alternately deleted and reinserted. */
  const chain: readonly Entry[] = Array.from({ length: 800 }, (_, i) => [
    5,
    BigInt(i + 1),
    i % 2 === 0 ? DELETE : REINSERT,
    i % 2 === 0 ? new Uint8Array(0) : SET,
  ]);
  const others: readonly Entry[] = [
    [6, 1n, UPDATE],
    [7, 1n, DELETE],
  ];

  test("keeps entries that follow, and leaves out those that cannot", async () => {
    const bytes = await deltaFile("redo", [...chain, ...others], {
      blockSize: 512,
      compression: "NO_COMPRESSION",
    });
    const reader = await openBytes(bytes);
    const lists: DeltaBatch[] = [];
    for await (const batch of reader.entries()) {
      lists.push(batch);
    }
    expect(lists.length).toBeGreaterThan(5);
    for (const [lost, batch] of lists.slice(1, 4).entries()) {
      const at = lost + 1;
      const damaged = await damagedBlock(bytes, at);
      const { ledger, content } = await recovered(damaged, { kind: "redo" });
      const opened = await openBytes(content);
      expect((await opened.verify({ kind: "redo" })).problems).toEqual([]);
      expect(ledger.entriesKept + ledger.entriesLost).toBe(802);
      expect(ledger.blocks[at]).toMatchObject({
        state: "lost",
        entries: batch.length,
        rows: { from: 5, to: 6 },
      });
      expect((await opened.deltasOf(6)).length + (await opened.deltasOf(7)).length).toBe(2);
      expect(ledger.leftOut.every(({ row }) => row === 5)).toBe(true);
      expect(ledger.leftOut.length > 0).toBe(batch.length % 2 === 1);
    }
  });

  async function damagedBlock(bytes: Uint8Array, index: number): Promise<Uint8Array> {
    const { file } = await openBytes(bytes);
    const places: { offset: number; size: number }[] = [];
    const cursor = await file.validx.first();
    for (let more = cursor !== undefined; more && cursor !== undefined; more = await cursor.next()) {
      places.push(cursor.pointer);
    }
    return flippedBit(bytes, 8 * (places[index]?.offset ?? 0) + 77).bytes;
  }
});

test("a file of another kind is refused, and a column does not become a delta file", async () => {
  const { bytes } = goldenDeltaFile("delta_undo_small");
  const { openCFile } = await import("@cfile/format");
  const { scanDamagedCFile } = await import("@cfile/format/recover");
  expect((await openCFile(memorySource(bytes))).kind).toBe("delta");
  await expect(scanDamagedCFile(memorySource(bytes))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  await expect(recovered(new Uint8Array(100), {})).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});

describe("a file without checksums", () => {
  const entries: readonly Entry[] = Array.from({ length: 400 }, (_, i) => [2 * i, BigInt(1000 + i), UPDATE]);
  const plain = { blockSize: 512, compression: "NO_COMPRESSION", checksums: false } as const;

  test("is recovered unverified; blocks that hold no entries, or those of earlier rows, are lost", async () => {
    const whole = await deltaFile("redo", entries, plain);
    const complete = await recovered(whole, {});
    expect(complete.ledger).toMatchObject({ kindFrom: "any", complete: true, entriesUnverified: 400 });
    const places = await placesOf(whole);
    const faults: string[] = [];
    for (const [i, { offset }] of places.entries()) {
      for (const at of [13, 14, 15, 16]) {
        const damaged = overwrite(whole, offset + at, offset + at + 1, () => 0xff);
        const { ledger, content } = await recovered(damaged.bytes, { kind: "redo" });
        const report = await (await openBytes(content)).verify({ kind: "redo" });
        faults.push(...report.problems.map(({ reason }) => `block ${i}, byte ${at}: ${reason}`));
        if (ledger.entriesKept + ledger.entriesLost !== 400) {
          faults.push(`block ${i}, byte ${at}: ${ledger.entriesKept} kept, ${ledger.entriesLost} lost`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  async function placesOf(bytes: Uint8Array): Promise<{ offset: number; size: number }[]> {
    const { file } = await openBytes(bytes);
    const places: { offset: number; size: number }[] = [];
    const cursor = await file.validx.first();
    for (let more = cursor !== undefined; more && cursor !== undefined; more = await cursor.next()) {
      places.push(cursor.pointer);
    }
    return places;
  }
});

describe("the kind", () => {
  test.each(["redo", "undo"] as const)(
    "of a file that is %s is found, and the other one does not fit",
    async (kind) => {
      const entries: Entry[] = [];
      for (let row = 0; row < 50; row++) {
        const times = kind === "redo" ? [1n, 2n, 3n] : [3n, 2n, 1n];
        entries.push(...times.map((time): Entry => [row, time, UPDATE]));
      }
      const bytes = await deltaFile(kind, entries, { blockSize: 512 });
      expect((await recovered(bytes, {})).ledger).toMatchObject({
        kind,
        kindFrom: "timestamps",
        complete: true,
      });
      const other = kind === "redo" ? "undo" : "redo";
      await expect(recovered(bytes, { kind: other })).rejects.toMatchObject({
        code: "E_CORRUPT",
        message: expect.stringContaining("out of order"),
      });
      await expect(recovered(bytes, { kind: "both" as never })).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
      });
    },
  );
});
