import { CFileError, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  changeTypeName,
  DELETE,
  decodeRowChangeList,
  encodeRowChangeList,
  inverseType,
  MutationBuilder,
  MutationCursor,
  REINSERT,
  UPDATE,
} from "../src/index.js";

type Mutation = readonly [id: number, value: Uint8Array | null];

function mutationsIn(bytes: Uint8Array): Mutation[] {
  const cursor = new MutationCursor().resetTo(bytes, 0, bytes.length);
  const found: Mutation[] = [];
  while (cursor.next()) {
    found.push([cursor.columnId, cursor.isNull ? null : cursor.data.slice(cursor.start, cursor.end)]);
  }
  return found;
}

function build(mutations: readonly Mutation[]): Uint8Array {
  const builder = new MutationBuilder();
  for (const [id, value] of mutations) {
    builder.set(id, value);
  }
  return builder.finish();
}

const mutation = fc.tuple(fc.nat(0x7fffffff), fc.option(fc.uint8Array({ maxLength: 300 })));

describe("a change list", () => {
  it("round-trips its mutations", () => {
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 20 }), (mutations) => {
        expect(mutationsIn(build(mutations))).toEqual(mutations);
      }),
      { seed: 3 },
    );
  });

  it.each([
    [UPDATE, "0b0521000000", "010b0521000000"],
    [DELETE, "", "02"],
    [REINSERT, "", "03"],
    [REINSERT, "0c00", "030c00"],
    [UPDATE, "0c01", "010c01"],
  ] as const)("of type %i with '%s' is %s", (type, mutations, hex) => {
    expect(toHex(encodeRowChangeList({ type, mutations: fromHex(mutations) }))).toBe(hex);
    expect(decodeRowChangeList(fromHex(hex))).toEqual({ type, mutations: fromHex(mutations) });
  });

  it("distinguishes NULL and the empty value", () => {
    expect(mutationsIn(fromHex("07000701"))).toEqual([
      [7, null],
      [7, new Uint8Array(0)],
    ]);
  });

  it.each([
    ["", "E_TRUNCATED", "change type"],
    ["00", "E_CORRUPT", "change type"],
    ["04", "E_CORRUPT", "change type"],
    ["ff", "E_CORRUPT", "change type"],
    ["01", "E_CORRUPT", "change list"],
    ["0200", "E_CORRUPT", "change list"],
    ["020b00", "E_CORRUPT", "change list"],
    ["010b", "E_TRUNCATED", "value length"],
    ["0180", "E_TRUNCATED", "column id"],
    ["010b80", "E_TRUNCATED", "value length"],
    ["010b0521", "E_TRUNCATED", "value length"],
    ["010bffffffff0f", "E_TRUNCATED", "value length"],
    ["018080808000", "E_TRUNCATED", "value length"],
    ["0180808080800100", "E_CORRUPT", "column id"],
    ["010b80808080800100", "E_CORRUPT", "value length"],
    ["01808080800800", "E_CORRUPT", "column id"],
    ["030b0001", "E_TRUNCATED", "value length"],
  ])("is rejected: '%s', %s in %s", (hex, code, field) => {
    expect(() => decodeRowChangeList(fromHex(hex))).toThrow(expect.objectContaining({ code, field }));
  });

  it("cannot extend into the next entry", () => {
    const cursor = new MutationCursor();
    for (const [hex, end] of [
      ["0b0507", 1],
      ["0b8001", 2],
      ["800107", 1],
      ["0b020708", 2],
    ] as const) {
      cursor.resetTo(fromHex(`${hex}000000000000`), 0, end);
      expect(() => cursor.next()).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
    }
    expect(() => cursor.resetTo(new Uint8Array(3), 2, 4)).toThrow(CFileError);
    expect(() => cursor.resetTo(new Uint8Array(3), 2, 1)).toThrow(CFileError);
  });

  it("rejects invalid types and column IDs", () => {
    for (const id of [-1, 1.5, 2 ** 31, Number.NaN]) {
      expect(() => new MutationBuilder().set(id, null)).toThrow(CFileError);
    }
    expect(() => encodeRowChangeList({ type: UPDATE, mutations: new Uint8Array(0) })).toThrow(CFileError);
    expect(() => encodeRowChangeList({ type: DELETE, mutations: new Uint8Array(1) })).toThrow(CFileError);
  });

  it("of arbitrary bytes is decoded or rejected", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        try {
          const { type, mutations } = decodeRowChangeList(bytes);
          expect(mutationsIn(mutations).length > 0 || type !== UPDATE).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CFileError);
        }
      }),
      { seed: 4, numRuns: 2000 },
    );
  });
});

describe("a type of change", () => {
  it("has a name and an inverse", () => {
    expect([UPDATE, DELETE, REINSERT, 0, 9].map(changeTypeName)).toEqual([
      "UPDATE",
      "DELETE",
      "REINSERT",
      undefined,
      undefined,
    ]);
    expect(([UPDATE, DELETE, REINSERT] as const).map(inverseType)).toEqual([UPDATE, REINSERT, DELETE]);
  });
});
