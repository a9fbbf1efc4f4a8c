/** Parts of log files: damage, and values that the golden tables lack. */

import type { AvroValue } from "@cfile/avro";
import { concatBytes } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { avroRows, SchemaCache } from "../src/log/avro-rows.js";
import { deletedRecords } from "../src/log/delete-block.js";
import { type LogBlock, parseLogFile, readLogFile } from "../src/log/log-block.js";
import { compareValues, wrapped } from "../src/log/wrapped-value.js";
import { blockOf, logOf } from "./made-logs.js";

const refused = (code: string, field: string) => expect.objectContaining({ code, field });
const INSTANT = "20261122000000001";
const SCHEMA = { type: "record", name: "r", fields: [{ name: "a", type: ["null", "string"] }] };

describe("log files", () => {
  const whole = logOf(SCHEMA, [["x"]], INSTANT);
  const kinds = (bytes: Uint8Array) => parseLogFile(bytes, "log").map(({ kind }) => kind);

  test("above 2 GiB are not read", async () => {
    const source = { ...memorySource(new Uint8Array(0), "log"), size: async () => 2 ** 31 };
    await expect(readLogFile(source)).rejects.toMatchObject({ code: "E_LIMIT", path: "log" });
  });

  test("are read on after a block that is cut, whose instant is known", () => {
    const cut = concatBytes([whole.slice(0, -4), whole]);
    expect(parseLogFile(cut, "log")).toMatchObject([
      { kind: "damage", offset: 0, length: whole.length - 4, instant: INSTANT, error: { path: "log" } },
      { kind: "avro", offset: whole.length - 4 },
    ]);
    // Hudi treats a block as damaged unless another block or the end of the file follows.
    expect(kinds(concatBytes([whole, whole, Uint8Array.of(0x23, 0x23)]))).toEqual(["avro", "damage"]);
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    ["another reverse pointer", (bytes) => bytes.with(bytes.length - 1, 1), "reverse pointer"],
    ["another format", (bytes) => bytes.with(17, 2), "log format version"],
    ["an unknown type", (bytes) => bytes.with(21, 99), "block type"],
    ["too many headers", (bytes) => bytes.with(24, 0xff), "header"],
    ["a size above 2^53", (bytes) => bytes.with(6, 0x7f), "block size"],
    [
      "a size that ends between blocks",
      (bytes) => concatBytes([bytes.with(13, (bytes[13] ?? 0) - 1), bytes]),
      "block size",
    ],
  ])("with %s are damaged", (_, change, field) => {
    expect(parseLogFile(change(whole))[0]).toMatchObject({ kind: "damage", error: { field } });
  });

  test("have no instant in blocks whose head is damaged", () => {
    expect(parseLogFile(whole.with(17, 2))).toMatchObject([{ kind: "damage", instant: undefined }]);
    expect(parseLogFile(whole.slice(0, 10))).toMatchObject([{ kind: "damage", instant: undefined }]);
    expect(parseLogFile(Uint8Array.of(1))).toMatchObject([{ kind: "damage", instant: undefined }]);
    // Without a header, the block has no instant.
    expect(parseLogFile(blockOf(0, new Map(), new Uint8Array(0)))).toMatchObject([
      { kind: "command", instant: "" },
    ]);
  });
});

