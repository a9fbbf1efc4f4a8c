import { ByteBuilder, isCFileError } from "@cfile/bytes";
import avsc from "avsc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AvroValue, avroDecoder, decodeAvro, parseAvroSchema, readAvroContainer } from "../src/index.js";
import { appendAvro, writeAvroContainer } from "../src/write.js";

const SCHEMA = {
  type: "record",
  name: "space.row",
  fields: [
    { name: "b", type: "boolean", "field-id": 1 },
    { name: "i", type: "int" },
    { name: "l", type: "long" },
    { name: "f", type: "float" },
    { name: "d", type: "double" },
    { name: "s", type: ["null", "string"] },
    { name: "bytes", type: "bytes" },
    { name: "fixed", type: { type: "fixed", name: "four", size: 4 } },
    { name: "color", type: { type: "enum", name: "color", symbols: ["RED", "GREEN"] } },
    { name: "list", type: { type: "array", items: "string" } },
    { name: "map", type: { type: "map", values: "int" } },
    {
      name: "pairs",
      type: {
        type: "array",
        items: {
          type: "record",
          name: "k1_v2",
          fields: [
            { name: "key", type: "int", "field-id": 1 },
            { name: "value", type: "bytes", "field-id": 2 },
          ],
        },
        logicalType: "map",
      },
    },
  ],
};
const TEXT = JSON.stringify(SCHEMA);

const row = fc.record({
  b: fc.boolean(),
  i: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f: fc.float({ noNaN: true }),
  d: fc.double({ noNaN: true }),
  s: fc.option(fc.string({ unit: "grapheme" })),
  bytes: fc.uint8Array(),
  fixed: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  color: fc.constantFrom("RED", "GREEN"),
  list: fc.array(fc.string()),
  map: fc.dictionary(fc.string(), fc.integer({ min: -5, max: 5 })).map((one) => new Map(Object.entries(one))),
  pairs: fc.array(fc.record({ key: fc.integer({ min: 0, max: 9 }), value: fc.uint8Array() })),
});

const exact = (value: unknown): unknown =>
  typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;

async function valuesOfAvsc(bytes: Uint8Array): Promise<unknown[]> {
  const decoder = new avsc.streams.BlockDecoder();
  const values: unknown[] = [];
  decoder.on("data", (value: unknown) => values.push(value));
  decoder.end(Buffer.from(bytes));
  await new Promise((resolve, reject) => decoder.on("end", resolve).on("error", reject));
  return values;
}

describe("written Avro", () => {
  test("our decoder returns every value that was written", () => {
    const decode = avroDecoder(parseAvroSchema(TEXT));
    fc.assert(
      fc.property(row, (value) => {
        const out = new ByteBuilder();
        appendAvro(out, parseAvroSchema(TEXT), value as AvroValue);
        expect(decodeAvro(decode, out.finish())).toEqual({ ...value, l: exact(value.l) });
      }),
    );
  });

  test.each(["null", "deflate"] as const)("avsc reads a container with codec %s", async (codec) => {
    const values = fc.sample(row, 20).map((value) => ({ ...value, l: value.l % 2n ** 52n }));
    const bytes = await writeAvroContainer(TEXT, values as AvroValue[], { codec });
    const found = await valuesOfAvsc(bytes);
    expect(found).toHaveLength(20);
    found.forEach((value, i) => {
      const expected = values[i];
      const { b, l, s, bytes: plain, pairs } = value as Record<string, unknown>;
      expect({ b, l, s, plain: [...(plain as Uint8Array)], pairs: (pairs as unknown[]).length }).toEqual({
        b: expected?.b,
        l: Number(expected?.l),
        s: expected?.s,
        plain: [...(expected?.bytes ?? [])],
        pairs: expected?.pairs.length,
      });
    });
    expect((await readAvroContainer(bytes)).length).toBe(20);
  });

  test("keeps the schema as it is given, and more metadata", async () => {
    const spaced = JSON.stringify(SCHEMA, undefined, 1);
    const bytes = await writeAvroContainer(spaced, [], { metadata: { "format-version": "2" } });
    const text = new TextDecoder("latin1").decode(bytes);
    expect(text).toContain(spaced);
    expect(text).toContain("format-version");
    expect(await readAvroContainer(bytes)).toEqual([]);
  });

  test("equal values give equal bytes", async () => {
    const values = fc.sample(row, { numRuns: 5, seed: 1 }) as AvroValue[];
    expect(await writeAvroContainer(TEXT, values)).toEqual(await writeAvroContainer(TEXT, values));
  });

  test.each<[string, unknown, AvroValue]>([
    ["an int of 33 bits", "int", 2 ** 32],
    ["a fraction", "long", 1.5],
    ["a long of 65 bits", "long", 2n ** 63n],
    ["text for a number", "double", "1"],
    ["bytes of another length", { type: "fixed", name: "f", size: 2 }, Uint8Array.of(1)],
    ["an unknown symbol", { type: "enum", name: "e", symbols: ["A"] }, "B"],
    ["an unknown field", { type: "record", name: "r", fields: [] }, { x: 1 }],
    ["a union of two types", ["int", "string"], 1],
    ["null where it is not allowed", "string", null],
  ])("refuses %s", (_, schema, value) => {
    let code = "none";
    try {
      appendAvro(new ByteBuilder(), parseAvroSchema(JSON.stringify(schema)), value);
    } catch (error) {
      code = isCFileError(error) ? error.code : String(error);
    }
    expect(code).toBe("E_INVALID_ARGUMENT");
  });
});
