/** Malformed schemas, values and containers are rejected with an error code; unusual but valid input is read. */

import { deflateRawSync } from "node:zlib";
import { ByteBuilder, isCFileError } from "@cfile/bytes";
import { describe, expect, test } from "vitest";
import { appendLong, appendSized } from "../src/avro-encoder.js";
import {
  type AvroType,
  type AvroValue,
  avroDecoder,
  decodeAvro,
  nonNull,
  parseAvroSchema,
  readAvroContainer,
} from "../src/index.js";
import { writeAvroContainer } from "../src/write.js";

/** The code of the error, and its field. */
async function refusalOf(action: () => unknown): Promise<string> {
  try {
    await action();
    return "no error";
  } catch (error) {
    return isCFileError(error) ? `${error.code} ${error.field}` : String(error);
  }
}

const schemaOf = (json: unknown): AvroType => parseAvroSchema(JSON.stringify(json));
const decoded = (json: unknown, bytes: readonly number[]): AvroValue =>
  decodeAvro(avroDecoder(schemaOf(json)), Uint8Array.from(bytes));
const record = (fields: readonly unknown[], name = "r"): unknown => ({ type: "record", name, fields });

describe("a schema", () => {
  test.each<[string, unknown, string]>([
    ["that is a number", 1, "E_CORRUPT schema"],
    ["that is null", null, "E_CORRUPT schema"],
    ["with an unknown type", "decimal", "E_CORRUPT schema"],
    ["with an unknown type in an object", { type: "decimal" }, "E_CORRUPT schema"],
    ["with an empty union", [], "E_CORRUPT schema"],
    ["with a union in a union", ["int", ["null", "string"]], "E_CORRUPT schema"],
    ["with an enum without symbols", { type: "enum", name: "e" }, "E_CORRUPT schema"],
    ["with an enum of numbers", { type: "enum", name: "e", symbols: [1] }, "E_CORRUPT schema"],
    ["with a fixed type without a size", { type: "fixed", name: "f" }, "E_CORRUPT schema"],
    ["with a fixed type of 1.5 bytes", { type: "fixed", name: "f", size: 1.5 }, "E_CORRUPT schema"],
    ["with a fixed type of -1 bytes", { type: "fixed", name: "f", size: -1 }, "E_CORRUPT schema"],
    ["with a fixed type of 5 MiB", { type: "fixed", name: "f", size: 5 << 20 }, "E_CORRUPT schema"],
    ["with a record without fields", { type: "record", name: "r" }, "E_CORRUPT schema"],
    ["with a record without a name", { type: "record", fields: [] }, "E_CORRUPT schema"],
    ["with a record with an invalid name", record([], "1r"), "E_CORRUPT schema"],
    ["with a record that is defined twice", ["int", record([]), record([])], "E_CORRUPT schema"],
    ["with a field that is a text", record(["x"]), "E_CORRUPT schema"],
    ["with a field without a name", record([{ type: "int" }]), "E_CORRUPT schema"],
    ["with a field with an invalid name", record([{ name: "a b", type: "int" }]), "E_CORRUPT schema"],
    [
      "with two fields of one name",
      record([
        { name: "a", type: "int" },
        { name: "a", type: "int" },
      ]),
      "E_CORRUPT schema",
    ],
    ["with 20,001 types", new Array(20_001).fill("int"), "E_LIMIT schema"],
  ])("%s is refused", async (_, json, expected) => {
    expect(await refusalOf(() => schemaOf(json))).toBe(expected);
  });

  test("of 65 levels or 4 MiB, or that is not JSON, is refused", async () => {
    let nested: unknown = "int";
    for (let i = 0; i < 65; i++) {
      nested = { type: "array", items: nested };
    }
    expect(await refusalOf(() => schemaOf(nested))).toBe("E_LIMIT schema");
    expect(await refusalOf(() => parseAvroSchema(`"${"x".repeat(4 << 20)}"`))).toBe("E_LIMIT schema");
    expect(await refusalOf(() => parseAvroSchema("{"))).toBe("E_CORRUPT schema");
  });

  test("resolves names in the namespace of the record", () => {
    const inner = { type: "fixed", name: "four", size: 4 };
    const fields = [
      { name: "a", type: inner },
      { name: "b", type: "four" },
      { name: "c", type: "space.four" },
      { name: "d", type: { type: "fixed", name: "other.four", size: 2 } },
    ];
    expect(schemaOf({ ...(record(fields) as object), namespace: "space" })).toMatchObject({
      name: "space.r",
      fields: [
        { type: { name: "space.four", size: 4 } },
        { type: { name: "space.four", size: 4 } },
        { type: { name: "space.four", size: 4 } },
        { type: { name: "other.four", size: 2 } },
      ],
    });
  });

  test.each<[unknown, unknown]>([
    [
      { type: "int", logicalType: "date" },
      { kind: "int", logical: "date" },
    ],
    [
      { type: "bytes", logicalType: "decimal", precision: 9, scale: 2 },
      { kind: "bytes", logical: "decimal", precision: 9, scale: 2 },
    ],
    [
      { type: "bytes", logicalType: "decimal", precision: 1.5, scale: "2" },
      { kind: "bytes", logical: "decimal", precision: 0, scale: 0 },
    ],
    [{ type: "int", logicalType: 7 }, { kind: "int" }],
    [{ type: { type: "array", items: "int" } }, { kind: "array", items: { kind: "int" } }],
    [
      { type: "error", name: "e", fields: [] },
      { kind: "record", name: "e", fields: [] },
    ],
  ])("%j is %j", (json, expected) => {
    expect(schemaOf(json)).toEqual(expected);
  });

  test("without null is the other type of a union of two", () => {
    expect(nonNull(schemaOf("int"))).toEqual({ kind: "int" });
    expect(nonNull(schemaOf(["null", "int"]))).toEqual({ kind: "int" });
    expect(nonNull(schemaOf(["null", "int", "string"]))).toMatchObject({ kind: "union" });
    expect(nonNull(schemaOf(["null"]))).toMatchObject({ kind: "union" });
  });
});

