import { CFileError, fromHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { openDictionaryWords } from "../src/dictionary.js";
import type { DataType, DecodeContext, EncodingType } from "../src/index.js";
import { vectorBytes, wordsFromGolden } from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { vectorOfCells } from "./random-values.js";
import { cellsOf } from "./vectors.js";

type Case = [reason: string, type: DataType, hex: string, code: string, field: string, offset: number];

const DICTIONARY: DecodeContext = { dictionary: wordsFromGolden(["61", "6262"]) };

function bytesFrom(hex: string): Uint8Array {
  return fromHex(hex.replaceAll("|", ""));
}

/** Every defect must give an error with its location on opening, decoding or checking the block. */
function refused(encoding: EncodingType, [, type, hex, code, field, offset]: Case): void {
  const error = expect.objectContaining({ name: "CFileError", code, field, offset });
  const open = () => openBlock(type, encoding, bytesFrom(hex), DICTIONARY);
  expect(() => {
    const block = open();
    block.decode(0, block.count);
  }).toThrow(error);
  expect(() => open().check()).toThrow(expect.objectContaining({ name: "CFileError", code }));
}

describe("plain blocks of fixed width (5.1) reject", () => {
  it.each<Case>([
    ["no header", "INT32", "00 00 00 00 00 00 00", "E_TRUNCATED", "ordinal", 4],
    ["nothing", "INT32", "", "E_TRUNCATED", "value count", 0],
    ["a value too few", "INT32", "02000000 00000000 01000000", "E_CORRUPT", "value count", 0],
    ["a byte too few", "INT32", "01000000 00000000 010000", "E_CORRUPT", "value count", 0],
    ["a byte too many", "INT32", "01000000 00000000 01000000 00", "E_CORRUPT", "value count", 0],
    [
      "a count whose bytes wrap 32 bits",
      "INT32",
      "01000040 00000000 01000000",
      "E_CORRUPT",
      "value count",
      0,
    ],
    ["a count whose bytes wrap to none", "INT64", "00000020 00000000", "E_CORRUPT", "value count", 0],
    ["the largest count", "INT128", "ffffffff 00000000", "E_CORRUPT", "value count", 0],
  ])("%s", (...wrong) => refused("PLAIN_ENCODING", wrong));
});

describe("plain blocks of BOOL (5.2) reject", () => {
  it.each<Case>([
    ["no header", "BOOL", "00 00 00", "E_TRUNCATED", "value count", 0],
    ["a byte too few", "BOOL", "09000000 00000000 01", "E_CORRUPT", "value count", 0],
    ["a byte too many", "BOOL", "08000000 00000000 01 00", "E_CORRUPT", "value count", 0],
    ["a count whose bytes wrap 32 bits", "BOOL", "ffffffff 00000000", "E_CORRUPT", "value count", 0],
  ])("%s", (...wrong) => refused("PLAIN_ENCODING", wrong));

  it("no padding bits, as in Kudu", () => {
    const block = openBlock("BOOL", "PLAIN_ENCODING", fromHex("03000000 00000000 fd"));
    block.check();
    expect(cellsOf(block.decode(0, 3))).toEqual([true, false, true]);
  });
});

describe("plain blocks of strings (5.3) reject", () => {
  it.each<Case>([
    ["no header", "STRING", "00000000 00000000 0c0000", "E_TRUNCATED", "offsets position", 8],
    ["offsets inside the header", "STRING", "00000000 00000000 0b000000", "E_CORRUPT", "offsets position", 8],
    ["offsets behind the end", "STRING", "00000000 00000000 0d000000", "E_CORRUPT", "offsets position", 8],
    ["offsets at 2^32 - 1", "STRING", "00000000 00000000 ffffffff", "E_CORRUPT", "offsets position", 8],
    ["values without offsets", "STRING", "00000000 01000000 0d000000 61", "E_TRUNCATED", "offsets", 13],
    [
      "an offset group that ends early",
      "STRING",
      "00000000 01000000 0d000000 61 00 0c 00 00",
      "E_TRUNCATED",
      "offsets",
      13,
    ],
    [
      "wide offsets that end early",
      "STRING",
      "00000000 01000000 0d000000 61 ff 0c 00 00 00",
      "E_TRUNCATED",
      "offsets",
      13,
    ],
    [
      "more values than offsets",
      "STRING",
      "00000000 05000000 0d000000 61 00 0c 0c 0c 0c",
      "E_TRUNCATED",
      "offsets",
      13,
    ],
    [
      "2^32 - 1 values",
      "STRING",
      "00000000 ffffffff 0d000000 61 00 0c 0c 0c 0c",
      "E_TRUNCATED",
      "offsets",
      13,
    ],
    [
      "a first offset inside the header",
      "STRING",
      "00000000 01000000 0d000000 61 00 0b 00 00 00",
      "E_CORRUPT",
      "offsets",
      13,
    ],
    [
      "an offset behind the values",
      "STRING",
      "00000000 01000000 0d000000 61 00 0e 00 00 00",
      "E_CORRUPT",
      "offsets",
      13,
    ],
    [
      "offsets that decrease",
      "STRING",
      "00000000 02000000 0e000000 61 62 00 0d 0c 00 00",
      "E_CORRUPT",
      "offsets",
      14,
    ],
    [
      "an offset of 2^31",
      "STRING",
      "00000000 01000000 0d000000 61 c0 00 00 00 80 00 00 00",
      "E_CORRUPT",
      "offsets",
      13,
    ],
    [
      "an offset of 2^32 - 1",
      "STRING",
      "00000000 01000000 0d000000 61 c0 ff ff ff ff 00 00 00",
      "E_CORRUPT",
      "offsets",
      13,
    ],
  ])("%s", (...wrong) => refused("PLAIN_ENCODING", wrong));

  it.each(["00", "ff", "00 0c 0c 0c 0c"])("no bytes after the offsets, as in Kudu: %s", (tail) => {
    const block = openBlock(
      "STRING",
      "PLAIN_ENCODING",
      bytesFrom(`00000000 01000000 0d000000 61 000c000000 ${tail}`),
    );
    block.check();
    expect(cellsOf(block.decode(0, 1))).toEqual(["61"]);
  });
});

describe("prefix blocks (5.4) reject", () => {
  it.each<Case>([
    ["nothing", "STRING", "", "E_TRUNCATED", "header", 0],
    ["four bytes", "STRING", "00 00 00 10", "E_TRUNCATED", "header", 0],
    ["a header wider than the block", "STRING", "ff 00 00 00 00 00 00 00", "E_TRUNCATED", "header", 0],
    ["no number of restarts", "STRING", "00 00 00 10 00 00 00 00", "E_TRUNCATED", "number of restarts", 5],
    ["an interval of 0", "STRING", "00 00 00 00 00 | 00000000", "E_CORRUPT", "restart interval", 0],
    [
      "restarts that are not due",
      "STRING",
      "00 01 00 10 00 | 00 01 61 | 05000000 01000000",
      "E_CORRUPT",
      "number of restarts",
      12,
    ],
    [
      "restarts of an empty block",
      "STRING",
      "00 00 00 10 00 | 01000000",
      "E_CORRUPT",
      "number of restarts",
      5,
    ],
    [
      "restarts missing",
      "STRING",
      "00 02 00 01 00 | 00 01 61 00 01 62 | 00000000",
      "E_CORRUPT",
      "number of restarts",
      11,
    ],
    [
      "a number of restarts whose bytes wrap",
      "STRING",
      "00 01 00 10 00 | 00 01 61 | 00000040",
      "E_CORRUPT",
      "number of restarts",
      8,
    ],
    ["restarts over the header", "STRING", "00 03 00 01 00 | 00 00 | 02000000", "E_TRUNCATED", "restarts", 5],
    [
      "entries that cannot fit",
      "STRING",
      "00 04 00 10 00 | 00 00 00 00 00 00 | 00000000",
      "E_TRUNCATED",
      "entries",
      5,
    ],
    [
      "2^32 - 1 entries",
      "STRING",
      "c3 ff ff ff ff 00 10 00 00 00 00 | 00 00 00 00",
      "E_CORRUPT",
      "number of restarts",
      11,
    ],
    [
      "2^32 - 1 entries and one restart interval",
      "STRING",
      "cc ff ff ff ff 00 ff ff ff ff 00 | 00000000",
      "E_TRUNCATED",
      "entries",
      11,
    ],
    [
      "a restart inside the header",
      "STRING",
      "00 02 00 01 00 | 00 01 61 00 01 62 | 04000000 01000000",
      "E_CORRUPT",
      "restart",
      11,
    ],
    [
      "a restart at the first entry",
      "STRING",
      "00 02 00 01 00 | 00 01 61 00 01 62 | 05000000 01000000",
      "E_CORRUPT",
      "restart",
      11,
    ],
    [
      "a restart behind the entries",
      "STRING",
      "00 02 00 01 00 | 00 01 61 00 01 62 | 0b000000 01000000",
      "E_CORRUPT",
      "restart",
      11,
    ],
    [
      "restarts out of order",
      "STRING",
      "00 03 00 01 00 | 00 01 61 00 01 62 00 01 63 | 0b000000 08000000 02000000",
      "E_CORRUPT",
      "restart",
      18,
    ],
    [
      "a restart inside an entry",
      "STRING",
      "00 02 00 01 00 | 00 01 61 00 01 62 | 07000000 01000000",
      "E_CORRUPT",
      "restart",
      8,
    ],
    [
      "a restart that shares",
      "STRING",
      "00 02 00 01 00 | 00 01 61 01 01 62 | 08000000 01000000",
      "E_CORRUPT",
      "shared length",
      8,
    ],
    [
      "a first entry that shares",
      "STRING",
      "00 01 00 10 00 | 01 01 61 | 00000000",
      "E_CORRUPT",
      "shared length",
      5,
    ],
    [
      "sharing more than there is",
      "STRING",
      "00 02 00 10 00 | 00 01 61 02 01 62 | 00000000",
      "E_CORRUPT",
      "shared length",
      8,
    ],
    [
      "sharing 2^32 - 1 bytes",
      "STRING",
      "00 02 00 10 00 | 00 01 61 ff ff ff ff 0f 00 | 00000000",
      "E_CORRUPT",
      "shared length",
      8,
    ],
    [
      "a value behind the entries",
      "STRING",
      "00 01 00 10 00 | 00 02 61 | 00000000",
      "E_TRUNCATED",
      "non-shared bytes",
      7,
    ],
    [
      "a value of 2^32 - 1 bytes",
      "STRING",
      "00 01 00 10 00 | 00 ff ff ff ff 0f | 00000000",
      "E_TRUNCATED",
      "non-shared bytes",
      11,
    ],
    [
      "a length that does not end",
      "STRING",
      "00 01 00 10 00 | 00 80 | 00000000",
      "E_TRUNCATED",
      "non-shared length",
      6,
    ],
    [
      "a length of six bytes",
      "STRING",
      "00 01 00 10 00 | 80 80 80 80 80 01 00 | 00000000",
      "E_CORRUPT",
      "shared length",
      5,
    ],
    [
      "bytes behind the last entry",
      "STRING",
      "00 01 00 10 00 | 00 01 61 00 | 00000000",
      "E_CORRUPT",
      "entries",
      8,
    ],
  ])("%s", (...wrong) => refused("PREFIX_ENCODING", wrong));

  it("bytes in an empty block, when checked", () => {
    const block = openBlock("STRING", "PREFIX_ENCODING", bytesFrom("00 00 00 10 00 | 61 | 00000000"));
    expect(() => block.check()).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "entries", offset: 5 }),
    );
  });

  it("the same entry again, and still decode valid entries before it", () => {
    const block = openBlock(
      "STRING",
      "PREFIX_ENCODING",
      bytesFrom("00 03 00 10 00 | 00 01 61 00 01 62 02 01 63 | 00000000"),
    );
    for (let i = 0; i < 2; i++) {
      expect(() => block.decode(0, 3)).toThrow(expect.objectContaining({ code: "E_CORRUPT", offset: 11 }));
      expect(() => block.decode(2, 3)).toThrow(expect.objectContaining({ code: "E_CORRUPT", offset: 11 }));
      expect(() => block.seek(fromHex("63"))).toThrow(
        expect.objectContaining({ code: "E_CORRUPT", offset: 11 }),
      );
      expect(cellsOf(block.decode(0, 2))).toEqual(["61", "62"]);
      expect(block.seek(fromHex("62"))).toEqual({ position: 1, exact: true });
    }
  });

  it("values that would exceed the limit", () => {
    // One value of 100 bytes, and 50 entries of two bytes each, which share all of its bytes.
    const hex = `00 33 00 ff 00 | 00 64 ${"61".repeat(100)} ${"64 00".repeat(50)} | 00000000`;
    const decode = (maxDecodedBytes: number) =>
      openBlock("STRING", "PREFIX_ENCODING", bytesFrom(hex), { maxDecodedBytes }).decode(0, 51);
    expect(vectorBytes(decode(5100)).length).toBe(5100);
    expect(() => decode(5099)).toThrow(expect.objectContaining({ code: "E_LIMIT", field: "values" }));
  });
});

