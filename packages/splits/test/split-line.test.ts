import { isCFileError } from "@cfile/bytes";
import type { RowSetColumn } from "@cfile/rowset";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifiedSplit, parseSplit, type Split, type SplitContent, splitLine } from "../src/index.js";
import { splitId } from "../src/lines/split-line.js";

const schema: RowSetColumn[] = (
  [
    ["id", "INT64", true],
    ["d", "DOUBLE", false],
    ["s", "STRING", false],
    ["b", "BINARY", false],
    ["f", "BOOL", false],
    ["m", "DECIMAL128", false],
  ] as const
).map(([name, type, isKey], id) => ({ id, name, type, isKey, nullable: !isKey, array: false }));

const content: SplitContent = {
  number: 3,
  kind: "kudu",
  schema,
  columns: ["s", "id"],
  where: [
    { column: "id", op: ">=", value: -(1n << 63n) },
    { column: "d", op: "in", values: [Number.NaN, -0, Number.NEGATIVE_INFINITY, 1.5] },
    { column: "s", op: "prefix", value: "Zürich" },
    { column: "b", op: "=", value: Uint8Array.of(0, 255) },
    { column: "f", op: "=", value: true },
    { column: "m", op: "<", value: 123456789012345678901234567890n },
    { column: "s", op: "isNotNull" },
  ],
  asOf: (1n << 64n) - 1n,
  dirs: ["/data/1", "/wal"],
  rows: 12,
  bytes: 345,
  pieces: [
    {
      tablet: "a".repeat(32),
      rowSet: (1n << 64n) - 1n,
      blocks: "00",
      columns: new Map([
        [0, { path: "/data/1/data/x.data", size: 7, block: { id: 9n, offset: 4096 } }],
        [2, { path: "", size: 0, block: { id: 10n, offset: 0 } }],
      ]),
      redo: [{ path: "r", size: 1, version: "v" }],
      undo: [],
      rows: { from: 0, to: 12 },
    },
  ],
};

const made = await identifiedSplit(content);
const line = splitLine(made);

async function outcome(text: string): Promise<Split | string> {
  try {
    return await parseSplit(text, "line 7");
  } catch (error) {
    if (isCFileError(error)) {
      return error.code;
    }
    throw error;
  }
}

/** The line with changed content and a matching ID. */
async function forged(change: (json: Record<string, unknown>) => void): Promise<string> {
  const { id: _, ...json } = JSON.parse(line) as Record<string, unknown>;
  change(json);
  return JSON.stringify({ ...json, id: await splitId(json) });
}

describe("a split line", () => {
  it("survives a round trip with the same ID", async () => {
    const back = (await parseSplit(line, "line 1")) as typeof made;
    expect(splitLine(back)).toBe(line);
    expect(back.id).toBe(made.id);
    expect(back.kind === "kudu" && back.pieces).toEqual(made.pieces);
    expect(back.where).toEqual(
      made.where.map((predicate) =>
        predicate.column === "s" && "value" in predicate
          ? { ...predicate, value: new TextEncoder().encode("Zürich") }
          : predicate,
      ),
    );
    expect(line).not.toContain("\n");
  });

  it("has an ID that depends on all fields, not on their order", async () => {
    const { id, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const reversed = Object.fromEntries(Object.entries({ ...rest, id }).reverse());
    expect(await outcome(JSON.stringify(reversed))).toMatchObject({ id: made.id });
    const ids = [made, { ...made, bytes: 346 }, { ...made, asOf: 1n }, { ...made, columns: ["id", "s"] }];
    const all = await Promise.all(ids.map(async ({ id: _, ...other }) => (await identifiedSplit(other)).id));
    expect(new Set(all).size).toBe(ids.length);
  });

  it.each<[string, (json: Record<string, unknown>) => void, string]>([
    ["another version", (json) => Object.assign(json, { cfileSplit: 2 }), "E_UNSUPPORTED"],
    ["an unknown kind", (json) => Object.assign(json, { kind: "avro" }), "E_UNSUPPORTED"],
    ["an unknown field", (json) => Object.assign(json, { more: 1 }), "E_CORRUPT"],
    ["a huge number", (json) => Object.assign(json, { rows: 1e300 }), "E_CORRUPT"],
    ["a negative number", (json) => Object.assign(json, { bytes: -1 }), "E_CORRUPT"],
    ["no columns", (json) => Object.assign(json, { columns: [] }), "E_CORRUPT"],
    ["a column that is not there", (json) => Object.assign(json, { columns: ["x"] }), "E_CORRUPT"],
    [
      "a timestamp of more than 64 bits",
      (json) => Object.assign(json, { asOf: "18446744073709551616" }),
      "E_CORRUPT",
    ],
    ["no directories", (json) => Object.assign(json, { dirs: [] }), "E_CORRUPT"],
    ["invalid pieces", (json) => Object.assign(json, { pieces: { 0: 1 } }), "E_CORRUPT"],
    [
      "a condition on nothing",
      (json) => Object.assign(json, { where: [{ column: "x", op: "=" }] }),
      "E_CORRUPT",
    ],
    [
      "a cell of another size",
      (json) => Object.assign(json, { where: [{ column: "id", op: "=", value: "00" }] }),
      "E_CORRUPT",
    ],
    [
      "pieces of another kind",
      (json) => Object.assign(json, { kind: "cfiles", dirs: undefined, asOf: undefined }),
      "E_CORRUPT",
    ],
  ])("with %s throws", async (_name, change, code) => {
    expect(await outcome(await forged(change))).toBe(code);
  });

  it("that was changed or truncated throws", async () => {
    expect(await outcome(line.replace('"rows":12', '"rows":13'))).toBe("E_CORRUPT");
    for (let length = 0; length < line.length; length += 7) {
      expect(await outcome(line.slice(0, length))).toBe("E_CORRUPT");
    }
    for (const text of [
      "null",
      "7",
      "[]",
      "{}",
      '"x"',
      `${"[".repeat(100_000)}`,
      `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
    ]) {
      expect(await outcome(text)).toMatch(/^E_/);
    }
  });

  it("with replaced values throws only CFileErrors", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(200), fc.jsonValue({ maxDepth: 3 }), async (place, value) => {
        const text = await forged((json) => {
          let at = place;
          const visit = (node: unknown): void => {
            for (const key of typeof node === "object" && node !== null ? Object.keys(node) : []) {
              if (at-- === 0) {
                Reflect.set(node as object, key, value);
                return;
              }
              visit(Reflect.get(node as object, key));
            }
          };
          visit(json);
        });
        const result = await outcome(text);
        expect(typeof result === "string" ? result : result.id).toMatch(/^E_|^[0-9a-f]{32}$/);
      }),
      { seed: 3, numRuns: 150 },
    );
  });
});