describe("a value", () => {
  const LARGE = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
  test.each<[string, unknown, readonly number[], string]>([
    ["an int of 33 bits", "int", [0x80, 0x80, 0x80, 0x80, 0x20], "E_CORRUPT int"],
    ["an int that is a long", "int", LARGE, "E_CORRUPT int"],
    ["a long of 65 bits", "long", [...LARGE.slice(0, 9), 2], "E_CORRUPT long"],
    ["a long of 11 bytes", "long", [...LARGE.slice(0, 9), 0x80, 0], "E_CORRUPT long"],
    ["a long that ends early", "long", [0x80], "E_TRUNCATED value"],
    ["a boolean of 2", "boolean", [2], "E_CORRUPT boolean"],
    ["a negative length", "bytes", [1], "E_CORRUPT bytes"],
    ["a length of 64 bits", "bytes", LARGE, "E_CORRUPT bytes"],
    ["a text that is not UTF-8", "string", [2, 0xff], "E_CORRUPT string"],
    ["a long text that is not UTF-8", "string", [60, ...new Array(29).fill(65), 0xff], "E_CORRUPT string"],
    ["a symbol that the enum lacks", { type: "enum", name: "e", symbols: ["A"] }, [2], "E_CORRUPT e"],
    ["a branch that the union lacks", ["null", "int"], [4], "E_CORRUPT union index"],
    ["bytes that follow", "int", [2, 0], "E_CORRUPT value"],
    ["more items than bytes", { type: "array", items: "int" }, [8, 2], "E_CORRUPT block count"],
    ["2^63 items", { type: "array", items: "int" }, [...LARGE, 2], "E_CORRUPT block count"],
    ["65,537 nulls", { type: "array", items: "null" }, [0x82, 0x80, 8, 0], "E_LIMIT block count"],
    [
      "65,537 records without bytes",
      { type: "array", items: record([{ name: "n", type: "null" }]) },
      [0x82, 0x80, 8, 0],
      "E_LIMIT block count",
    ],
  ])("with %s is refused", async (_, json, bytes, expected) => {
    expect(await refusalOf(() => decoded(json, bytes))).toBe(expected);
  });

  test("of 65 levels is refused, and one of too many records for its bytes", async () => {
    const list = record([{ name: "next", type: ["null", "r"] }]);
    expect(await refusalOf(() => decoded(list, [...new Array(70).fill(2), 0]))).toBe("E_LIMIT value");
    const empty = { type: "fixed", name: "none", size: 0 };
    const many = { type: "array", items: { type: "array", items: record([{ name: "n", type: empty }]) } };
    // Two blocks of 65,536 and 60,000 records without bytes.
    const block = (count: number): number[] => {
      const out = new ByteBuilder();
      appendLong(out, BigInt(count));
      return [...out.finish(), 0];
    };
    const bytes = [4, ...block(65_536), ...block(60_000), 0];
    expect(await refusalOf(() => decoded(many, bytes))).toBe("E_LIMIT value");
  });

  test("of a record that has only itself has no end", async () => {
    const self = record([{ name: "self", type: "r" }]);
    expect(await refusalOf(() => decoded({ type: "array", items: self }, [2, 0]))).toBe("E_LIMIT value");
  });

  test("may give the size of a block", () => {
    expect(decoded({ type: "array", items: "int" }, [3, 4, 2, 4, 2, 6, 0])).toEqual([1, 2, 3]);
    expect(decoded({ type: "map", values: "int" }, [1, 6, 2, 97, 4, 0])).toEqual(new Map([["a", 2]]));
  });

  test("of a union of several records or fixed types has the name of its type", () => {
    const union = [
      record([{ name: "x", type: "int" }], "space.one"),
      { type: "fixed", name: "two", size: 1 },
      "int",
    ];
    expect(decoded(union, [0, 2])).toEqual({ one: { x: 1 } });
    expect(decoded(union, [2, 7])).toEqual({ two: Uint8Array.of(7) });
    expect(decoded(union, [4, 6])).toBe(3);
  });

  test("of a record may be the array of its fields", () => {
    const type = schemaOf(
      record([
        { name: "x", type: "int" },
        { name: "y", type: "string" },
      ]),
    );
    expect(decodeAvro(avroDecoder(type, "array"), Uint8Array.of(2, 2, 97))).toEqual([1, "a"]);
  });

  test("may be null, or a text with other characters than ASCII", () => {
    expect(decoded("null", [])).toBeNull();
    expect(decoded("string", [6, 0xe2, 0x82, 0xac])).toBe("€");
  });
});

