/** The examples of docs/spec/deltafile.md#9-worked-examples. */
import { fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import {
  DELETE,
  type DeltaKind,
  decodeCell,
  encodeCell,
  isApplied,
  MutationBuilder,
  MutationCursor,
  REINSERT,
  UPDATE,
} from "../src/index.js";
import type { DeltaBatch } from "../src/read.js";
import { allShown, deltaFile, type Entry, openBytes, shown } from "./forge.js";

const T1 = 6963200000000000001n;
const T2 = 6963200002048000000n;
const T3 = 6963200004096000007n;

const c11 = { id: 11, type: "INT32" } as const;
const c12 = { id: 12, type: "STRING", nullable: true } as const;
const c13 = { id: 13, type: "INT64", nullable: true } as const;

const WHOLE_FILE = `
6b 75 64 75 63 66 6c 32 00 00 00 00 02 94 3a d3
42 00 00 00 00 00 00 00 03 00 00 00 3d 00 00 00
00 ff 60 a2 41 81 e4 00 00 01 01 0b 05 21 00 00
00 00 ff 60 a2 41 82 5e 12 00 00 01 0c 06 68 65
6c 6c 6f 0d 00 f1 3c ff 60 a2 41 82 d8 24 00 07
02 00 0c 1d 31 00 99 89 97 c7 19 00 00 00 0a 00
ff 60 a2 41 81 e4 00 00 01 10 4a 00 00 00 00 08
01 10 00 04 00 00 00 5c 93 5d a6 7a b2 d3 42 08
0c 10 01 18 03 2a 06 0a 04 08 5a 10 21 30 03 3a
3a 0a 0e 64 65 6c 74 61 66 69 6c 65 73 74 61 74
73 12 28 08 01 19 01 00 00 e4 81 41 a2 60 21 07
00 24 d8 82 41 a2 60 2a 04 08 0d 10 01 2a 04 08
0c 10 01 2a 04 08 0b 10 01 30 00 40 00 50 01 6b
75 64 75 63 66 6c 32 50 00 00 00`;

const REDO: readonly Entry[] = [
  [0, T1, UPDATE, new MutationBuilder().set(11, encodeCell(c11, 33)).finish()],
  [
    0,
    T2,
    UPDATE,
    new MutationBuilder().set(12, encodeCell(c12, "hello")).set(13, encodeCell(c13, null)).finish(),
  ],
  [300, T3, DELETE],
];

const UNDO: readonly Entry[] = [
  [0, T2, UPDATE, new MutationBuilder().set(11, encodeCell(c11, 7)).finish()],
  [0, T1, DELETE],
  [1, T3, DELETE],
  [1, T2, REINSERT, new MutationBuilder().set(11, encodeCell(c11, 5)).set(12, null).finish()],
  [1, T1, DELETE],
];

describe("the REDO file of 219 bytes", () => {
  it("is reproduced by the writer", async () => {
    expect(toHex(await deltaFile("redo", REDO))).toBe(toHex(fromHex(WHOLE_FILE)));
  });

  it("is read back", async () => {
    const reader = await openBytes(fromHex(WHOLE_FILE));
    expect(await allShown(reader)).toEqual([
      `0@${T1} 1 0b0521000000`,
      `0@${T2} 1 0c0668656c6c6f0d00`,
      `300@${T3} 2`,
    ]);
    expect(reader.statistics).toEqual({
      minTimestamp: T1,
      maxTimestamp: T3,
      deleteCount: 1,
      reinsertCount: 0,
      updateCounts: new Map([
        [13, 1],
        [12, 1],
        [11, 1],
      ]),
    });
    expect(await reader.verify({ kind: "redo", rowCount: 301, columns: [c11, c12, c13] })).toMatchObject({
      ok: true,
    });
  });
});

describe("the UNDO values", () => {
  /** The row, with `base` as its c11 in the base data, after the entries that apply at the snapshot. */
  function stateOf(batch: DeltaBatch, kind: DeltaKind, base: number, snapshot: bigint): number | "dead" {
    let alive = true;
    let value = base;
    const cursor = new MutationCursor();
    for (let i = 0; i < batch.length; i++) {
      if (isApplied(kind, batch.timestamps[i] as bigint, snapshot)) {
        alive = batch.types[i] === DELETE ? false : batch.types[i] === REINSERT ? true : alive;
        cursor.reset(batch, i);
        while (cursor.next()) {
          value = cursor.columnId === 11 ? Number(decodeCell(c11, cursor)) : value;
        }
      }
    }
    return alive ? value : "dead";
  }

  it("are encoded as in the specification", async () => {
    const reader = await openBytes(await deltaFile("undo", UNDO, { compression: "NO_COMPRESSION" }));
    const stored = [
      "00ff60a241825e120000010b0507000000",
      "00ff60a24181e400000102",
      "01ff60a24182d824000702",
      "01ff60a241825e120000030b05050000000c00",
      "01ff60a24181e400000102",
    ].join("");
    const bytes = await deltaFile("undo", UNDO, { compression: "NO_COMPRESSION" });
    expect(toHex(bytes)).toContain(stored);
    expect((await reader.verify({ kind: "undo" })).ok).toBe(true);
  });

  it.each([
    [T1, "dead"],
    [T1 + 1n, 5],
    [T2, 5],
    [T2 + 1n, "dead"],
    [T3, "dead"],
    [T3 + 1n, 99],
  ])("yield row 1 at %i as %s", async (snapshot, state) => {
    const reader = await openBytes(await deltaFile("undo", UNDO));
    expect(stateOf(await reader.deltasOf(1), "undo", 99, snapshot)).toBe(state);
  });

  it.each([
    [T1, "dead"],
    [T1 + 1n, 7],
    [T2, 7],
    [T2 + 1n, 33],
  ])("yield row 0 at %i as %s", async (snapshot, state) => {
    const reader = await openBytes(await deltaFile("undo", UNDO));
    const batch = await reader.deltasOf(0);
    expect(shown(batch)).toHaveLength(2);
    expect(stateOf(batch, "undo", 33, snapshot)).toBe(state);
  });
});