describe("RLE blocks (5.5) reject", () => {
  it.each<Case>([
    ["no header", "INT32", "01000000 000000", "E_TRUNCATED", "ordinal", 4],
    ["no stream", "INT32", "01000000 00000000", "E_TRUNCATED", "RLE stream", 8],
    ["a stream of fewer values", "INT8", "05000000 00000000 08 07", "E_TRUNCATED", "RLE stream", 10],
    ["fewer literals", "INT8", "05000000 00000000 03 01 02 03 04", "E_TRUNCATED", "RLE stream", 13],
    ["a run of no values", "INT8", "01000000 00000000 00 07", "E_CORRUPT", "run header", 8],
    ["a literal run of no groups", "INT8", "01000000 00000000 01 07", "E_CORRUPT", "run header", 8],
    ["a run header of six bytes", "INT8", "01000000 00000000 828080808001 07", "E_CORRUPT", "run header", 8],
    ["a negative run header", "INT8", "01000000 00000000 feffffff0f 07", "E_CORRUPT", "run header", 8],
    ["half a repeated value", "INT16", "01000000 00000000 02 07", "E_TRUNCATED", "repeated value", 9],
    ["half a literal", "INT16", "01000000 00000000 03 07", "E_TRUNCATED", "literal run", 9],
    [
      "two literal runs, the second past the end",
      "INT8",
      "09000000 00000000 05 01 02 03 04 05 06 07 08",
      "E_TRUNCATED",
      "literal run",
      9,
    ],
    ["a BOOL of 2", "BOOL", "01000000 00000000 02 02", "E_CORRUPT", "repeated value", 9],
    ["BOOL values missing", "BOOL", "09000000 00000000 03 ff", "E_TRUNCATED", "RLE stream", 10],
    [
      "2^32 - 1 values of a byte that are not there",
      "INT8",
      "00000010 00000000 feffffff00 01",
      "E_TRUNCATED",
      "RLE stream",
      14,
    ],
  ])("%s", (...wrong) => refused("RLE", wrong));

  it.each(["00", "10 07", "ff"])("no bytes after the last value, as in Kudu: %s", (tail) => {
    const block = openBlock("INT8", "RLE", bytesFrom(`02000000 00000000 04 07 ${tail}`));
    block.check();
    expect(cellsOf(block.decode(0, 2))).toEqual([7, 7]);
  });

  it("no padded last group", () => {
    const block = openBlock("INT8", "RLE", bytesFrom("03000000 00000000 03 01 02 03 00 00 00 00 00"));
    block.check();
    expect(cellsOf(block.decode(0, 3))).toEqual([1, 2, 3]);
  });

  it.each<[DataType, number]>([
    ["INT64", 8 * 2 ** 29],
    ["BOOL", 2 ** 29 / 8],
  ])("%s values that would exceed the limit", (type, size) => {
    const hex = `00000020 00000000 feffffff07 01 ${type === "BOOL" ? "" : "00".repeat(7)}`;
    const open = (maxDecodedBytes: number) => openBlock(type, "RLE", bytesFrom(hex), { maxDecodedBytes });
    const error = expect.objectContaining({ code: "E_LIMIT" });
    expect(() => open(size - 1).decode(0, 2 ** 29)).toThrow(error);
    expect(open(1000).decode(2 ** 29 - 9, 2 ** 29).length).toBe(9);
    open(1000).check();
  });
});

