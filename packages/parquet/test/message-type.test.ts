/** Schemas as text: the output of Parquet's tools can be parsed, and our output parses to the same schema. */

import { memorySource } from "@cfile/io";
import { listGolden, readGolden } from "@cfile-tools/testkit";
import type { LogicalType, SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { describeParquet, messageTypeLines } from "../src/inspect.js";
import { parseMessageType } from "../src/recover.js";

const message = (fields: string): SchemaElement[] => parseMessageType(`message table { ${fields} }`);

/** Replaces synonyms of type names. */
const sameName = (line: string): string =>
  line
    .replace(
      /INTEGER\((\d+),(true|false)\)/,
      (_, bits, signed) => `${signed === "true" ? "" : "U"}INT_${bits}`,
    )
    .replace("(UTF8)", "(STRING)");

describe("a schema of a file", () => {
  // The footers of these files are damaged.
  const damaged = ["ARROW-RS-GH-6229-DICTHEADER", "PARQUET-1481"];
  const names = listGolden("parquet", ".parquet").filter((name) => !damaged.includes(name));

  it.each(names)("is printed, and read as the same schema: %s", async (name) => {
    const { schema } = await describeParquet(memorySource(readGolden(`parquet/${name}.parquet`)));
    const lines = messageTypeLines(schema);
    const read = parseMessageType(lines.join("\n"));
    expect(messageTypeLines(read)).toEqual(lines.map(sameName));
    const shape = (
      { name: own, type, num_children, repetition_type, type_length }: SchemaElement,
      i: number,
    ) => [
      own,
      type,
      (num_children ?? 0) > 0 ? num_children : 0,
      i === 0 ? undefined : (repetition_type ?? "REQUIRED"),
      type === "FIXED_LEN_BYTE_ARRAY" ? type_length : undefined,
    ];
    expect(read.map(shape)).toEqual(schema.map(shape));
  });
});

describe("a field", () => {
  const id = { name: "a", repetition_type: "REQUIRED" } as const;
  const leaf = { ...id, type: "INT32" } as const;
  const logical = (logical_type: LogicalType): Partial<SchemaElement> => ({ ...leaf, logical_type });
  it.each<readonly [string, Partial<SchemaElement>]>([
    ["required boolean a;", { ...id, type: "BOOLEAN" }],
    ["optional int32 a;", { ...leaf, repetition_type: "OPTIONAL" }],
    ["repeated int64 a;", { ...id, repetition_type: "REPEATED", type: "INT64" }],
    ["REQUIRED INT96 a;", { ...id, type: "INT96" }],
    ["required float a;", { ...id, type: "FLOAT" }],
    ["required double a;", { ...id, type: "DOUBLE" }],
    ["required binary a;", { ...id, type: "BYTE_ARRAY" }],
    ["required fixed_len_byte_array(16) a;", { ...id, type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 }],
    ["required int32 a = 7;", { ...leaf, field_id: 7 }],
    [
      "required int32 a (DATE) = 2147483647;",
      { ...logical({ type: "DATE" }), converted_type: "DATE", field_id: 2147483647 },
    ],
    ["required int32 a (STRING);", { ...logical({ type: "STRING" }), converted_type: "UTF8" }],
    ["required int32 a (utf8);", { ...logical({ type: "STRING" }), converted_type: "UTF8" }],
    ["required int32 a (ENUM);", { ...logical({ type: "ENUM" }), converted_type: "ENUM" }],
    ["required int32 a (UUID);", logical({ type: "UUID" })],
    ["required int32 a (FLOAT16);", logical({ type: "FLOAT16" })],
    ["required int32 a (NULL);", logical({ type: "NULL" })],
    ["required int32 a (GEOMETRY);", logical({ type: "GEOMETRY" })],
    ["required int32 a (INTERVAL);", { ...logical({ type: "INTERVAL" }), converted_type: "INTERVAL" }],
    ["required int32 a (TIME_MILLIS);", { ...leaf, converted_type: "TIME_MILLIS" }],
    ["required int32 a (UINT_8);", { ...leaf, converted_type: "UINT_8" }],
    ["required int32 a (INTEGER(16,true));", { ...leaf, converted_type: "INT_16" }],
    ["required int32 a (INT(64, false));", { ...leaf, converted_type: "UINT_64" }],
    [
      "required int32 a (TIME(MILLIS,true));",
      logical({ type: "TIME", isAdjustedToUTC: true, unit: "MILLIS" }),
    ],
    [
      "required int32 a (TIMESTAMP(NANOS,false));",
      logical({ type: "TIMESTAMP", isAdjustedToUTC: false, unit: "NANOS" }),
    ],
    [
      "required int32 a (DECIMAL(9,2));",
      {
        ...logical({ type: "DECIMAL", precision: 9, scale: 2 }),
        ...{ converted_type: "DECIMAL", precision: 9, scale: 2 },
      },
    ],
    [
      "required int32 a (DECIMAL(4));",
      {
        ...logical({ type: "DECIMAL", precision: 4, scale: 0 }),
        ...{ converted_type: "DECIMAL", precision: 4, scale: 0 },
      },
    ],
  ])("is read: %s", (text, expected) => {
    expect(message(text)).toEqual([{ name: "table", num_children: 1 }, expected]);
  });

  it("may be a group, with an annotation and an ID", () => {
    expect(message("optional group m (MAP) = 3 { required int32 k = 4; }")).toEqual([
      { name: "table", num_children: 1 },
      {
        ...{ name: "m", repetition_type: "OPTIONAL", num_children: 1, field_id: 3 },
        ...{ converted_type: "MAP", logical_type: { type: "MAP" } },
      },
      { name: "k", type: "INT32", repetition_type: "REQUIRED", field_id: 4 },
    ]);
  });
});

describe("a text that is not a schema", () => {
  it.each([
    ["", 'it ends (expected "message")'],
    ["table { required int32 a; }", '"table" (expected "message")'],
    ["message", "it ends (expected a name)"],
    ["message table required", '"required" (expected "{")'],
    ["message table { }", "the schema has no columns"],
    ["message table { required int32 a;", "it ends (expected required, optional or repeated)"],
    ["message table { required int32 a; } }", '"}" (expected the end)'],
    ["message table { int32 a; }", '"int32" (expected required, optional or repeated)'],
    ["message table { required text a; }", '"text" (expected a type (boolean, int32,'],
    ["message table { required constructor a; }", '"constructor" (expected a type'],
    ["message table { required int32 a }", '"}" (expected ";")'],
    ["message table { required int32 a (DATE; }", '";" (expected ")")'],
    ["message table { required int32 a (DECIMAL(9", "it ends (expected ))"],
    ["message table { required int32 a = x; }", "invalid field ID: x"],
    ["message table { required int32 a = 2147483648; }", "invalid field ID: 2147483648"],
    ["message table { required int32 a (DECIMAL); }", "invalid precision: none"],
    ["message table { required int32 a (DECIMAL(x,2)); }", "invalid precision: x"],
    ["message table { required int32 a (DECIMAL(0)); }", "invalid precision: 0"],
    ["message table { required int32 a (DECIMAL(9,-1)); }", "invalid scale: -1"],
    [
      "message table { required int32 a (TIMESTAMP); }",
      "TIMESTAMP has no unit (expected MILLIS, MICROS, NANOS)",
    ],
    ["message table { required int32 a (TIME(DAYS,true)); }", "TIME has no unit"],
    ["message table { required int32 a (INTEGER(7,true)); }", "unknown annotation: INTEGER"],
    ["message table { required int32 a (toString); }", "unknown annotation: TOSTRING"],
    ["message table { required fixed_len_byte_array a; }", '"a" (expected "(")'],
    ["message table { required fixed_len_byte_array() a; }", "invalid length: none"],
    ["message table { required fixed_len_byte_array(0) a; }", "invalid length: 0"],
    ["message table { required fixed_len_byte_array(1e3) a; }", "invalid length: 1e3"],
    [`message table { ${"required group g { ".repeat(70)}`, "schema is nested deeper than 64 levels"],
  ])("is refused with what is wrong: %s", (text, reason) => {
    expect(() => parseMessageType(text)).toThrow(
      expect.objectContaining({
        code: "E_INVALID_ARGUMENT",
        field: "schema",
        message: expect.stringContaining(reason),
      }),
    );
  });
});

describe("a schema that lacks parts", () => {
  it("is printed as far as it goes", () => {
    expect(messageTypeLines([])).toEqual(["message schema {", "}"]);
    expect(
      messageTypeLines([
        { name: "t", num_children: 7 },
        { name: "a", type: "INT32" },
        { name: "b", type: "FIXED_LEN_BYTE_ARRAY", converted_type: "DECIMAL" },
        { name: "c", type: "INT64", logical_type: { type: "INTEGER", bitWidth: 64, isSigned: false } },
        {
          name: "d",
          type: "INT64",
          logical_type: { type: "TIMESTAMP", unit: "NANOS", isAdjustedToUTC: true },
        },
        { name: "e", type: "INT32", logical_type: { type: "TIME", unit: "MILLIS", isAdjustedToUTC: false } },
      ]),
    ).toEqual([
      "message t {",
      "  required int32 a;",
      "  required fixed_len_byte_array(0) b (DECIMAL(0,0));",
      "  required int64 c (INTEGER(64,false));",
      "  required int64 d (TIMESTAMP(NANOS,true));",
      "  required int32 e (TIME(MILLIS,false));",
      "}",
    ]);
  });
});
