import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvParser, type CsvRecord } from "../src/csv-parser.js";

function parsed(text: string, pieceLength = text.length || 1, nullText = ""): CsvRecord[] {
  const parser = new CsvParser({ delimiter: ",", nullText });
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    records.push(...parser.push(text.slice(at, at + pieceLength)));
  }
  return [...records, ...parser.finish()];
}

describe("CSV", () => {
  test.each<[string, string, CsvRecord[]]>([
    ["nothing", "", []],
    ["one field", "a", [["a"]]],
    [
      "a line without its end",
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CRLF",
      'a,b\r\n"c","d"\r\n',
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "null and empty text",
      ',""\n"",',
      [
        [null, ""],
        ["", null],
      ],
    ],
    ["a delimiter at the end", "a,", [["a", null]]],
    ["blank lines", "\n\r\na", [[null], [null], ["a"]]],
    ["quotes, delimiters and line breaks in quotes", '"a""b","c,d","e\r\nf"', [['a"b', "c,d", "e\r\nf"]]],
  ])("%s, in pieces of any size", (_name, text, records) => {
    for (let length = 1; length <= text.length + 1; length++) {
      expect(parsed(text, length)).toEqual(records);
    }
  });

  test("another text can be the null, unless it is quoted", () => {
    expect(parsed('NA,"NA",', 99, "NA")).toEqual([[null, "NA", ""]]);
  });

  test("fields come back as they were quoted, however the text is cut", () => {
    const record = fc.array(fc.oneof(fc.string(), fc.constantFrom('"', ",", "\n", "\r\n", "")), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.array(record), fc.integer({ min: 1, max: 20 }), (records, length) => {
        const text = records.map((fields) =>
          fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(),
        );
        expect(parsed(text.map((line) => `${line}\n`).join(""), length)).toEqual(records);
      }),
      { seed: 1 },
    );
  });
});
