import { compareBytes, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_TYPES, type DataType, physicalWidth } from "../src/index.js";
import {
  decodeCompositeKey,
  decodeKey,
  encodeCompositeKey,
  encodeKey,
  encodeVectorKey,
  type KeyValue,
  lowerBound,
  separatingKey,
  upperBound,
} from "../src/keys.js";
import { type GoldenValue, loadGolden, vectorFromGolden } from "./golden.js";

const SEED = { seed: 20260107 };

interface GoldenKeys {
  readonly single: readonly { type: DataType; value: GoldenValue; encoded: string }[];
  readonly composite: readonly { types: DataType[]; values: GoldenValue[]; encoded: string }[];
  readonly separating_keys: readonly { left: string; right: string; result: string }[];
}

const golden = loadGolden<GoldenKeys>("key_encoding");

/** Converts a golden value to a `KeyValue`. */
function keyValue(type: DataType, value: GoldenValue): KeyValue {
  const { physical } = DATA_TYPES[type];
  if (physical === "BINARY") {
    return fromHex(String(value));
  }
  return physicalWidth(physical) > 4 ? BigInt(String(value)) : Number(value);
}

describe("golden keys", () => {
  it.each(golden.single)("$type $value is $encoded", ({ type, value, encoded }) => {
    const native = keyValue(type, value);
    expect(toHex(encodeKey(type, native))).toBe(encoded);
    expect(decodeKey(type, fromHex(encoded))).toEqual(native);
    expect(toHex(encodeVectorKey(vectorFromGolden(type, [value]), 0))).toBe(encoded);
    expect(toHex(encodeCompositeKey([type], [native]))).toBe(encoded);
    expect(decodeCompositeKey([type], fromHex(encoded))).toEqual([native]);
  });

  it.each(golden.composite)("$types $values is $encoded", ({ types, values, encoded }) => {
    const native = types.map((type, i) => keyValue(type, values[i] as GoldenValue));
    expect(toHex(encodeCompositeKey(types, native))).toBe(encoded);
    expect(decodeCompositeKey(types, fromHex(encoded))).toEqual(native);
  });

  it.each(golden.separating_keys)("'$result' separates '$left' and '$right'", (keys) => {
    expect(toHex(separatingKey(fromHex(keys.left), fromHex(keys.right)))).toBe(keys.result);
  });
});

describe("worked examples", () => {
  it.each<[DataType[], KeyValue[], string]>([
    [["INT32"], [5], "80 00 00 05"],
    [["INT32"], [-1], "7f ff ff ff"],
    [["STRING", "INT32"], [fromHex("61 00 62"), 5], "61 00 01 62 00 00 80 00 00 05"],
    [["STRING"], [fromHex("61 00 62")], "61 00 62"],
    [["BINARY", "VARCHAR"], [fromHex("00 00"), fromHex("00 00")], "00 01 00 01 00 00 00 00"],
    [["STRING", "STRING"], [fromHex(""), fromHex("")], "00 00"],
  ])("%s %s", (types, values, hex) => {
    expect(toHex(encodeCompositeKey(types, values))).toBe(toHex(fromHex(hex)));
    expect(decodeCompositeKey(types, fromHex(hex))).toEqual(values);
  });

  it.each([
    ["62616e616e61", "62616e64616e61", "62616e64"],
    ["", "7ffffffd", "7f"],
    ["", "", ""],
    ["61", "", ""],
  ])("after '%s', the separating key of '%s' is '%s'", (last, first, key) => {
    expect(toHex(separatingKey(fromHex(last), fromHex(first)))).toBe(key);
  });
});

const KEY_TYPES = (Object.keys(DATA_TYPES) as DataType[]).filter((type) => DATA_TYPES[type].isKey);

function anyValueOf(type: DataType): fc.Arbitrary<KeyValue> {
  const { physical } = DATA_TYPES[type];
  if (physical === "BINARY") {
    return fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ max: 2, maxLength: 6 }));
  }
  const bits = 8n * BigInt(physicalWidth(physical));
  const [min, max] = physical.startsWith("U")
    ? [0n, (1n << bits) - 1n]
    : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  const value = fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n));
  return bits > 32n ? value : value.map(Number);
}

function compareValues(left: KeyValue, right: KeyValue): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return compareBytes(left, right);
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

