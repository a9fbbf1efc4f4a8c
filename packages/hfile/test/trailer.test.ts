import { ByteBuilder, utf8Bytes } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { FileInfo } from "../src/file/file-info.js";
import { HFILE_LIMITS } from "../src/file/file-structure.js";
import { encodeTrailer, parseTrailer } from "../src/file/trailer.js";
import { goldenFiles } from "./golden.js";

const FILE_SIZE = 10_000;

/** A trailer with the given fields of the message `FileTrailerProto`. */
function trailer(...fields: readonly number[]): Uint8Array {
  const out = new ByteBuilder();
  out.append(utf8Bytes('TRABLK"$'));
  out.u8(fields.length);
  out.append(Uint8Array.from(fields));
  out.append(new Uint8Array(4092 - out.length));
  out.u32be(3);
  return out.finish();
}

const FILE_INFO_OFFSET = [0x08, 100];
const LOAD_ON_OPEN = [0x10, 50];
const TOTAL_BYTES = [0x20, 9];
const ENCRYPTION_KEY = [0x6a, 1, 5];

describe("a trailer", () => {
  it.each(goldenFiles)("of $name is encoded again with the same values", ({ bytes }) => {
    const parsed = parseTrailer(bytes.subarray(-4096), bytes.length, HFILE_LIMITS);
    expect(parseTrailer(encodeTrailer(parsed), bytes.length, HFILE_LIMITS)).toEqual(parsed);
  });

  it("with the required fields only has the defaults of the format", () => {
    const parsed = parseTrailer(
      trailer(...FILE_INFO_OFFSET, ...LOAD_ON_OPEN, ...TOTAL_BYTES),
      FILE_SIZE,
      HFILE_LIMITS,
    );
    expect(parsed).toEqual({
      majorVersion: 3,
      minorVersion: 0,
      fileInfoOffset: 100,
      loadOnOpenOffset: 50,
      uncompressedDataIndexSize: 0,
      totalUncompressedBytes: 9,
      dataIndexCount: 0,
      metaIndexCount: 0,
      entryCount: 0,
      indexLevels: 1,
      firstDataBlockOffset: undefined,
      lastDataBlockOffset: undefined,
      comparator: "",
      codec: "NONE",
    });
  });

  it.each([
    [
      "of an encrypted file",
      [...FILE_INFO_OFFSET, ...LOAD_ON_OPEN, ...ENCRYPTION_KEY],
      "E_UNSUPPORTED",
      "encrypted key",
    ],
    ["without an offset of the file info", LOAD_ON_OPEN, "E_CORRUPT", "file info offset"],
    ["without an offset of the section", FILE_INFO_OFFSET, "E_CORRUPT", "load-on-open offset"],
  ])("%s is refused", (_, fields, code, field) => {
    expect(() => parseTrailer(trailer(...fields), FILE_SIZE, HFILE_LIMITS)).toThrow(
      expect.objectContaining({ code, field }),
    );
  });
});

describe("an integer of the file info", () => {
  const info = new FileInfo([
    { key: utf8Bytes("four"), value: Uint8Array.of(0xff, 0xff, 0xff, 0xfe) },
    { key: utf8Bytes("eight"), value: Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0) },
  ]);

  it("is signed and big-endian", () => {
    expect([info.integer("four", 4), info.integer("eight", 8), info.integer("none", 8)]).toEqual([
      -2n,
      2n ** 32n,
      undefined,
    ]);
  });

  it("is refused if it has another size", () => {
    expect(() => info.integer("four", 8)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "four", expected: 8, actual: 4 }),
    );
  });
});