describe("dictionary blocks (5.6) reject", () => {
  const CODES = "00000000 03000000 21000000 08000000 01000000 | 00000009 80 02 00 00 00 00 00 00 00";
  it.each<Case>([
    ["no mode", "STRING", "01 00 00", "E_TRUNCATED", "mode", 0],
    ["mode 0", "STRING", `00000000 ${CODES}`, "E_CORRUPT", "mode", 0],
    ["mode 3", "STRING", `03000000 ${CODES}`, "E_CORRUPT", "mode", 0],
    ["mode 2^24 + 1", "STRING", `01000001 ${CODES}`, "E_CORRUPT", "mode", 0],
    ["codes without header", "STRING", "01000000 00000000", "E_TRUNCATED", "count", 8],
    ["codes of another size", "STRING", `01000000 ${CODES} 00`, "E_CORRUPT", "block size", 12],
    [
      "a code outside the dictionary",
      "STRING",
      `01000000 ${CODES.replace("80 02 00", "80 02 01")}`,
      "E_CORRUPT",
      "codeword",
      4,
    ],
    ["strings without header", "STRING", "02000000 00000000 00000000", "E_TRUNCATED", "offsets position", 12],
    [
      "strings with bad offsets",
      "STRING",
      "02000000 00000000 01000000 0d000000 61 00 0e 00 00 00",
      "E_CORRUPT",
      "offsets",
      17,
    ],
  ])("%s", (...wrong) => refused("DICT_ENCODING", wrong));

  it("codes without a dictionary", () => {
    expect(() => openBlock("STRING", "DICT_ENCODING", bytesFrom(`01000000 ${CODES}`))).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_CORRUPT", field: "dictionary" }),
    );
  });

  it("codes of an empty dictionary", () => {
    const dictionary = openDictionaryWords(fromHex("00000000 00000000 0c000000"));
    const block = openBlock("STRING", "DICT_ENCODING", bytesFrom(`01000000 ${CODES}`), { dictionary });
    const error = expect.objectContaining({ code: "E_CORRUPT", field: "codeword" });
    expect(() => block.decode(1, 2)).toThrow(error);
    expect(() => block.seek(fromHex("61"))).toThrow(error);
    expect(() => block.check()).toThrow(error);
    expect(block.decode(1, 1).length).toBe(0);
  });

  it("codes that would exceed the limit", () => {
    expect(() =>
      openBlock("STRING", "DICT_ENCODING", bytesFrom(`01000000 ${CODES}`), {
        ...DICTIONARY,
        maxDecodedBytes: 31,
      }),
    ).toThrow(expect.objectContaining({ code: "E_LIMIT", field: "padded count", offset: 16 }));
  });

  it("a malformed dictionary", () => {
    for (const hex of ["", "00000000 01000000 0c000000", "00000000 01000000 0d000000 61 00 0e 00 00 00"]) {
      expect(() => openDictionaryWords(fromHex(hex))).toThrow(
        expect.objectContaining({ name: "CFileError" }),
      );
    }
  });
});

