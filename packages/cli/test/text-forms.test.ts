import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnFileNames } from "../src/files/column-file-names.js";
import type { FilePart, PartKind } from "../src/files/file-parts.js";
import { layoutPicture } from "../src/files/layout-picture.js";
import { byteSize } from "../src/options/option-values.js";
import { sizeText } from "../src/records/quantity.js";

const seed = { seed: 1 };

test("file names of columns are safe and distinct", () => {
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

test("sizes are printed and parsed with units", () => {
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

  test("has the requested width", () => {
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