describe("a container", () => {
  const SYNC = new Uint8Array(16).fill(9);
  interface Block {
    readonly count: bigint;
    readonly data: Uint8Array;
  }
  function container(
    metadata: Readonly<Record<string, string>>,
    blocks: readonly Block[],
    sync = SYNC,
  ): Uint8Array {
    const out = new ByteBuilder();
    out.append(Uint8Array.of(0x4f, 0x62, 0x6a, 1));
    const entries = Object.entries(metadata);
    appendLong(out, BigInt(entries.length));
    for (const [key, value] of entries) {
      appendSized(out, new TextEncoder().encode(key));
      appendSized(out, new TextEncoder().encode(value));
    }
    out.append(Uint8Array.of(...(entries.length > 0 ? [0] : []), ...SYNC));
    for (const { count, data } of blocks) {
      appendLong(out, count);
      appendSized(out, data);
      out.append(sync);
    }
    return out.finish();
  }
  const INTS = { "avro.schema": '"int"' };
  const two: Block = { count: 2n, data: Uint8Array.of(2, 4) };

  test("has the values of all blocks, compressed or not", async () => {
    expect(await readAvroContainer(container(INTS, [two, two]))).toEqual([1, 2, 1, 2]);
    const data = new Uint8Array(deflateRawSync(two.data));
    const deflated = container({ ...INTS, "avro.codec": "deflate" }, [{ ...two, data }]);
    expect(await readAvroContainer(deflated)).toEqual([1, 2]);
    expect(await readAvroContainer(await writeAvroContainer('"int"', [5]))).toEqual([5]);
  });

  test.each<[string, Uint8Array, string]>([
    ["without its magic", Uint8Array.of(1, 2, 3, 4), "E_CORRUPT magic"],
    ["without a schema", container({}, []), "E_CORRUPT schema"],
    [
      "with another sync marker after a block",
      container(INTS, [two], new Uint8Array(16)),
      "E_CORRUPT sync marker",
    ],
    [
      "with an unknown codec",
      container({ ...INTS, "avro.codec": "lzma" }, [two]),
      "E_UNSUPPORTED avro.codec",
    ],
    ["with fewer values than stated", container(INTS, [{ ...two, count: 3n }]), "E_CORRUPT number of values"],
    ["with bytes after the values", container(INTS, [{ ...two, count: 1n }]), "E_CORRUPT block"],
    ["with a negative count", container(INTS, [{ ...two, count: -1n }]), "E_CORRUPT number of values"],
    ["with invalid deflate data", container({ ...INTS, "avro.codec": "deflate" }, [two]), "E_CORRUPT block"],
    ["that ends within a block", container(INTS, [two]).subarray(0, -17), "E_TRUNCATED block"],
  ])("%s is refused", async (_, bytes, expected) => {
    expect(await refusalOf(() => readAvroContainer(bytes))).toBe(expected);
  });

  test("whose block expands to more than 256 MiB is refused", async () => {
    const zeros = deflateRawSync(new Uint8Array((256 << 20) + 1), { level: 1 });
    const bomb = container({ ...INTS, "avro.codec": "deflate" }, [
      { count: 1n, data: new Uint8Array(zeros) },
    ]);
    expect(await refusalOf(() => readAvroContainer(bomb))).toBe("E_LIMIT block");
  }, 60_000);
});
