import { fromHex, toHex } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { describe, expect, it } from "vitest";
import { checkCell, type DeltaColumn, decodeCell, encodeCell, type MutatedCell } from "../src/index.js";

const cell = (hex: string | null): MutatedCell => {
  const bytes = fromHex(`aa${hex ?? ""}bb`);
  return { isNull: hex === null, data: bytes, start: 1, end: bytes.length - 1 };
};

const CELLS: readonly (readonly [DeltaColumn["type"], CellValue, string])[] = [
  ["BOOL", true, "01"],
  ["BOOL", false, "00"],
  ["INT8", -2, "fe"],
  ["UINT8", 254, "fe"],
  ["INT16", -2, "feff"],
  ["UINT16", 0x1234, "3412"],
  ["INT32", 33, "21000000"],
  ["UINT32", 0xfffffffe, "feffffff"],
  ["DATE", -1, "ffffffff"],
  ["DECIMAL32", 12345, "39300000"],
  ["INT64", -2n, "feffffffffffffff"],
  ["UINT64", 2n ** 64n - 1n, "ffffffffffffffff"],
  ["UNIXTIME_MICROS", 1n, "0100000000000000"],
  ["DECIMAL64", -1n, "ffffffffffffffff"],
  ["INT128", -2n, "feffffffffffffffffffffffffffffff"],
  ["DECIMAL128", 2n ** 100n, "00000000000000000000000010000000"],
  ["FLOAT", 1.5, "0000c03f"],
  ["DOUBLE", -0.5, "000000000000e0bf"],
  ["STRING", "hällo", "68c3a46c6c6f"],
  ["STRING", "", ""],
  ["VARCHAR", "x", "78"],
  ["BINARY", Uint8Array.of(0, 255), "00ff"],
];

describe("a value in a change list", () => {
  it.each(CELLS)("%s %o is %s", (type, value, hex) => {
    const column = { id: 7, type, nullable: true };
    expect(toHex(encodeCell(column, value) ?? new Uint8Array(1))).toBe(hex);
    expect(decodeCell(column, cell(hex))).toEqual(value);
    expect(encodeCell(column, null)).toBeNull();
    expect(decodeCell(column, cell(null))).toBeNull();
  });

  it.each(CELLS.filter(([type]) => !["STRING", "VARCHAR", "BINARY"].includes(type)))(
    "%s of the wrong length is corrupt",
    (type, _value, hex) => {
      const column = { id: 7, type, nullable: true };
      for (const bad of ["", hex.slice(2), `${hex}00`]) {
        expect(() => decodeCell(column, cell(bad))).toThrow(
          expect.objectContaining({ code: "E_CORRUPT", field: "column 7" }),
        );
      }
    },
  );

  it("must not be NULL in a column that is not nullable", () => {
    const column = { id: 9, type: "STRING" } as const;
    expect(() => checkCell(column, cell(null))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "column 9" }),
    );
    expect(() => encodeCell(column, null)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });

  it("of BOOL must be 0 or 1", () => {
    expect(() => decodeCell({ id: 1, type: "BOOL" }, cell("02"))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });

  it("is decoded as bytes on request", () => {
    const column = { id: 1, type: "STRING" } as const;
    expect(decodeCell(column, cell("ff"), { strings: "bytes" })).toEqual(Uint8Array.of(0xff));
  });

  it("follows the cell options", () => {
    expect(decodeCell({ id: 1, type: "INT64" }, cell("0500000000000000"), { int64: "number" })).toBe(5);
  });
});
