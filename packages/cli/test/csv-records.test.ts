import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CsvFormat, type CsvRecord, csvRecords } from "../src/table/csv-records.js";

const COMMA: CsvFormat = { delimiter: ",", nullText: "" };

async function parsed(text: string, pieceLength = text.length || 1, format = COMMA): Promise<CsvRecord[]> {
  async function* pieces(): AsyncGenerator<string, void, void> {
    const characters = Array.from(text);
    for (let at = 0; at < characters.length; at += pieceLength) {
      yield characters.slice(at, at + pieceLength).join("");
    }
  }
  const records: CsvRecord[] = [];
  for await (const portion of csvRecords(pieces(), format, "t.csv")) {
    records.push(...portion);
  }
  return records;
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
  ])("%s, in pieces of any size", async (_name, text, records) => {
    for (let length = 1; length <= text.length + 1; length++) {
      expect(await parsed(text, length)).toEqual(records);
    }
  });

  test("the given null text means null, unless it is quoted", async () => {
    const format = { delimiter: ",", nullText: "NA" };
    expect(await parsed('NA,"NA",,""\nNA,NA,x\n"NA"\r\nNA', 99, format)).toEqual([
      [null, "NA", "", ""],
      [null, null, "x"],
      ["NA"],
      [null],
    ]);
  });

  test("text inside a field is not mistaken for quoted empty text", async () => {
    expect(await parsed('"a,"",b",,"""",""\n,"x\n"",\n"\n')).toEqual([
      ['a,",b', null, '"', ""],
      [null, 'x\n",\n'],
    ]);
  });

  test("yields all rows in order", async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `${i},${["", '""', "x"][i % 3]}`);
    expect(await parsed(`${lines.join("\n")}\n`, 65_536)).toEqual(
      lines.map((_, i) => [`${i}`, [null, "", "x"][i % 3]]),
    );
  });

  test("written records are read back with their nulls, in pieces of any size", async () => {
    const nullText = fc.constantFrom("", "NA", 'N"A', "ä");
    const format = fc.record({ delimiter: fc.constantFrom(",", "\t", "§", "→"), nullText });
    const field = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "binary" }),
      nullText,
      fc.constantFrom('"', ",", "\n", "\r\n", '""', ',"",', "ab"),
    );
    const records = fc.array(fc.array(field, { minLength: 1, maxLength: 5 }), { maxLength: 8 });
    const lineEnd = fc.constantFrom("\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(
        format,
        records,
        lineEnd,
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        async (form, rows, end, isEnded, length) => {
          const text = rows
            .map((row) => row.map((value) => fieldText(value, form)).join(form.delimiter) + end)
            .join("");
          const expected = form.nullText.includes('"') ? rows.map(withoutNulls(form.nullText)) : rows;
          const isCut = !isEnded && text !== end && !text.endsWith(end + end);
          expect(await parsed(isCut ? text.slice(0, -end.length) : text, length, form)).toEqual(expected);
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  test.each([
    ['a\n"1\n', /Quote Not Closed.*line 2/],
    ['a\n1\na"b"\n', /Invalid Opening Quote.*line 3/],
    ['a,b\n1,"a"b\n', /Invalid Closing Quote.*line 2/],
    ['a,b\n"a" ,1\n', /Invalid Closing Quote.*line 2/],
  ])("%j is E_INVALID_ARGUMENT", async (text, message) => {
    for (const length of [1, 2, 99]) {
      await expect(parsed(text, length)).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
        path: "t.csv",
        message: expect.stringMatching(message),
      });
    }
  });

  test("parses or rejects any text like csv-parse with its slow hook", async () => {
    const slow = (text: string): CsvRecord[] =>
      parse(text, {
        record_delimiter: ["\r\n", "\n"],
        relax_column_count: true,
        cast: (field, { quoting }) => (field === "" && !quoting ? null : field),
      });
    const some = fc.string({ unit: fc.constantFrom('"', '""', ",", "\n", "\r", "a", "é"), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(some, fc.integer({ min: 1, max: 31 }), async (text, length) => {
        let expected: CsvRecord[];
        try {
          expected = slow(text);
        } catch {
          await expect(parsed(text, length)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
          return;
        }
        expect(await parsed(text, length)).toEqual(expected);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("propagates a failure of the text, and stops reading when the consumer stops", async () => {
    const failure = new Error("no more");
    let left = 0;
    async function* text(): AsyncGenerator<string, void, void> {
      try {
        for (let i = 0; i < 20; i++) {
          yield "abc,def\n".repeat(10_000);
        }
        throw failure;
      } finally {
        left++;
      }
    }
    const all = async (): Promise<void> => {
      for await (const _ of csvRecords(text(), COMMA, "t.csv")) {
        // Continues until the error.
      }
    };
    await expect(all()).rejects.toBe(failure);
    for await (const records of csvRecords(text(), COMMA, "t.csv")) {
      expect(records[0]).toEqual(["abc", "def"]);
      break;
    }
    await expect.poll(() => left).toBe(2);
  });
});

function fieldText(value: string | null, { delimiter, nullText }: CsvFormat): string {
  if (value === null && !nullText.includes('"')) {
    return nullText;
  }
  const text = value ?? nullText;
  const isPlain =
    text !== nullText && text !== "" && ![delimiter, '"', "\n", "\r"].some((c) => text.includes(c));
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

/** A null text that contains a quote must be quoted, and is then not null. */
function withoutNulls(nullText: string): (row: (string | null)[]) => CsvRecord {
  return (row) => row.map((value) => value ?? nullText);
}
