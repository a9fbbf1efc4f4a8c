import { openBloomFile } from "@cfile/bloomfile";
import { BloomFileWriter } from "@cfile/bloomfile/write";
import { toHex } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { CFileWriter } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import { flippedBit, randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { rebuildAdhocIndex, rebuildBloomFile } from "../src/recover.js";
import { type ServerRowSet, serverRowSets } from "./server-row-sets.js";

const servers = [
  ...serverRowSets("cluster-file"),
  ...serverRowSets("cluster-log"),
  ...serverRowSets("tablet"),
];
const next = randomNumbers(5);

function keyColumns({ schemaColumns, columns }: ServerRowSet): Uint8Array[] {
  return schemaColumns.filter(({ isKey }) => isKey).map(({ id }) => columns.get(id) as Uint8Array);
}

const sources = (files: readonly Uint8Array[]) => files.map((bytes) => memorySource(bytes));

/** All kinds of damage to one file: in the header, in a tenth of the bytes, or at the end. */
function damages(bytes: Uint8Array): Uint8Array[] {
  const noise = bytes.slice();
  for (let i = 0; i < bytes.length / 10; i++) {
    noise[next(bytes.length)] = next(256);
  }
  return [
    flippedBit(bytes, next(8 * bytes.length)).bytes,
    bytes.slice(0, next(bytes.length)),
    bytes.slice(next(bytes.length)),
    noise,
    new Uint8Array(0),
  ];
}

describe.each(servers)("$name", (rowSet) => {
  test("the Bloom file is rebuilt byte for byte as the server wrote it, whatever is left of it", async () => {
    for (const like of [undefined, ...damages(rowSet.bloom)]) {
      const sink = memorySink();
      await rebuildBloomFile(sources(keyColumns(rowSet)), sink, { like: like && memorySource(like) });
      expect(toHex(sink.bytes()) === toHex(rowSet.bloom)).toBe(true);
    }
  });

  test("the ad-hoc index is rebuilt byte for byte, and serves as the source of the Bloom file", async () => {
    const { adhocIndex, bloom } = rowSet;
    const sink = memorySink();
    const rebuilt = rebuildAdhocIndex(sources(keyColumns(rowSet)), sink);
    if (adhocIndex === undefined) {
      await expect(rebuilt).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "keys" });
      return;
    }
    await rebuilt;
    expect(toHex(sink.bytes()) === toHex(adhocIndex)).toBe(true);
    const filters = memorySink();
    await rebuildBloomFile([memorySource(adhocIndex)], filters);
    expect(toHex(filters.bytes()) === toHex(bloom)).toBe(true);
  });
});

async function column(values: readonly (number | null)[], nullable = false): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, {
    type: "INT32",
    encoding: "PLAIN_ENCODING",
    nullable,
    blockSize: 4096,
  });
  await writer.append(batchFromValues({ type: "INT32", nullable }, values));
  await writer.finish();
  return sink.bytes();
}

const ascending = Array.from({ length: 60_000 }, (_, i) => 3 * i - 90_000);

describe("the filters of a rebuilt Bloom file", () => {
  test.each([
    { filterBytes: 1000, falsePositiveRate: 0.0001 },
    { filterBytes: 32_768, falsePositiveRate: 0.01 },
    { filterBytes: 4096, falsePositiveRate: 0.2 },
  ])("have the size of those that are readable: %o", async (options) => {
    const keys = await column(ascending);
    const original = memorySink();
    const writer = new BloomFileWriter(original, options);
    const plain = memorySink();
    await rebuildBloomFile([memorySource(keys)], plain);
    for (const value of ascending) {
      const key = new Uint8Array(4);
      new DataView(key.buffer).setUint32(0, (value ^ 0x80000000) >>> 0);
      await writer.append(key);
    }
    await writer.finish();
    const bytes = original.bytes();
    const damaged = bytes.slice();
    // The first filter, the header and everything after the second half are lost.
    damaged.fill(0x55, 0, 100);
    const sink = memorySink();
    const half = bytes.length - 10_000;
    const rebuilt = await rebuildBloomFile([memorySource(keys)], sink, {
      like: memorySource(damaged.slice(0, half)),
    });
    expect(rebuilt).toMatchObject({
      sizingFrom: "filters",
      filterBytes: options.filterBytes,
      keys: ascending.length,
    });
    const reader = await openBloomFile(memorySource(sink.bytes()));
    const data = new Uint8Array(4 * ascending.length);
    ascending.forEach((value, i) => {
      new DataView(data.buffer).setUint32(4 * i, (value ^ 0x80000000) >>> 0);
    });
    const report = await reader.verify({ keys: [{ width: 4, data, isAscending: true }] });
    expect(report).toMatchObject({ ok: true, missingKeys: 0 });
  });

  test("of a rate that the readable ones contradict are refused", async () => {
    const sink = memorySink();
    const writer = new BloomFileWriter(sink, { falsePositiveRate: 0.01 });
    await writer.append(new Uint8Array(4));
    await writer.finish();
    const options = { like: memorySource(sink.bytes()), falsePositiveRate: 0.0001 };
    const keys = [memorySource(await column(ascending))];
    await expect(rebuildBloomFile(keys, memorySink(), options)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "falsePositiveRate",
    });
  });
});

describe("key columns", () => {
  test.each([
    ["that do not ascend", [[1, 3, 3]], "E_CORRUPT"],
    [
      "of different lengths",
      [
        [1, 2, 3],
        [1, 2],
      ],
      "E_CORRUPT",
    ],
    ["with nulls", [[1, null, 3]], "E_INVALID_ARGUMENT"],
  ] as const)("%s are refused, and nothing is written", async (_, lists, code) => {
    const files = await Promise.all(
      lists.map((values) =>
        column(
          values,
          values.some((value) => value === null),
        ),
      ),
    );
    const sink = memorySink();
    await expect(rebuildBloomFile(sources(files), sink)).rejects.toMatchObject({ code });
    expect(() => sink.bytes()).toThrow();
  });

  test("across batches must ascend as well, and damage of a key column is an error", async () => {
    const keys = await column([...ascending, 0]);
    await expect(rebuildBloomFile([memorySource(keys)], memorySink())).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "key",
    });
    const damaged = flippedBit(await column(ascending), 8 * 9000).bytes;
    await expect(rebuildBloomFile([memorySource(damaged)], memorySink())).rejects.toMatchObject({
      code: "E_CHECKSUM",
    });
    await expect(rebuildBloomFile([], memorySink())).rejects.toMatchObject({ field: "keys" });
  });
});