describe("keys", () => {
  it.each(KEY_TYPES)("%s: keys compare like their values", (type) => {
    fc.assert(
      fc.property(anyValueOf(type), anyValueOf(type), (left, right) => {
        const order = compareBytes(encodeKey(type, left), encodeKey(type, right));
        expect(Math.sign(order)).toBe(Math.sign(compareValues(left, right)));
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it("composite keys round-trip, and compare column by column", () => {
    const row = fc.array(fc.constantFrom(...KEY_TYPES), { minLength: 1, maxLength: 4 }).chain((types) => {
      const values = fc.tuple(...types.map(anyValueOf));
      return fc.tuple(fc.constant(types), values, values);
    });
    fc.assert(
      fc.property(row, ([types, left, right]) => {
        const leftKey = encodeCompositeKey(types, left);
        expect(decodeCompositeKey(types, leftKey)).toEqual(left);
        const order =
          left.map((value, i) => compareValues(value, right[i] as KeyValue)).find((c) => c !== 0) ?? 0;
        expect(Math.sign(compareBytes(leftKey, encodeCompositeKey(types, right)))).toBe(Math.sign(order));
      }),
      { ...SEED, numRuns: 1000 },
    );
  });

  it("a separating key is after the last key and not after the first", () => {
    const keys = fc.uint8Array({ max: 3, maxLength: 6 });
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        const [last, first] = compareBytes(a, b) <= 0 ? [a, b] : [b, a];
        const key = separatingKey(last, first);
        expect(compareBytes(key, first)).toBeLessThanOrEqual(0);
        expect(toHex(first).startsWith(toHex(key))).toBe(true);
        if (compareBytes(last, first) < 0) {
          expect(compareBytes(last, key)).toBeLessThan(0);
          expect(compareBytes(last, key.subarray(0, -1))).toBeGreaterThanOrEqual(0);
        }
      }),
      { ...SEED, numRuns: 1000 },
    );
  });

  it("keys do not share memory with their vector", () => {
    const data = Uint8Array.of(1, 2, 3);
    const vector = { kind: "binary", length: 2, offsets: Int32Array.of(0, 1, 3), data } as const;
    const codes = {
      kind: "dictionary",
      length: 3,
      codes: Int32Array.of(1, 0, 1),
      dictionary: vector,
    } as const;
    const keys = [
      encodeVectorKey(vector, 1),
      encodeVectorKey(codes, 2),
      encodeKey("BINARY", data),
      decodeKey("BINARY", data),
    ];
    data.fill(0);
    expect(keys.map((key) => key instanceof Uint8Array && toHex(key))).toEqual([
      "0203",
      "0203",
      "010203",
      "010203",
    ]);
  });

  it.each<[string, string, () => unknown]>([
    ["BOOL", "E_UNSUPPORTED", () => encodeKey("BOOL", 1)],
    ["IS_DELETED", "E_UNSUPPORTED", () => decodeKey("IS_DELETED", Uint8Array.of(1))],
    ["FLOAT", "E_UNSUPPORTED", () => encodeKey("FLOAT", 1)],
    ["DOUBLE in a composite key", "E_UNSUPPORTED", () => encodeCompositeKey(["INT8", "DOUBLE"], [1, 1])],
    [
      "DOUBLE read from a composite key",
      "E_UNSUPPORTED",
      () => decodeCompositeKey(["DOUBLE"], new Uint8Array(8)),
    ],
    ["a vector of FLOAT", "E_UNSUPPORTED", () => encodeVectorKey(vectorFromGolden("FLOAT", [1]), 0)],
    ["a vector of BOOL", "E_UNSUPPORTED", () => encodeVectorKey(vectorFromGolden("BOOL", [true]), 0)],
    [
      "a position outside the vector",
      "E_INVALID_ARGUMENT",
      () => encodeVectorKey(vectorFromGolden("INT8", [1]), 1),
    ],
    [
      "a string outside the vector",
      "E_INVALID_ARGUMENT",
      () => encodeVectorKey(vectorFromGolden("STRING", ["61"]), 1),
    ],
    ["128 as INT8", "E_INVALID_ARGUMENT", () => encodeKey("INT8", 128)],
    ["-129 as INT8", "E_INVALID_ARGUMENT", () => encodeKey("INT8", -129)],
    ["-1 as UINT64", "E_INVALID_ARGUMENT", () => encodeKey("UINT64", -1)],
    ["2^127 as INT128", "E_INVALID_ARGUMENT", () => encodeKey("INT128", 2n ** 127n)],
    ["-2^127 - 1 as INT128", "E_INVALID_ARGUMENT", () => encodeKey("INT128", -(2n ** 127n) - 1n)],
    ["2^128 as INT128", "E_INVALID_ARGUMENT", () => encodeKey("INT128", 2n ** 128n)],
    ["1.5", "E_INVALID_ARGUMENT", () => encodeKey("INT32", 1.5)],
    ["a number that is not exact", "E_INVALID_ARGUMENT", () => encodeKey("INT64", 2 ** 60)],
    ["bytes as INT32", "E_INVALID_ARGUMENT", () => encodeKey("INT32", Uint8Array.of(1))],
    ["a number as STRING", "E_INVALID_ARGUMENT", () => encodeKey("STRING", 1)],
    ["a composite key of no columns", "E_INVALID_ARGUMENT", () => encodeCompositeKey([], [])],
    [
      "a composite key read as no columns",
      "E_INVALID_ARGUMENT",
      () => decodeCompositeKey([], new Uint8Array(0)),
    ],
    ["fewer values than columns", "E_INVALID_ARGUMENT", () => encodeCompositeKey(["INT8", "INT8"], [1])],
    ["more values than columns", "E_INVALID_ARGUMENT", () => encodeCompositeKey(["INT8"], [1, 2])],
  ])("rejects %s", (_, code, action) => {
    expect(action).toThrow(expect.objectContaining({ name: "CFileError", code }));
  });

  it.each<[string, DataType[], string, string, number]>([
    ["a fixed key too short", ["INT32"], "80 00 00", "E_INVALID_ARGUMENT", 0],
    ["a second column too short", ["INT16", "INT64"], "80 01 80 00", "E_INVALID_ARGUMENT", 2],
    ["no second column", ["INT16", "INT8"], "80 01", "E_INVALID_ARGUMENT", 2],
    ["bytes behind a last fixed column", ["INT8", "INT8"], "80 80 00", "E_CORRUPT", 2],
    ["a string without terminator", ["STRING", "INT8"], "61 62", "E_INVALID_ARGUMENT", 0],
    ["a string with half a terminator", ["STRING", "INT8"], "61 00", "E_INVALID_ARGUMENT", 0],
    ["a string that ends in an escape", ["STRING", "INT8"], "61 00 01", "E_INVALID_ARGUMENT", 0],
    ["00 followed by neither 00 nor 01", ["STRING", "INT8"], "61 00 02 00 00 80", "E_CORRUPT", 1],
  ])("decoding rejects %s", (_, types, hex, code, offset) => {
    expect(() => decodeCompositeKey(types, fromHex(hex))).toThrow(
      expect.objectContaining({ name: "CFileError", code, offset }),
    );
  });

  it("rejects a single key of the wrong length", () => {
    expect(() => decodeKey("INT32", fromHex("800000"))).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
    expect(() => decodeKey("INT32", fromHex("8000000000"))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", offset: 4 }),
    );
  });

  it("arbitrary bytes decode to values that encode to the same bytes, or throw a CFileError", () => {
    const types = fc.array(fc.constantFrom(...KEY_TYPES), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(types, fc.uint8Array({ max: 3, maxLength: 24 }), (columns, bytes) => {
        try {
          expect(toHex(encodeCompositeKey(columns, decodeCompositeKey(columns, bytes)))).toBe(toHex(bytes));
        } catch (error) {
          expect(error).toMatchObject({ name: "CFileError" });
        }
      }),
      { ...SEED, numRuns: 3000 },
    );
  });
});

describe("key range bounds", () => {
  const types = ["INT8", "STRING", "STRING"] as const;
  const text = fc.uint8Array({ maxLength: 3 }).map((bytes) => bytes.map((byte) => byte & 1 && 0xff));
  const cells = fc.tuple(fc.integer({ min: -128, max: 127 }), text, text);

  it("a key is within the bounds of its own leading cells only", () => {
    fc.assert(
      fc.property(cells, cells, fc.integer({ min: 0, max: 3 }), (key, other, count) => {
        const encoded = encodeCompositeKey(types, key);
        const first = other.slice(0, count);
        const upper = upperBound(types, first);
        const isWithin =
          compareBytes(encoded, lowerBound(types, first)) >= 0 &&
          (upper === undefined || compareBytes(encoded, upper) < 0);
        const begins = first.every((cell, i) => {
          const own = key[i] as KeyValue;
          return cell instanceof Uint8Array ? compareBytes(cell, own as Uint8Array) === 0 : cell === own;
        });
        expect(isWithin).toBe(begins);
      }),
      { ...SEED, numRuns: 2000 },
    );
  });

  it("no cells select all keys; more cells than columns are rejected", () => {
    expect(lowerBound(types, [])).toEqual(new Uint8Array(0));
    expect(upperBound(types, [])).toBeUndefined();
    expect(() => lowerBound(["INT8"], [1, 2])).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("the largest cells have no upper bound", () => {
    expect(upperBound(["UINT8", "STRING"], [255])).toBeUndefined();
    expect(toHex(upperBound(["UINT8", "STRING"], [254]) ?? new Uint8Array(0))).toBe("ff");
    expect(toHex(upperBound(["INT8"], [5]) ?? new Uint8Array(0))).toBe("8500");
  });
});
