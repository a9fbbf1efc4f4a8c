/** Page headers: an invalid field type counts as damage, as in parquet-java and Spark. */
import { ByteReader, fromHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { readPageHeader } from "../src/pages/page-header.js";

/** A data page v1 of one value: type 0, 6 bytes uncompressed, 8 stored, then the fields of data pages. */
const HEADER = "1500 150c 1510 2c 1502 1500 1506 1506 00 00";

const read = (hex: string) => readPageHeader(new ByteReader(fromHex(hex.replaceAll(" ", ""))));

describe("a page header", () => {
  it("is parsed into its fields", () => {
    expect(read(HEADER)).toMatchObject({
      kind: "data-v1",
      uncompressedSize: 6,
      storedSize: 8,
      valueCount: 1,
    });
  });

  it.each([
    ["a byte", "1300"],
    ["16 bits", "1400"],
    ["64 bits", "1600"],
  ])("whose page type is stored as %s is corrupt", (_, field) => {
    expect(() => read(HEADER.replace("1500", field))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "page type", offset: 0 }),
    );
  });

  it("may name a page type or an encoding that is unknown", () => {
    expect(read(HEADER.replace("1500", "150e"))).toMatchObject({ kind: "other", storedSize: 8 });
    expect(read(HEADER.replace("1502 1500", "1502 1528"))).toMatchObject({ encoding: "20" });
  });

  it.each([
    ["of another type", HEADER.replace("2c", "4c")],
    ["that are not a struct", "1500 150c 1510 2502 00"],
    ["of two types", HEADER.replace(/00$/, "2c 00 00")],
  ])("with details %s is corrupt", (_, hex) => {
    expect(() => read(hex)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "page header", offset: 0 }),
    );
  });
});