describe("bitshuffle blocks (5.8) reject", () => {
  const CHUNK = "0000000e 4f 15 06 18 00 01 00 04 50 00 00 00 00 00";
  const HEADER = "00000000 05000000 26000000 08000000 04000000";
  it.each<Case>([
    ["nothing", "INT32", "", "E_TRUNCATED", "ordinal", 0],
    ["19 bytes", "INT32", "00000000 00000000 13000000 00000000 040000", "E_TRUNCATED", "element size", 16],
    [
      "a size below the bytes",
      "INT32",
      `${HEADER.replace("26", "25")} ${CHUNK}`,
      "E_CORRUPT",
      "block size",
      8,
    ],
    [
      "a size above the bytes",
      "INT32",
      `${HEADER.replace("26", "27")} ${CHUNK}`,
      "E_CORRUPT",
      "block size",
      8,
    ],
    [
      "a padded count that is not the count rounded up",
      "INT32",
      `${HEADER.replace("0800", "1000")} ${CHUNK}`,
      "E_CORRUPT",
      "padded count",
      12,
    ],
    [
      "a padded count that is the count",
      "INT32",
      `${HEADER.replace("0800", "0500")} ${CHUNK}`,
      "E_CORRUPT",
      "padded count",
      12,
    ],
    [
      "a padded count that wraps to 0",
      "INT32",
      "00000000 ffffffff 14000000 00000000 04000000",
      "E_CORRUPT",
      "padded count",
      12,
    ],
    [
      "an element size of 0",
      "INT32",
      `${HEADER.replace("0400", "0000")} ${CHUNK}`,
      "E_CORRUPT",
      "element size",
      16,
    ],
    [
      "an element size of 3",
      "UINT32",
      `${HEADER.replace("0400", "0300")} ${CHUNK}`,
      "E_CORRUPT",
      "element size",
      16,
    ],
    [
      "an element size of 8",
      "UINT32",
      `${HEADER.replace("0400", "0800")} ${CHUNK}`,
      "E_CORRUPT",
      "element size",
      16,
    ],
    ["the element size of another type", "INT64", `${HEADER} ${CHUNK}`, "E_CORRUPT", "element size", 16],
    [
      "narrowed INT32",
      "INT32",
      "00000000 04000000 21000000 08000000 01000000 | 00000009 80 02 08 00 00 00 00 00 00",
      "E_CORRUPT",
      "element size",
      16,
    ],
    [
      "elements without chunks",
      "INT32",
      "00000000 05000000 14000000 08000000 04000000",
      "E_CORRUPT",
      "padded count",
      20,
    ],
    [
      "more elements than the bytes can make",
      "INT8",
      "00000000 f8ffffff 26000000 f8ffffff 01000000 | 0000000e 00000000 00000000 00000000 0000",
      "E_CORRUPT",
      "padded count",
      20,
    ],
    [
      "a chunk longer than what remains",
      "INT32",
      `${HEADER} ${CHUNK.replace("0e", "0f")}`,
      "E_TRUNCATED",
      "chunk",
      24,
    ],
    [
      "a chunk of 2^32 - 1 bytes",
      "INT32",
      `${HEADER} ${CHUNK.replace("0000000e", "ffffffff")}`,
      "E_TRUNCATED",
      "chunk",
      24,
    ],
    [
      "bytes behind the last chunk",
      "INT32",
      `${HEADER} ${CHUNK.replace("0e", "0d")}`,
      "E_CORRUPT",
      "chunk stream",
      37,
    ],
    [
      "bytes in a block of no values",
      "INT32",
      "00000000 00000000 15000000 00000000 04000000 00",
      "E_CORRUPT",
      "chunk stream",
      20,
    ],
  ])("%s", (...wrong) => refused("BIT_SHUFFLE", wrong));

  it.each([
    ["that gives fewer bytes", CHUNK.replace("04 50", "03 50")],
    ["that gives more bytes", CHUNK.replace("04 50", "05 50")],
    ["with bytes behind its end", "0000000f 4f 15 06 18 00 01 00 04 50 00 00 00 00 00 00"],
    ["with a distance of 0", CHUNK.replace("01 00 04", "00 00 04")],
    ["with a distance before its start", CHUNK.replace("01 00 04", "05 00 04")],
    ["that ends inside a sequence", "0000000b 4f 15 06 18 00 01 00 04 50 00 00"],
  ])("an LZ4 block %s", (_, chunk) => {
    const length = 20 + bytesFrom(chunk).length;
    const header = HEADER.replace("26", length.toString(16));
    const block = openBlock("INT32", "BIT_SHUFFLE", bytesFrom(`${header} ${chunk}`));
    for (const action of [() => block.decode(0, 5), () => block.check(), () => block.seek(1)]) {
      expect(action).toThrow(
        expect.objectContaining({
          name: "CFileError",
          code: expect.stringMatching(/^E_(CORRUPT|TRUNCATED)$/),
        }),
      );
    }
  });

  it("values that would exceed the limit", () => {
    const open = (maxDecodedBytes: number) =>
      openBlock("INT32", "BIT_SHUFFLE", bytesFrom(`${HEADER} ${CHUNK}`), { maxDecodedBytes });
    expect(open(32).decode(0, 5).length).toBe(5);
    expect(() => open(31)).toThrow(expect.objectContaining({ code: "E_LIMIT", field: "padded count" }));
  });

  it("no padding values", () => {
    // Eight ones; only five count.
    const builder = createBlockBuilder("INT32", "BIT_SHUFFLE", { blockSize: 512 });
    builder.add(vectorOfCells("INT32", new Array<number>(8).fill(1)), 0, 8);
    const bytes = builder.finish(0);
    bytes[4] = 5;
    const block = openBlock("INT32", "BIT_SHUFFLE", bytes);
    block.check();
    expect(cellsOf(block.decode(0, 5))).toEqual([1, 1, 1, 1, 1]);
    expect(block.seek(2)).toEqual({ position: 5, exact: false });
  });

  it("only damage in the chunks that are decoded", () => {
    const builder = createBlockBuilder("INT64", "BIT_SHUFFLE", { blockSize: 1 << 20 });
    builder.add(
      vectorOfCells(
        "INT64",
        Array.from({ length: 3000 }, (_, i) => BigInt(i)),
      ),
      0,
      3000,
    );
    const bytes = builder.finish(0);
    bytes.fill(0xff, bytes.length - 40);
    const block = openBlock("INT64", "BIT_SHUFFLE", bytes);
    expect(cellsOf(block.decode(0, 1024))).toHaveLength(1024);
    expect(cellsOf(block.decode(1024, 2048))).toHaveLength(1024);
    expect(() => block.decode(2048, 2049)).toThrow(CFileError);
    expect(() => block.check()).toThrow(CFileError);
  });
});
