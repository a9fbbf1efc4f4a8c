/** Files that are damaged or not delta files: docs/spec/deltafile.md#10-limits-and-hostile-input. */
import { CFileError, fromHex, isCFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { DELTA_INDEX_KEYS, openCFile } from "@cfile/format";
import { CFileWriter, type WriterOptions } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DELETE, UPDATE } from "../src/index.js";
import { guessDeltaKind, openDeltaFile } from "../src/read.js";
import { encodeDeltaStats } from "../src/write.js";
import { allShown, deltaFile, forgedFile, NO_STATISTICS, openBytes } from "./forge.js";
import { goldenDeltaFile } from "./golden.js";

const stats = { key: "deltafilestats", value: encodeDeltaStats(NO_STATISTICS) };

async function column(
  options: Partial<WriterOptions>,
  values: readonly (Uint8Array | number)[] = [],
): Promise<Uint8Array> {
  const sink = memorySink();
  const all = { type: "BINARY", encoding: "PLAIN_ENCODING", ...options } as const;
  const writer = new CFileWriter(sink, all);
  await writer.append(batchFromValues({ type: all.type }, values));
  await writer.finish();
  return sink.bytes();
}

describe("opening", () => {
  const value = [fromHex("000102")];
  it.each([
    ["without statistics", { posidx: false, validx: true }, value, "E_UNSUPPORTED", "deltafilestats"],
    [
      "of numbers",
      { type: "INT32", encoding: "PLAIN_ENCODING", footerMetadata: [stats] },
      [1],
      "E_CORRUPT",
      "data_type",
    ],
    [
      "in another encoding",
      { encoding: "PREFIX_ENCODING", footerMetadata: [stats] },
      value,
      "E_CORRUPT",
      "encoding",
    ],
    [
      "with nulls",
      { nullable: true, posidx: false, footerMetadata: [stats] },
      value,
      "E_CORRUPT",
      "is_type_nullable",
    ],
    ["with a positional index", { validx: true, footerMetadata: [stats] }, value, "E_CORRUPT", "posidx_info"],
    ["without a value index", { posidx: false, footerMetadata: [stats] }, value, "E_CORRUPT", "validx_info"],
    [
      "with invalid statistics",
      { posidx: false, validx: true, footerMetadata: [{ ...stats, value: fromHex("0b") }] },
      value,
      "E_CORRUPT",
      "delta statistics tag",
    ],
  ] as const)("a file %s fails", async (_what, options, values, code, field) => {
    const bytes = await column(options as Partial<WriterOptions>, values);
    await expect(openBytes(bytes)).rejects.toMatchObject({ code, field, path: "deltas" });
  });

  it("a file without entries succeeds, although Kudu never writes one", async () => {
    const bytes = await column({ posidx: false, validx: true, footerMetadata: [stats] });
    const reader = await openBytes(bytes);
    expect(await allShown(reader)).toEqual([]);
    expect((await reader.deltasOf(3)).length).toBe(0);
    expect(await guessDeltaKind(reader)).toBeUndefined();
  });
});

describe("a value that is not a delta", () => {
  it.each([
    ["", "E_TRUNCATED", "row"],
    ["00", "E_TRUNCATED", "timestamp"],
    ["0001", "E_TRUNCATED", "change type"],
    ["fc01000000000102", "E_CORRUPT", "row"],
    ["000100", "E_CORRUPT", "change type"],
    ["000104", "E_CORRUPT", "change type"],
    ["000101", "E_CORRUPT", "change list"],
    ["00010200", "E_CORRUPT", "change list"],
    ["00010107", "E_TRUNCATED", "value length"],
    ["0001010703aa", "E_TRUNCATED", "value length"],
    ["000101808080808001", "E_CORRUPT", "column id"],
    ["000101808080800800", "E_CORRUPT", "column id"],
  ])("'%s' is %s in %s, however it is read", async (hex, code, field) => {
    const bytes = await forgedFile(["000002", hex, "050102"]);
    const reader = await openBytes(bytes);
    const problem = { code, field, path: "deltas", block: expect.anything(), offset: expect.any(Number) };
    await expect(allShown(reader)).rejects.toMatchObject(problem);
    await expect(reader.deltasOf(5)).rejects.toMatchObject({ code, field });
    await expect(guessDeltaKind(reader)).rejects.toMatchObject({ code });
    const report = await reader.verify();
    expect(report.problems).toMatchObject([{ code, field }]);
  });

  it("a row number below the previous one is corrupt", async () => {
    const reader = await openBytes(await forgedFile(["050102", "040102"]));
    await expect(allShown(reader)).rejects.toMatchObject({ code: "E_CORRUPT", field: "row" });
  });

  it("a delta key in a longer form is accepted and reported", async () => {
    const reader = await openBytes(
      await forgedFile(["000002", "00fa00000702"], { ...NO_STATISTICS, maxTimestamp: 7n, deleteCount: 2 }),
    );
    expect(await allShown(reader)).toEqual(["0@0 2", "0@7 2"]);
    expect((await reader.verify()).problems).toMatchObject([{ field: "delta key", entry: 1, row: 0 }]);
  });
});