describe("records of a block", () => {
  const rowsOf = (change: (content: Uint8Array) => Uint8Array, hasSchema = true) => {
    const [block] = parseLogFile(logOf(SCHEMA, [["x"], [null]], INSTANT)) as [LogBlock];
    const header = hasSchema ? block.header : new Map();
    return [...avroRows({ ...block, header, content: change(block.content) }, new SchemaCache(), "object")];
  };

  test("are those of its schema", () => {
    expect(rowsOf((content) => content)).toEqual([{ a: "x" }, { a: null }]);
  });

  test.each<[string, (content: Uint8Array) => Uint8Array, string, string]>([
    ["of another version", (content) => content.with(3, 2), "E_UNSUPPORTED", "content version"],
    ["that are more than bytes", (content) => content.with(4, 1), "E_CORRUPT", "record count"],
    ["that are longer than stated", (content) => content.with(11, 2), "E_CORRUPT", "record length"],
    ["with bytes after them", (content) => concatBytes([content, new Uint8Array(1)]), "E_CORRUPT", "content"],
  ])("%s are refused", (_, change, code, field) => {
    expect(() => rowsOf(change)).toThrow(refused(code, field));
  });

  test("without a schema are refused", () => {
    expect(() => rowsOf((content) => content, false)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    const [block] = parseLogFile(logOf(SCHEMA, [])) as [LogBlock];
    expect(new SchemaCache().typeOf(block)).toMatchObject({ kind: "record" });
    expect(() => new SchemaCache().typeOf({ ...block, header: new Map() })).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });
});

describe("deletes", () => {
  /** The content of a block with records in Avro's encoding. */
  const contentOf = (...records: readonly (readonly number[])[]): Uint8Array => {
    const bytes = [2 * records.length, ...records.flat(), 0];
    return Uint8Array.of(0, 0, 0, 3, 0, 0, 0, bytes.length, ...bytes);
  };
  /** A key, no partition, and the union branch and value of an ordering value. */
  const record = (key: string, ...ordering: readonly number[]) => [2, 2, key.charCodeAt(0), 0, ...ordering];

  test("have a key, and an ordering value of any type", () => {
    const several = [2 * 12, 2 * 1, 2 * 2, 2 * 2, 2 * 1, 0, 0];
    const content = contentOf(record("a", 0), record("b", 2 * 3, 2 * 7), record("c", ...several));
    expect(deletedRecords(content)).toEqual([
      { key: "a", partition: undefined, ordering: undefined },
      { key: "b", partition: undefined, ordering: 7 },
      { key: "c", partition: undefined, ordering: [1, null] },
    ]);
  });

  test("have several ordering values, as Hudi 1.2 writes them", () => {
    const key = "022069643a7363686cc3bc7373656c2d3732";
    const partition = "02286e6f7274682f3230323625324630312532463035";
    const hex = `000000030000003302${key}${partition}18020406c80f04040000`;
    const content = Uint8Array.from(Buffer.from(hex, "hex"));
    expect(deletedRecords(content)).toEqual([
      { key: "id:schlüssel-72", partition: "north/2026%2F01%2F05", ordering: [996, 2] },
    ]);
  });

  test("without a key are refused", () => {
    expect(() => deletedRecords(contentOf([0, 0, 0]))).toThrow(refused("E_CORRUPT", "recordKey"));
  });
});

describe("wrapped values", () => {
  test.each<[AvroValue]>([
    ["text"],
    [[]],
    [new Map()],
    [new Uint8Array(1)],
    [{}],
    [{ A: { value: 1 }, B: { value: 2 } }],
    [{ A: 7 }],
    [{ A: null }],
    [{ A: {} }],
  ])("%j is refused", (value) => {
    expect(() => wrapped(value)).toThrow(refused("E_CORRUPT", "value"));
  });

  test("may be a list, of lists alone", () => {
    expect(wrapped({ ArrayWrapper: { value: 7 } })).toEqual({ wrapper: "ArrayWrapper", value: 7 });
    expect(wrapped({ OtherWrapper: { value: [1] } })).toEqual({ wrapper: "OtherWrapper", value: [1] });
    expect([wrapped(null), wrapped(undefined)]).toEqual([undefined, undefined]);
  });

  test.each<[AvroValue, AvroValue, number]>([
    [1, 2n, -1],
    [2n, 1, 1],
    [2, 2, 0],
    ["b", "a", 1],
    ["\u{1f600}", "\uffff", -1],
    [false, true, -1],
    [null, 0, -1],
    ["", null, 1],
    [null, null, 0],
    [Uint8Array.of(1, 2), Uint8Array.of(1, 3), -1],
    [Uint8Array.of(1), Uint8Array.of(1, 0), -1],
    [Uint8Array.of(), Uint8Array.of(), 0],
    [[1, "b"], [1, "a"], 1],
    [[1], [1], 0],
    [[1, 2], [1], 1],
    [[null], [1], -1],
  ])("%s to %s compare as %d", (a, b, order) => {
    expect(Math.sign(compareValues(a, b))).toBe(order);
  });

  test.each<[AvroValue, AvroValue]>([
    [1, "1"],
    [true, 1],
    [Uint8Array.of(1), "a"],
    [[1], 1],
    ["a", true],
    [{}, {}],
  ])("%s and %s have no order", (a, b) => {
    expect(() => compareValues(a, b)).toThrow(refused("E_UNSUPPORTED", "ordering value"));
  });
});
