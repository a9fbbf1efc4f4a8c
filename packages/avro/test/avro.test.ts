import avsc from "avsc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { avroDecoder, decodeAvro } from "../src/avro-decoder.js";
import { parseAvroSchema } from "../src/avro-schema.js";

const SCHEMA = {
  type: "record",
  name: "space.row",
  fields: [
    { name: "b", type: "boolean" },
    { name: "i", type: "int" },
    { name: "l", type: "long" },
    { name: "f", type: "float" },
    { name: "d", type: "double" },
    { name: "s", type: "string" },
    { name: "bytes", type: "bytes" },
    { name: "fixed", type: { type: "fixed", name: "four", size: 4 } },
    { name: "color", type: { type: "enum", name: "color", symbols: ["RED", "GREEN"] } },
    { name: "list", type: { type: "array", items: ["null", "string"] } },
    { name: "map", type: { type: "map", values: "int" } },
    { name: "next", type: ["null", "row"] },
    { name: "again", type: "four" },
  ],
};

const leaf = fc.record({
  b: fc.boolean(),
  i: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  // avsc encodes longs as doubles, which is exact only up to 2^52.
  l: fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }),
  f: fc.float(),
  d: fc.double(),
  s: fc.string({ unit: "grapheme" }),
  bytes: fc.uint8Array(),
  fixed: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  color: fc.constantFrom("RED", "GREEN"),
  list: fc.array(fc.option(fc.string())),
  map: fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    fc.integer({ min: -5, max: 5 }),
  ),
  again: fc.uint8Array({ minLength: 4, maxLength: 4 }),
});

/** Converts decoded values to those of avsc. */
function plain(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  }
  if (value instanceof Uint8Array) {
    return [...value];
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    : value;
}

describe("decoding", () => {
  const type = avsc.Type.forSchema(SCHEMA as avsc.Schema);
  const decode = avroDecoder(parseAvroSchema(JSON.stringify(SCHEMA)));

  test("returns what avsc encoded", () => {
    fc.assert(
      fc.property(leaf, fc.option(leaf), (row, next) => {
        const buffers = (one: typeof row) => ({
          ...one,
          bytes: Buffer.from(one.bytes),
          fixed: Buffer.from(one.fixed),
          again: Buffer.from(one.again),
        });
        const value = { ...row, next: next && { ...next, next: null } };
        const bytes = type.toBuffer({ ...buffers(row), next: next && { ...buffers(next), next: null } });
        expect(plain(decodeAvro(decode, Uint8Array.from(bytes)))).toEqual(plain(value));
      }),
    );
  });

  test.each([0n, -1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)])(
    "decodes the long %s",
    (value) => {
      const bytes: number[] = [];
      let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
      do {
        bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
        rest >>= 7n;
      } while (rest > 0n);
      const long = avroDecoder({ kind: "long" });
      expect(BigInt(decodeAvro(long, Uint8Array.from(bytes)) as number | bigint)).toBe(value);
    },
  );
});

test.each([
  [undefined, {}],
  [null, {}],
  [0, { default: 0 }],
  ["", { default: "" }],
])("a field with the default %j has %j", (value, expected) => {
  const field = { name: "f", type: "int", default: value };
  const type = parseAvroSchema(JSON.stringify({ type: "record", name: "r", fields: [field] }));
  expect(type).toEqual({
    ...{ kind: "record", name: "r" },
    fields: [{ name: "f", type: { kind: "int" }, ...expected }],
  });
});
