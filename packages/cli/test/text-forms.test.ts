import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateText, parseDate, parseTimestamp, timestampText } from "../src/calendar.js";
import { columnFileNames } from "../src/column-file-names.js";
import { decimalText, parseDecimal } from "../src/decimal.js";
import type { FilePart, PartKind } from "../src/file-parts.js";
import { doubleText, floatText } from "../src/float.js";
import { layoutPicture } from "../src/layout-picture.js";
import { byteSize } from "../src/option-values.js";
import { printable } from "../src/printable.js";
import { sizeText } from "../src/quantity.js";

const seed = { seed: 1 };

describe("dates and timestamps", () => {
  test("are what JavaScript's Date makes of them", () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
        expect(dateText(day)).toBe(new Date(day * 86_400_000).toISOString().slice(0, 10));
      }),
      seed,
    );
  });

  test("come back over their whole range", () => {
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
    "%s is no date",
    (text) => {
      expect(parseDate(text)).toBeUndefined();
    },
  );

  test("offsets are taken off", () => {
    expect(parseTimestamp("1970-01-01T01:30+01:30")).toBe(0n);
    expect(parseTimestamp("1969-12-31 23:00:00.5-0100")).toBe(500_000n);
    expect(parseTimestamp("2024-01-01T24:00")).toBeUndefined();
  });
});

test("decimals come back with every scale", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.nat(38), (unscaled, scale) => {
      expect(parseDecimal(decimalText(unscaled, scale), scale)).toBe(unscaled);
    }),
    seed,
  );
  expect(parseDecimal("1.234", 2)).toBeUndefined();
});

test("floats have their shortest text", () => {
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

test("file names of columns are safe and differ", () => {
  expect(columnFileNames(["a", "A", "../b", "", "con", "x/y", "é.z"])).toEqual([
    "a.cfile",
    "A-2.cfile",
    "__b.cfile",
    "_column.cfile",
    "con_column.cfile",
    "x_y.cfile",
    "é.z.cfile",
  ]);
});

test("control characters and direction marks are shown as escapes", () => {
  expect(printable("a\u001b[2J\n\u202eb")).toBe("a\\x1b[2J\\n\\u202eb");
});

test("sizes", () => {
  expect([0, 1023, 1536, 461 * 1024, 5 * 1024 ** 3].map(sizeText)).toEqual([
    "0 B",
    "1023 B",
    "1.5 KiB",
    "461 KiB",
    "5.0 GiB",
  ]);
  expect(["1", "64K", "64KiB", "1m", "2gb"].map((text) => byteSize("--size", text))).toEqual([
    1,
    65536,
    65536,
    2 ** 20,
    2 ** 31,
  ]);
});

describe("the picture of a layout", () => {
  const kinds: readonly PartKind[] = ["header", "data", "posidx", "validx", "dictionary", "footer"];
  const parts = fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), size: fc.integer({ min: 1, max: 1e6 }) }),
    {
      minLength: 1,
      maxLength: 60,
    },
  );

  test("is as wide as it should be", () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 10, max: 40 }), (sizes, width) => {
        let offset = 0;
        const placed: FilePart[] = sizes.map(({ kind, size }) => {
          offset += size;
          return { kind, size, offset: offset - size };
        });
        expect(layoutPicture(placed, width, (_format, text) => text)[0]).toHaveLength(width);
      }),
      seed,
    );
  });

  test("shows small parts next to large ones", () => {
    const placed: FilePart[] = [
      { kind: "header", offset: 0, size: 16 },
      { kind: "data", offset: 16, size: 1_000_000 },
      { kind: "footer", offset: 1_000_016, size: 40 },
    ];
    expect(layoutPicture(placed, 8, (_format, text) => text)).toEqual([
      "H██████F",
      "H header  █ data  F footer",
    ]);
  });
});
