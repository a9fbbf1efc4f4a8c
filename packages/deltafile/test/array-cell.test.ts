/** Compares array cells with the official FlatBuffers library, which lays out buffers like the one that Kudu uses. */
import { CFileError, fromHex, toHex } from "@cfile/bytes";
import type { CellValue, DataType, ScalarBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import fc from "fast-check";
import { Builder } from "flatbuffers";
import { describe, expect, it } from "vitest";
import { type DeltaColumn, decodeArrayCell, decodeCell, encodeArrayCell, encodeCell } from "../src/index.js";

const MEMBERS: Partial<Record<DataType, number>> = {
  INT8: 1,
  UINT8: 2,
  BOOL: 2,
  INT16: 3,
  UINT16: 4,
  INT32: 5,
  DATE: 5,
  DECIMAL32: 5,
  UINT32: 6,
  INT64: 7,
  UNIXTIME_MICROS: 7,
  DECIMAL64: 7,
  UINT64: 8,
  FLOAT: 9,
  DOUBLE: 10,
  STRING: 11,
  VARCHAR: 11,
  BINARY: 12,
};

function table(builder: Builder, references: readonly number[]): number {
  builder.startObject(references.length);
  for (const [slot, reference] of references.entries()) {
    builder.addFieldOffset(slot, reference, 0);
  }
  return builder.endObject();
}

function bytesVector(builder: Builder, bytes: Uint8Array): number {
  builder.startVector(1, bytes.length, 1);
  for (let i = bytes.length - 1; i >= 0; i--) {
    builder.addInt8(bytes[i] as number);
  }
  return builder.endVector();
}

/** The same cell built by the library, adding parts in the same order as Kudu. */
function byLibrary(type: DataType, values: readonly CellValue[]): string {
  const builder = new Builder(64);
  const validity = new Uint8Array(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) {
    validity[i >> 3] = (validity[i >> 3] as number) | (value === null ? 0 : 1 << (i & 7));
  }
  const bitmap = values.includes(null) ? bytesVector(builder, validity) : 0;
  const elements = addElements(builder, type, values);
  const member = table(builder, [elements]);
  builder.startObject(3);
  builder.addFieldOffset(2, bitmap, 0);
  builder.addFieldOffset(1, member, 0);
  builder.addFieldInt8(0, MEMBERS[type] ?? 0, 0);
  builder.finish(builder.endObject());
  return toHex(builder.asUint8Array());
}

function addElements(builder: Builder, type: DataType, values: readonly CellValue[]): number {
  if (["STRING", "VARCHAR", "BINARY"].includes(type)) {
    const targets = values.map((value) => {
      const bytes = value === null ? new Uint8Array(0) : new Uint8Array(Buffer.from(value as string));
      return type === "BINARY" ? table(builder, [bytesVector(builder, bytes)]) : builder.createString(bytes);
    });
    builder.startVector(4, targets.length, 4);
    for (const target of targets.reverse()) {
      builder.addOffset(target);
    }
    return builder.endVector();
  }
  const batch = batchFromValues({ type, nullable: true }, values);
  const bytes = batch.kind === "fixed" ? new Uint8Array(batch.values.buffer.slice(0)) : boolBytes(values);
  const width = values.length === 0 ? widthOf(type) : bytes.length / values.length;
  builder.startVector(width, values.length, width);
  for (let i = bytes.length - 1; i >= 0; i--) {
    builder.writeInt8(bytes[i] as number);
  }
  return builder.endVector();
}

const boolBytes = (values: readonly CellValue[]) =>
  Uint8Array.from(values, (value) => (value === true ? 1 : 0));
const widthOf = (type: DataType): number => {
  const batch = batchFromValues({ type, nullable: true }, [null]);
  return batch.kind === "fixed" ? batch.values.byteLength : 1;
};

const integer = (min: number, max: number) => fc.integer({ min, max });
const wide = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const ELEMENTS: Partial<Record<DataType, fc.Arbitrary<CellValue>>> = {
  INT8: integer(-128, 127),
  UINT8: integer(0, 255),
  BOOL: fc.boolean(),
  INT16: integer(-32768, 32767),
  UINT16: integer(0, 65535),
  INT32: integer(-(2 ** 31), 2 ** 31 - 1),
  DATE: integer(-719162, 2932896),
  DECIMAL32: integer(-999999999, 999999999),
  UINT32: integer(0, 2 ** 32 - 1),
  INT64: wide,
  UNIXTIME_MICROS: wide,
  DECIMAL64: wide,
  UINT64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  FLOAT: fc.float({ noNaN: true }),
  DOUBLE: fc.double({ noNaN: true }),
  STRING: fc.string({ maxLength: 12 }),
  VARCHAR: fc.string({ maxLength: 12 }),
};

const TYPES = Object.entries(ELEMENTS) as [DataType, fc.Arbitrary<CellValue>][];

describe("an array cell", () => {
  it.each(TYPES)("of %s matches the FlatBuffers library and round-trips", (type, element) => {
    const column: DeltaColumn = { id: 1, type, nullable: true, array: true };
    const cells = fc.array(fc.option(element, { freq: 4 }), { maxLength: 20 });
    fc.assert(
      fc.property(cells, (values) => {
        const bytes = encodeCell(column, values);
        expect(bytes).not.toBeNull();
        if (bytes !== null) {
          expect(toHex(bytes)).toBe(byLibrary(type, values));
          const read = decodeCell(column, { isNull: false, data: bytes, start: 0, end: bytes.length });
          expect(read).toEqual(values);
        }
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it("of BINARY matches the FlatBuffers library", () => {
    const texts: (string | null)[] = ["one", "", null, "a longer one", "x"];
    const values = texts.map((text) => (text === null ? null : new Uint8Array(Buffer.from(text))));
    const bytes = encodeCell({ id: 1, type: "BINARY", array: true }, values);
    expect(toHex(bytes ?? new Uint8Array(0))).toBe(byLibrary("BINARY", texts));
    expect(decodeArrayCell(bytes ?? new Uint8Array(0), "BINARY").toArray()).toEqual(values);
  });

  it("can be encoded from a range of a batch", () => {
    const batch = batchFromValues({ type: "STRING", nullable: true }, ["a", null, "ccc", "d"]) as ScalarBatch;
    expect(decodeArrayCell(encodeArrayCell(batch, 1, 3), "STRING").toArray()).toEqual([null, "ccc"]);
    expect(() => encodeArrayCell(batch, 1, 5)).toThrow(CFileError);
  });

  it("without any bytes has no elements", () => {
    expect(decodeArrayCell(new Uint8Array(0), "INT32").toArray()).toEqual([]);
  });

  it("without data has no elements", () => {
    const builder = new Builder(16);
    builder.startObject(3);
    builder.finish(builder.endObject());
    expect(decodeArrayCell(builder.asUint8Array(), "STRING").toArray()).toEqual([]);
  });

  it.each(["INT128", "DECIMAL128"] as const)("of %s is unsupported", (type) => {
    expect(() => decodeArrayCell(new Uint8Array(0), type)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED" }),
    );
  });

  const samples: readonly (readonly [DataType, string])[] = [
    ["INT32", byLibrary("INT32", [1, null, 3])],
    ["STRING", byLibrary("STRING", ["ab", null, "c"])],
    ["BINARY", byLibrary("BINARY", ["ab", null, "c"])],
    ["BOOL", byLibrary("BOOL", [true, false, null])],
  ];

  it.each(samples)("of %s is rejected as another type", (type, hex) => {
    for (const other of ["INT64", "UINT8", "DOUBLE", "VARCHAR", "BINARY"] as const) {
      if (MEMBERS[other] !== MEMBERS[type]) {
        expect(() => decodeArrayCell(fromHex(hex), other)).toThrow(
          expect.objectContaining({ code: "E_CORRUPT", field: "array type" }),
        );
      }
    }
  });

  it.each(samples)("of %s that is truncated is rejected", (type, hex) => {
    const bytes = fromHex(hex);
    for (let length = 1; length < bytes.length; length++) {
      try {
        // The missing bytes may have been padding or the zero after a string.
        expect(decodeArrayCell(bytes.subarray(0, length), type).length).toBe(3);
      } catch (error) {
        expect(error).toBeInstanceOf(CFileError);
      }
    }
  });

  it.each(samples)("of %s with any byte changed is decoded or rejected", (type, hex) => {
    const bytes = fromHex(hex);
    for (let position = 0; position < bytes.length; position++) {
      for (const change of [1, 0x80, 0xff]) {
        const bad = bytes.slice();
        bad[position] = (bad[position] as number) ^ change;
        try {
          decodeArrayCell(bad, type).toArray();
        } catch (error) {
          expect(error).toBeInstanceOf(CFileError);
        }
      }
    }
  });

  it("whose many elements share one long string is rejected", () => {
    const builder = new Builder(64);
    const text = builder.createString(new Uint8Array(60000));
    builder.startVector(4, 400, 4);
    for (let i = 0; i < 400; i++) {
      builder.addOffset(text);
    }
    const member = table(builder, [builder.endVector()]);
    builder.startObject(3);
    builder.addFieldOffset(1, member, 0);
    builder.addFieldInt8(0, 11, 0);
    builder.finish(builder.endObject());
    expect(() => decodeArrayCell(builder.asUint8Array(), "STRING")).toThrow(
      expect.objectContaining({ code: "E_LIMIT" }),
    );
  });

  it("with more elements than any cell may have is rejected", () => {
    const cell = fromHex(byLibrary("INT8", new Array<number>(65_536).fill(7)));
    expect(() => decodeArrayCell(cell, "INT8")).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "array values", actual: 65_536 }),
    );
    expect(
      decodeArrayCell(fromHex(byLibrary("INT8", new Array<number>(65_535).fill(7))), "INT8").length,
    ).toBe(65_535);
  });

  it("with a bitmap of the wrong length is rejected", () => {
    const builder = new Builder(64);
    const bitmap = bytesVector(builder, Uint8Array.of(1, 1));
    const member = table(builder, [addElements(builder, "INT8", [1, 2])]);
    builder.startObject(3);
    builder.addFieldOffset(2, bitmap, 0);
    builder.addFieldOffset(1, member, 0);
    builder.addFieldInt8(0, 1, 0);
    builder.finish(builder.endObject());
    expect(() => decodeArrayCell(builder.asUint8Array(), "INT8")).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "array validity" }),
    );
  });
});
