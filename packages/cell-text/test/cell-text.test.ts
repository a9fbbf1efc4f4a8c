import { isCFileError } from "@cfile/bytes";
import { DATA_TYPES, type DataType, type InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cellParser,
  csvField,
  dateText,
  decimalText,
  doubleText,
  floatText,
  jsonCells,
  parseDate,
  parseDecimal,
  parseTimestamp,
  plainCells,
  printable,
  timestampText,
} from "../src/index.js";

const seed = { seed: 1 };

describe("dates and timestamps", () => {
  test("match JavaScript's Date", () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
        expect(dateText(day)).toBe(new Date(day * 86_400_000).toISOString().slice(0, 10));
      }),
      seed,
    );
  });

  test("round-trip over their whole range", () => {
    fc.assert(
      fc.property(fc.integer(), (day) => {
        expect(parseDate(dateText(day))).toBe(day);
      }),
      seed,
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (micros) => {
        expect(parseTimestamp(timestampText(micros))).toBe(micros);
      }),
      seed,
    );
  });

  test.each([["2023-02-29"], ["2024-13-01"], ["2024-1-1"], ["24-01-01"], ["2024-04-31"]])(
    "%s is not a date",
    (text) => {
      expect(parseDate(text)).toBeUndefined();
    },
  );

  test("time zone offsets are subtracted", () => {
    expect(parseTimestamp("1970-01-01T01:30+01:30")).toBe(0n);
    expect(parseTimestamp("1969-12-31 23:00:00.5-0100")).toBe(500_000n);
    expect(parseTimestamp("2024-01-01T24:00")).toBeUndefined();
  });
});

test("decimals round-trip with every scale", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.nat(38), (unscaled, scale) => {
      expect(parseDecimal(decimalText(unscaled, scale), scale)).toBe(unscaled);
    }),
    seed,
  );
  expect(parseDecimal("1.234", 2)).toBeUndefined();
});

test("floats use the shortest text that round-trips", () => {
  expect([0.1, 1e21, -0, Number.NaN, 16777216].map((value) => floatText(Math.fround(value)))).toEqual([
    "0.1",
    "1e+21",
    "-0",
    "NaN",
    "16777216",
  ]);
  expect(doubleText(-0)).toBe("-0");
  fc.assert(
    fc.property(fc.float(), (value) => {
      expect(Math.fround(Number(floatText(value)))).toBe(value);
    }),
    seed,
  );
});

test("control characters and direction marks are escaped", () => {
  expect(printable("a\u001b[2J\n\u202eb")).toBe("a\\x1b[2J\\n\\u202eb");
});

test("CSV fields are quoted where necessary", () => {
  expect([undefined, "", "a", "a,b", 'a"b', " a"].map(csvField)).toEqual([
    "",
    '""',
    "a",
    '"a,b"',
    '"a""b"',
    '" a"',
  ]);
});

describe("cells of every type", () => {
  const samples: Partial<Record<DataType, InputCell>> = {
    STRING: "a,\n\u00e9",
    VARCHAR: "",
    BINARY: Uint8Array.of(0, 255),
    BOOL: true,
    IS_DELETED: false,
    FLOAT: 0.5,
    DOUBLE: -0,
    DATE: 19782,
    UNIXTIME_MICROS: 1709208000000000n,
  };
  test.each(Object.keys(DATA_TYPES) as DataType[])("%s: the parser accepts the decoded text", (type) => {
    const cell = samples[type] ?? 42;
    const batch = batchFromValues({ type, nullable: true, array: false }, [cell, null]);
    const [text = "", ofNull] = plainCells(batch, { decode: true });
    expect(ofNull).toBe(undefined);
    const again = batchFromValues({ type, nullable: true, array: false }, [cellParser({ type })(text), null]);
    expect(jsonCells(again, { decode: false })).toEqual(jsonCells(batch, { decode: false }));
  });

  test.each(["INT32", "DATE", "BOOL", "DOUBLE", "BINARY", "UNIXTIME_MICROS"] as const)(
    "%s: invalid text is rejected",
    (type) => {
      expect(() => cellParser({ type })("x!")).toThrowError(
        expect.toSatisfy((error: unknown) => isCFileError(error, "E_INVALID_ARGUMENT")),
      );
    },
  );
});
