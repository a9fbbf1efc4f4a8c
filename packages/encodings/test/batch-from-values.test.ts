import { toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { batchFromValues, MAX_ARRAY_ELEMENTS } from "../src/batches.js";
import { DATA_TYPES, type DataType, type FixedValues, type InputCell } from "../src/index.js";

const column = (type: DataType, nullable = false, array = false) => ({ type, nullable, array });

const INTEGERS: [DataType, number | bigint, number | bigint][] = [
  ["UINT8", 0, 255],
  ["INT8", -128, 127],
  ["UINT16", 0, 65535],
  ["INT16", -32768, 32767],
  ["UINT32", 0, 2 ** 32 - 1],
  ["INT32", -(2 ** 31), 2 ** 31 - 1],
  ["DATE", -(2 ** 31), 2 ** 31 - 1],
  ["DECIMAL32", -(2 ** 31), 2 ** 31 - 1],
  ["UINT64", 0n, 2n ** 64n - 1n],
  ["INT64", -(2n ** 63n), 2n ** 63n - 1n],
  ["UNIXTIME_MICROS", -(2n ** 63n), 2n ** 63n - 1n],
  ["DECIMAL64", -(2n ** 63n), 2n ** 63n - 1n],
  ["INT128", -(2n ** 127n), 2n ** 127n - 1n],
  ["DECIMAL128", -(2n ** 127n), 2n ** 127n - 1n],
];

const text = (value: string) => new TextEncoder().encode(value);

describe("values that fit", () => {
  it.each(INTEGERS)("%s accepts its minimum and maximum as number or bigint", (type, min, max) => {
    const batch = batchFromValues(column(type), [min, max, BigInt(min), BigInt(max), 0, 1n]);
    const wide = typeof min === "bigint";
    const expected = [min, max, min, max, wide ? 0n : 0, wide ? 1n : 1];
    expect(batch.toArray()).toEqual(expected);
    expect(batch.kind).toBe("fixed");
    expect(batch.nullCount).toBe(0);
    expect(batch.validity).toBeUndefined();
  });

  it.each<[DataType, InputCell[], unknown[]]>([
    [
      "DOUBLE",
      [0.1, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60],
      [0.1, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60],
    ],
    ["FLOAT", [0.1, Number.NaN], [Math.fround(0.1), Number.NaN]],
    ["BOOL", [true, false, true], [true, false, true]],
    ["IS_DELETED", [false, true], [false, true]],
    ["STRING", ["", "a", "grüße", "𝄞", text("bytes")], ["", "a", "grüße", "𝄞", "bytes"]],
    ["VARCHAR", ["abc", "äbc"], ["abc", "äbc"]],
    ["BINARY", [new Uint8Array(0), Uint8Array.of(0, 255)], [new Uint8Array(0), Uint8Array.of(0, 255)]],
  ])("%s", (type, values, expected) => {
    const batch = batchFromValues(column(type), values, 40);
    expect(batch.toArray()).toEqual(expected);
    expect(batch.firstRow).toBe(40);
    expect(batch.length).toBe(values.length);
    expect(batch.type).toBe(type);
  });

  it("encodes strings as UTF-8", () => {
    const batch = batchFromValues(column("STRING"), ["aé", "𝄞", "x"]);
    expect(batch.toArray({ strings: "bytes" }).map((cell) => toHex(cell as Uint8Array))).toEqual([
      "61c3a9",
      "f09d849e",
      "78",
    ]);
  });

  it.each<[string, InputCell[], unknown[]]>([
    ["texts", ["a", "ß", "a", "ß", "a", "", "a"], ["a", "ß", "a", "ß", "a", "", "a"]],
    [
      "names of object members",
      ["__proto__", "constructor", "toString", "__proto__", "constructor", "toString"],
      ["__proto__", "constructor", "toString", "__proto__", "constructor", "toString"],
    ],
    [
      "numbers as texts",
      ["12", "012", "4294967295", "12", "012", "4294967295"],
      ["12", "012", "4294967295", "12", "012", "4294967295"],
    ],
    ["texts and nulls", ["a", null, "a", undefined, "a", null], ["a", null, "a", null, "a", null]],
    ["texts and bytes", ["a", "a", "a", "a", text("b"), "a"], ["a", "a", "a", "a", "b", "a"]],
    ["nothing but nulls", [null, null, undefined], [null, null, null]],
  ])("%s that repeat", (_, values, expected) => {
    const batch = batchFromValues(column("STRING", true), values);
    expect(batch.toArray()).toEqual(expected);
    expect(expected.map((_, i) => batch.get(i))).toEqual(expected);
    const arrays = batchFromValues(column("STRING", true, true), [values as string[], null]);
    expect(arrays.toArray()).toEqual([expected, null]);
  });

  it("null and undefined become nulls with zeros as values", () => {
    const fixed = batchFromValues(column("INT32", true), [1, null, undefined, 4]);
    expect(fixed.toArray()).toEqual([1, null, null, 4]);
    expect(fixed.nullCount).toBe(2);
    expect([...(fixed.validity ?? [])]).toEqual([0b1001]);
    expect(fixed.kind === "fixed" && [...fixed.values]).toEqual([1, 0, 0, 4]);
    const strings = batchFromValues(column("BINARY", true), [null, Uint8Array.of(1), null]);
    expect(strings.kind === "binary" && [...strings.offsets]).toEqual([0, 0, 1, 1]);
    const bools = batchFromValues(column("BOOL", true), [null, true]);
    expect(bools.kind === "bool" && [...bools.values]).toEqual([2]);
  });

  it("uses typed arrays without copying", () => {
    const arrays: [DataType, FixedValues][] = [
      ["UINT8", Uint8Array.of(1)],
      ["INT8", Int8Array.of(-1)],
      ["UINT16", Uint16Array.of(1)],
      ["INT16", Int16Array.of(-1)],
      ["UINT32", Uint32Array.of(1)],
      ["DATE", Int32Array.of(-1)],
      ["UINT64", BigUint64Array.of(1n)],
      ["DECIMAL64", BigInt64Array.of(-1n)],
      ["FLOAT", Float32Array.of(0.5)],
      ["DOUBLE", Float64Array.of(0.5)],
      ["INT128", new Uint8Array(16).fill(255)],
    ];
    for (const [type, values] of arrays) {
      const batch = batchFromValues(column(type), values, 3);
      expect(batch.length).toBe(1);
      expect(batch.kind === "fixed" && batch.values).toBe(values);
      expect(batch.toArray()).toEqual(type === "INT128" ? [-1n] : [...values]);
    }
  });

  it("arrays, with null elements, null and empty cells", () => {
    const cells = [[1, null], [], null, [3, undefined]];
    const batch = batchFromValues(column("INT32", true, true), cells, 7);
    expect(batch.toArray()).toEqual([[1, null], [], null, [3, null]]);
    expect(batch.nullCount).toBe(1);
    expect(batch.kind === "array" && [...batch.offsets]).toEqual([0, 2, 2, 2, 4]);
    expect(batch.kind === "array" && batch.child.nullCount).toBe(2);
    const longest = new Array<number>(MAX_ARRAY_ELEMENTS).fill(1);
    expect(batchFromValues(column("INT8", false, true), [longest]).get(0)).toEqual(longest);
  });

  it("an empty list becomes an empty batch", () => {
    for (const type of Object.keys(DATA_TYPES) as DataType[]) {
      expect(batchFromValues(column(type), []).toArray()).toEqual([]);
      expect(batchFromValues(column(type, true, true), []).toArray()).toEqual([]);
    }
  });
});

describe("values that do not fit: the error names the row and the reason", () => {
  const OUT_OF_RANGE = INTEGERS.flatMap(([type, min, max]): [DataType, InputCell, string][] => [
    [type, BigInt(min) - 1n, `the range is ${min} to ${max}`],
    [type, BigInt(max) + 1n, `the range is ${min} to ${max}`],
  ]);
  it.each<[DataType, InputCell, string]>([
    ...OUT_OF_RANGE,
    ["INT32", 1.5, "an integer is expected"],
    ["INT32", Number.NaN, "an integer is expected"],
    ["INT32", Number.POSITIVE_INFINITY, "an integer is expected"],
    ["INT32", "1", "an integer is expected"],
    ["INT32", true, "an integer is expected"],
    ["INT32", Uint8Array.of(1), "an integer is expected"],
    ["INT64", 2 ** 53, "a number this large is not exact; pass a bigint"],
    ["INT128", -(2 ** 60), "a number this large is not exact; pass a bigint"],
    ["DOUBLE", 1n, "a number is expected"],
    ["DOUBLE", "1", "a number is expected"],
    ["FLOAT", true, "a number is expected"],
    ["BOOL", 1, "true or false is expected"],
    ["BOOL", "true", "true or false is expected"],
    ["IS_DELETED", 0n, "true or false is expected"],
    ["STRING", 1, "a string or Uint8Array is expected"],
    ["VARCHAR", 1n, "a string or Uint8Array is expected"],
    ["STRING", [], "a string or Uint8Array is expected"],
    ["BINARY", "text", "a Uint8Array is expected"],
    ["BINARY", false, "a Uint8Array is expected"],
    ["INT32", [1], "an integer is expected"],
    ["INT32", null, "the column is not nullable"],
    ["STRING", undefined, "the column is not nullable"],
  ])("%s rejects %s: %s", (type, value, reason) => {
    const good: InputCell = type === "BINARY" ? Uint8Array.of(1) : fitting(type);
    const error = expect.objectContaining({
      name: "CFileError",
      code: "E_INVALID_ARGUMENT",
      field: "values",
      reason: expect.stringMatching(new RegExp(`^row 1002: .* does not fit ${type}: ${reason}$`)),
    });
    expect(() => batchFromValues(column(type), [good, good, value], 1000)).toThrow(error);
    if (value !== null && value !== undefined) {
      expect(() => batchFromValues(column(type, true), [null, good, value], 1000)).toThrow(error);
    }
  });

  it.each<[string, InputCell[], string]>([
    ["a scalar", [[1], 2], "row 11: 2 does not fit INT8: an array column takes an array per row"],
    ["a null cell", [[1], null], "row 11: null does not fit INT8: the column is not nullable"],
    [
      "an element out of range",
      [[1], [], [1, 2, 300]],
      "row 12, element 2: 300 does not fit INT8: the range is -128 to 127",
    ],
    [
      "a first element of the wrong kind",
      [["a"]],
      'row 10, element 0: "a" does not fit INT8: an integer is expected',
    ],
    [
      "65536 elements",
      [[], new Array<number>(65536).fill(1)],
      'row 11: "array of 65536" does not fit INT8: an array holds at most 65535 elements',
    ],
  ])("an array column rejects %s", (_, values, reason) => {
    expect(() => batchFromValues(column("INT8", false, true), values, 10)).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT", field: "values", reason }),
    );
  });

  it.each(["\ud800", "\udc00", "a\udc00\ud800", "\ud834", "é\udd1e"])(
    "a lone surrogate, which UTF-8 cannot encode: %j",
    (value) => {
      const error = expect.objectContaining({
        code: "E_INVALID_ARGUMENT",
        field: "values",
        reason: expect.stringMatching(/^row 5: .* does not fit VARCHAR: a lone surrogate/),
      });
      expect(() => batchFromValues(column("VARCHAR"), ["a", "\ud834\udd1e", value], 3)).toThrow(error);
      expect(() => batchFromValues(column("VARCHAR"), ["a", "a", value, "a", "a"], 3)).toThrow(error);
    },
  );

  it("an object that cannot be converted to text", () => {
    const odd = Object.create(null) as Uint8Array;
    expect(() => batchFromValues(column("INT8"), [odd])).toThrow(
      /^row 0: \[object Object\] does not fit INT8/,
    );
  });

  it("a long value is shortened in the message", () => {
    expect(() => batchFromValues(column("INT8"), ["x".repeat(1000)])).toThrow(
      /^row 0: "x{56}\.\.\. does not fit INT8/,
    );
  });

  it.each<[DataType, FixedValues]>([
    ["INT32", Uint32Array.of(1)],
    ["INT64", BigUint64Array.of(1n)],
    ["FLOAT", Float64Array.of(1)],
    ["INT128", new Uint8Array(17)],
    ["INT128", BigInt64Array.of(1n)],
    ["BOOL", Uint8Array.of(1)],
    ["STRING", Uint8Array.of(1)],
  ])("%s rejects the typed array %s", (type, values) => {
    expect(() => batchFromValues(column(type), values)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "values" }),
    );
  });

  it("an array column rejects a typed array", () => {
    expect(() => batchFromValues(column("INT8", false, true), Int8Array.of(1))).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "values" }),
    );
  });
});

function fitting(type: DataType): InputCell {
  switch (DATA_TYPES[type].physical) {
    case "BOOL":
      return true;
    case "BINARY":
      return "text";
    default:
      return 1;
  }
}
