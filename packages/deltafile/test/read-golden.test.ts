import { toHex } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import {
  changeTypeName,
  decodeCell,
  decodeDeltaKey,
  encodeCell,
  encodeDeltaKey,
  MutationCursor,
} from "../src/index.js";
import { type DeltaBatch, guessDeltaKind, openDeltaFile } from "../src/read.js";
import { parseDeltaStats } from "../src/write.js";
import { type GoldenDeltaFile, type GoldenUpdate, goldenDeltaFiles } from "./golden.js";

/** The value of the JSON as a cell of the column's type. */
function cellOf(update: GoldenUpdate, type: string): unknown {
  const { value } = update;
  if (update.null) {
    return null;
  }
  if (typeof value === "object") {
    const bits = BigInt(`0x${value.bits}`);
    const view = new DataView(new ArrayBuffer(8));
    if (type === "FLOAT") {
      view.setUint32(0, Number(bits));
      return view.getFloat32(0);
    }
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (["STRING", "BINARY", "VARCHAR"].includes(type)) {
    return value;
  }
  return ["INT64", "INT128", "DECIMAL64", "DECIMAL128", "UNIXTIME_MICROS"].includes(type)
    ? BigInt(value as string)
    : value;
}

function* entriesOf(batch: DeltaBatch): Generator<[string, string, string, string]> {
  for (let i = 0; i < batch.length; i++) {
    const mutations = batch.data.subarray(batch.offsets[i], batch.offsets[i + 1]);
    yield [
      String(batch.rows[i]),
      String(batch.timestamps[i]),
      changeTypeName(batch.types[i] as number) ?? "none",
      toHex(mutations),
    ];
  }
}

async function allEntries(file: GoldenDeltaFile): Promise<[string, string, string, string][]> {
  const reader = await openDeltaFile(memorySource(file.bytes, file.name));
  const entries = [];
  for await (const batch of reader.entries()) {
    entries.push(...entriesOf(batch));
  }
  return entries;
}

const expected = (deltas: GoldenDeltaFile["deltas"]) =>
  deltas.map((delta) => [String(delta.row_idx), delta.timestamp, delta.type, delta.changelist_hex.slice(2)]);

describe.each(goldenDeltaFiles)("$name, written by Kudu", (file) => {
  const open = () => openDeltaFile(memorySource(file.bytes, file.name));

  it("has the entries of the JSON, in order", async () => {
    expect(await allEntries(file)).toEqual(expected(file.deltas));
  });

  it("has a block for each index entry", async () => {
    const reader = await open();
    let blocks = 0;
    for await (const batch of reader.entries()) {
      const at = file.validx[blocks++];
      const key = encodeDeltaKey({ row: batch.rows[0] as number, timestamp: batch.timestamps[0] as bigint });
      expect(toHex(key)).toBe(at?.key);
    }
    expect(blocks).toBe(file.validx.length);
  });

  it("has keys that round-trip", () => {
    for (const { key_hex, row_idx, timestamp } of file.deltas) {
      const bytes = Uint8Array.from(Buffer.from(key_hex, "hex"));
      const key = { row: row_idx, timestamp: BigInt(timestamp) };
      expect(decodeDeltaKey(bytes)).toEqual({ ...key, length: bytes.length, canonical: true });
      expect(toHex(encodeDeltaKey(key))).toBe(key_hex);
    }
  });

  it("has the values of the JSON, which encode to the same bytes", async () => {
    const reader = await open();
    const columns = new Map(file.columns.map((column) => [column.id, column]));
    const cursor = new MutationCursor();
    let entry = 0;
    for await (const batch of reader.entries()) {
      for (let i = 0; i < batch.length; i++) {
        const updates = file.deltas[entry++]?.updates ?? [];
        cursor.reset(batch, i);
        for (const update of updates) {
          expect(cursor.next()).toBe(true);
          expect(cursor.columnId).toBe(update.col_id);
          const column = columns.get(cursor.columnId);
          if (column === undefined) {
            throw new TypeError(`no column ${cursor.columnId}`);
          }
          const cell = decodeCell(column, cursor, { strings: "bytes" });
          const shown = cell instanceof Uint8Array ? toHex(cell) : cell;
          expect(shown).toEqual(cellOf(update, column.type));
          const again = encodeCell(column, cell);
          expect(again === null ? undefined : toHex(again)).toBe(update.raw);
        }
        expect(cursor.next()).toBe(false);
      }
    }
    expect(entry).toBe(file.deltas.length);
  });

  it("has the statistics that Kudu reports", async () => {
    const reader = await open();
    const { statistics } = reader;
    expect(statistics).toEqual(parseDeltaStats(Uint8Array.from(Buffer.from(file.statsRaw, "hex"))));
    expect(statistics.deleteCount).toBe(file.deltas.filter(({ type }) => type === "DELETE").length);
    expect(statistics.reinsertCount).toBe(file.deltas.filter(({ type }) => type === "REINSERT").length);
    const timestamps = file.deltas.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
    expect(statistics.minTimestamp).toBe(timestamps[0]);
    expect(statistics.maxTimestamp).toBe(timestamps.at(-1));
    expect(reader.entryCount).toBe(file.deltas.length);
  });

  it("is valid as a CFile and as a delta file of its kind", async () => {
    const cfile = await openCFile(memorySource(file.bytes));
    expect(await cfile.verify()).toMatchObject({ ok: true, problems: [], kind: "delta" });
    const columns = file.columns;
    const rowCount = Math.max(...file.deltas.map(({ row_idx }) => row_idx)) + 1;
    const report = await (await open()).verify({ columns, rowCount });
    expect(report).toMatchObject({ ok: true, problems: [], entries: file.deltas.length });
    const ordered = await (await open()).verify({ kind: file.kind });
    // The entries are random: their changes of a row are inconsistent, but their order is valid.
    expect(ordered.problems.filter(({ field }) => field !== "change type")).toEqual([]);
  });

  it("reveals its kind by the order of timestamps", async () => {
    expect(await guessDeltaKind(await open())).toEqual({ kind: file.kind, reason: "timestamps" });
  });

  it("finds the entries of each row", async () => {
    const reader = await open();
    const last = file.deltas.at(-1)?.row_idx ?? 0;
    for (const row of [...new Set(file.deltas.map(({ row_idx }) => row_idx)), last + 1, 0, 3, 4294967295]) {
      const batch = await reader.deltasOf(row);
      expect([...entriesOf(batch)]).toEqual(expected(file.deltas.filter(({ row_idx }) => row_idx === row)));
    }
  });

  it.each([
    [0, 1],
    [1, 40],
    [17, 900],
    [500, 2000],
    [5000, 6000],
  ])("finds the entries of rows %i to %i", async (from, to) => {
    const reader = await open();
    const entries = [];
    for await (const batch of reader.entries({ rows: { from, to } })) {
      entries.push(...entriesOf(batch));
    }
    expect(entries).toEqual(expected(file.deltas.filter(({ row_idx }) => row_idx >= from && row_idx < to)));
  });

  it("finds the entries of a range of timestamps", async () => {
    const reader = await open();
    const timestamps = file.deltas.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
    const from = timestamps[Math.floor(timestamps.length / 3)] as bigint;
    const to = timestamps[Math.floor((2 * timestamps.length) / 3)] as bigint;
    const entries = [];
    for await (const batch of reader.entries({ timestamps: { from, to } })) {
      entries.push(...entriesOf(batch));
    }
    const wanted = file.deltas.filter(({ timestamp }) => BigInt(timestamp) >= from && BigInt(timestamp) < to);
    expect(entries).toEqual(expected(wanted));
    expect(wanted.length).toBeGreaterThan(0);
  });
});