describe("an index that does not match its blocks", () => {
  const values = Array.from({ length: 200 }, (_, i) => `f1${i.toString(16).padStart(2, "0")}0102`);

  it("with different keys is rejected", async () => {
    const keyOf: (typeof DELTA_INDEX_KEYS)["keyOf"] = (batch, row) =>
      DELTA_INDEX_KEYS.keyOf(batch, row).map((byte, i) => (i === 2 ? 9 : byte));
    const bytes = await forgedFile(values, NO_STATISTICS, { indexKeys: { keyOf } });
    const reader = await openBytes(bytes);
    await expect(allShown(reader)).rejects.toMatchObject({ code: "E_CORRUPT", field: "validx key" });
  });

  it("whose rows descend is rejected", async () => {
    const blocks = [...values.slice(150), ...values.slice(0, 150)];
    const reader = await openBytes(await forgedFile(blocks, NO_STATISTICS, { blockSize: 512 }));
    await expect(reader.deltasOf(300)).rejects.toMatchObject({ code: "E_CORRUPT", field: "key" });
  });
});

/** Reads a file in every way. */
async function askEverything(bytes: Uint8Array): Promise<void> {
  const reader = await openDeltaFile(memorySource(bytes));
  await reader.verify({ kind: "undo", rowCount: 10, columns: [{ id: 1, type: "INT8" }] });
  await guessDeltaKind(reader).catch(ignoreCFileError);
  await reader.deltasOf(2).catch(ignoreCFileError);
  await allShown(reader);
}

function ignoreCFileError(error: unknown): void {
  if (!isCFileError(error)) {
    throw error;
  }
}

async function expectOrderly(bytes: Uint8Array): Promise<void> {
  try {
    await askEverything(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CFileError);
  }
}

describe("hostile bytes", () => {
  const small = goldenDeltaFile("delta_undo_small").bytes;

  it("of any truncated length are rejected", async () => {
    for (let length = 0; length < small.length; length++) {
      await expect(openBytes(small.slice(0, length))).rejects.toBeInstanceOf(CFileError);
    }
  });

  it("with a flipped bit are rejected, or the change is reported", async () => {
    for (let position = 0; position < small.length; position++) {
      const bad = small.slice();
      bad[position] = (bad[position] as number) ^ (1 << (position & 7));
      await expectOrderly(bad);
      const isSound = await openBytes(bad).then(
        async (reader) => (await reader.verify()).ok,
        () => false,
      );
      expect(isSound).toBe(false);
    }
  });

  it("do no harm without checksums that reveal them", async () => {
    const set = fromHex("010207 0c06 68656c6c6f 0d00");
    const plain = await deltaFile(
      "redo",
      [
        [0, 5n, UPDATE, set],
        [0, 2n ** 60n, UPDATE, set],
        [2, 6n, DELETE],
        [300, 7n, UPDATE, set],
      ],
      { checksums: false, compression: "NO_COMPRESSION" },
    );
    for (let position = 0; position < plain.length; position++) {
      for (const change of [1, 2, 0x10, 0x80, 0xff]) {
        const bad = plain.slice();
        bad[position] = (bad[position] as number) ^ change;
        await expectOrderly(bad);
      }
    }
  });

  it("do no harm at random positions", async () => {
    const plain = await deltaFile(
      "undo",
      Array.from({ length: 40 }, (_, i) => [i >> 2, BigInt(100 - i), DELETE]),
      { checksums: false, compression: "LZ4", blockSize: 512 },
    );
    const flips = fc.array(fc.tuple(fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(flips, async (changes) => {
        const bad = plain.slice();
        for (const [position, change] of changes) {
          bad[position] = (bad[position] as number) ^ change;
        }
        await expectOrderly(bad);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("are readable by the plain CFile reader when undamaged", async () => {
    const reader = await openCFile(memorySource(small));
    expect((await reader.verify()).ok).toBe(true);
  });
});
