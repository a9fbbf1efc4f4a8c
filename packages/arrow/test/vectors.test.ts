import type { ColumnBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import * as flechetteLibrary from "@uwdata/flechette";
import * as apacheLibrary from "apache-arrow";
import { describe, expect, it } from "vitest";
import { apacheArrow } from "../src/apache.js";
import { flechette } from "../src/flechette.js";
import type { ArrowColumn } from "../src/index.js";
import { goldenNames, openGolden } from "./golden.js";

/** Every buffer of a batch, in order. */
function buffersOf(batch: ColumnBatch): Uint8Array[] {
  const validity = batch.validity === undefined ? [] : [batch.validity];
  switch (batch.kind) {
    case "fixed":
    case "bool":
      return [...validity, bytesOf(batch.values)];
    case "binary":
      return [...validity, bytesOf(batch.offsets), batch.data];
    case "dictionary":
      return [...validity, bytesOf(batch.codes), bytesOf(batch.dictionary.offsets), batch.dictionary.data];
    case "array":
      return [...validity, bytesOf(batch.offsets), ...buffersOf(batch.child)];
  }
}

function expectSameMemory(actual: ColumnBatch | undefined, batch: ColumnBatch): void {
  expect(actual?.kind).toBe(batch.kind);
  if (actual === undefined) {
    return;
  }
  expect([actual.type, actual.length, actual.nullCount]).toEqual([batch.type, batch.length, batch.nullCount]);
  const given = buffersOf(batch);
  const back = buffersOf(actual);
  expect(back.length).toBe(given.length);
  back.forEach((bytes, i) => {
    const expected = given[i] as Uint8Array;
    if (batch.kind === "fixed" && batch.physical === "INT128" && expected.byteOffset % 8 !== 0) {
      // 64-bit words cannot start at this offset. Only such values are copied.
      expect(Buffer.compare(bytes, expected)).toBe(0);
    } else if (expected.length > 0) {
      expect(bytes.buffer === expected.buffer, `buffer ${i} of ${batch.kind} ${batch.type}`).toBe(true);
      expect(bytes.byteOffset).toBe(expected.byteOffset);
    }
  });
}

describe("batches and vectors share their memory", () => {
  it("in apache-arrow and flechette, for every golden file", async () => {
    const apache = await apacheArrow(apacheLibrary);
    const other = await flechette(flechetteLibrary);
    for (const name of goldenNames) {
      await using file = await openGolden(name);
      const { type, nullable, array } = file;
      const column: ArrowColumn = { name, type, nullable, array };
      for await (const batch of file.scan()) {
        const vector = apache.vector(batch);
        expect(vector.length).toBe(batch.length);
        expectSameMemory(apache.batches(vector, column)[0], batch);
        expectSameMemory(other.batches(other.column([batch]), column)[0], batch);
      }
    }
  });

  it("and batches with equal dictionaries share one vector of words", async () => {
    await using file = await openGolden("large_string_dict");
    const apache = await apacheArrow(apacheLibrary);
    const vectors = [];
    for await (const batch of file.scan({ batchRows: 500 })) {
      if (batch.kind === "dictionary") {
        vectors.push(apache.vector(batch).data[0]?.dictionary);
      }
    }
    expect(vectors.length).toBeGreaterThan(1);
    expect(new Set(vectors).size).toBe(1);
  });
});

describe("both libraries read the same values as we do", () => {
  const cases = [
    "enc_int8_plain_null_n1000",
    "enc_uint32_rle_null_n1000",
    "enc_uint64_bshuf_null_n1000",
    "enc_int64_plain_null_n1000",
    "enc_string_dict_null_n1000",
    "enc_varchar_prefix_null_n8",
    "enc_bool_rle_null_n1000",
  ];
  it.each(cases)("%s", async (name) => {
    await using file = await openGolden(name);
    const apache = await apacheArrow();
    const other = await flechette();
    for await (const batch of file.scan()) {
      const expected = batch.toArray();
      expect([...apache.vector(batch)]).toEqual(expected);
      expect([...other.column([batch])]).toEqual(expected);
    }
  });
});

describe("foreign vectors", () => {
  const { Field, Int8, Utf8, vectorFromArray, makeData, makeVector, Int32, List } = apacheLibrary;

  it("that are sliced return the rows of the slice", async () => {
    const apache = await apacheArrow();
    const cells = Array.from({ length: 37 }, (_, i) => (i % 5 === 1 ? null : i));
    const words = cells.map((cell) => (cell === null ? null : `w${cell % 7}`));
    for (const [given, values] of [
      [cells, vectorFromArray(cells, new Int8())],
      [words, vectorFromArray(words, new Utf8())],
      [words, vectorFromArray(words)],
      [
        cells.map((cell) => (cell === null ? null : cell > 9)),
        vectorFromArray(cells.map((c) => (c === null ? null : c > 9))),
      ],
      [
        cells.map((cell) => (cell === null ? null : [cell, null])),
        vectorFromArray(
          cells.map((c) => (c === null ? null : [c, null])),
          new List(new Field("item", new Int32(), true)),
        ),
      ],
    ] as const) {
      for (const [from, to] of [
        [0, 37],
        [3, 30],
        [9, 9],
        [8, 37],
      ] as const) {
        const batches = apache.batches(values.slice(from, to));
        expect(batches.flatMap((batch) => batch.toArray())).toEqual(given.slice(from, to));
      }
    }
  });

  it("with values under nulls are cleared there", async () => {
    const apache = await apacheArrow();
    const data = makeData({
      type: new Int32(),
      length: 3,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0b101),
      data: Int32Array.of(1, 99, 3),
    });
    const [batch] = apache.batches(makeVector(data));
    expect(batch?.kind === "fixed" && [...batch.values]).toEqual([1, 0, 3]);
    const text = makeData({
      type: new Utf8(),
      length: 2,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0b10),
      valueOffsets: Int32Array.of(0, 2, 3),
      data: Uint8Array.of(97, 98, 99),
    });
    const [strings] = apache.batches(makeVector(text));
    expect(strings?.kind === "binary" && [...strings.offsets]).toEqual([0, 0, 1]);
  });

  it("that are invalid throw", async () => {
    const apache = await apacheArrow();
    const falling = makeData({
      type: new Utf8(),
      length: 2,
      nullCount: 0,
      valueOffsets: Int32Array.of(0, 3, 2),
      data: new Uint8Array(3),
    });
    const beyond = makeData({
      type: new Utf8(),
      length: 1,
      nullCount: 0,
      valueOffsets: Int32Array.of(0, 9),
      data: new Uint8Array(3),
    });
    const short = makeData({ type: new Int32(), length: 9, nullCount: 0, data: new Int32Array(3) });
    for (const data of [falling, beyond, short]) {
      expect(() => apache.batches(makeVector<apacheLibrary.DataType>(data))).toThrow(
        expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
      );
    }
    const halves = vectorFromArray([1], new apacheLibrary.Float16());
    expect(() => apache.batches(halves)).toThrow(expect.objectContaining({ code: "E_UNSUPPORTED" }));
  });
});
