/** Write-ahead logs that are cut, damaged, or of another kind, and entries of a dead server that HBase moved to a region. */
import { concatBytes, utf8Bytes } from "@cfile/bytes";
import { type ByteSource, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { LogFile } from "../src/log/log-file.js";
import { visitLoggedCells } from "../src/log/unflushed-cells.js";
import { verifyTable } from "../src/verify.js";
import { type Files, i32, logBytes, loggedCell, madeTable, openMade, regionAt, sized } from "./made-root.js";

const ONE = { cells: [loggedCell("a", "1")] };
const LOG = "WALs/host,1,1/host.1";

async function rowsOf(files: Files): Promise<unknown[]> {
  await using table = await (await openMade(files)).openTable("t");
  const rows: unknown[] = [];
  const text = new TextDecoder();
  for await (const cells of table.scan()) {
    for (let i = 0; i < cells.length; i++) {
      rows.push([text.decode(cells.row(i)), text.decode(cells.value(i))]);
    }
  }
  return rows;
}

/** The log with a different key length in its first entry. */
function withKeyLength(bytes: Uint8Array, length: number): Uint8Array {
  const start = logBytes([], { isOpen: true }).length;
  return bytes.map((byte, i) => (i === start ? length : byte));
}

async function entriesIn(bytes: Uint8Array): Promise<{ entries: number; cutAt: number | undefined }> {
  const log = new LogFile(memorySource(bytes, "log"));
  let entries = 0;
  for await (const _ of log.entries()) {
    entries++;
  }
  return { entries, cutAt: log.cutAt };
}

describe("a log", () => {
  it("without bytes has no entries", async () => {
    expect(await entriesIn(new Uint8Array(0))).toEqual({ entries: 0, cutAt: undefined });
  });

  it("that is still written ends where its last entry is cut", async () => {
    const whole = logBytes([ONE, { cells: [loggedCell("b", "2"), loggedCell("c", "3")] }], { isOpen: true });
    const start = logBytes([], { isOpen: true }).length;
    const second = logBytes([ONE], { isOpen: true }).length;
    const found = new Map<string, number>();
    for (let length = start; length <= whole.length; length++) {
      const { entries, cutAt } = await entriesIn(whole.subarray(0, length));
      const key = `${entries} entries, cut ${cutAt}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    expect([...found]).toEqual([
      ["0 entries, cut undefined", 1],
      [`0 entries, cut ${start}`, second - start - 1],
      ["1 entries, cut undefined", 1],
      [`1 entries, cut ${second}`, whole.length - second - 1],
      ["2 entries, cut undefined", 1],
    ]);
  });

  it.each<[string, Uint8Array, string, string]>([
    [
      "of compressed entries",
      logBytes([], { header: { hasCompression: true } }),
      "E_UNSUPPORTED",
      "log header",
    ],
    [
      "that is encrypted",
      logBytes([], { header: { encryptionKey: utf8Bytes("k") } }),
      "E_UNSUPPORTED",
      "log header",
    ],
    [
      "of another codec",
      logBytes([], { header: { cellCodecClass: "org.x.SecureWALCellCodec" } }),
      "E_UNSUPPORTED",
      "log header",
    ],
    ["of another kind", utf8Bytes("PWAX and something"), "E_CORRUPT", "log magic"],
    ["of a few bytes", utf8Bytes("PWA"), "E_TRUNCATED", "log magic"],
    ["with a trailer that does not fit", concatBytes([i32(9), utf8Bytes("LAWP")]), "E_CORRUPT", "trailer"],
    ["with an entry without a region", logBytes([{ key: { region: undefined } }]), "E_CORRUPT", "log key"],
    [
      "with an entry without a sequence ID",
      logBytes([{ key: { sequenceId: undefined } }]),
      "E_CORRUPT",
      "log key",
    ],
    ["whose trailer comes within an entry", logBytes([{ key: { cells: 1 } }]), "E_TRUNCATED", "log entry"],
    ["whose trailer comes within a cell", logBytes([{ cells: [i32(100)] }]), "E_TRUNCATED", "log entry"],
    ["whose trailer comes within a key", withKeyLength(logBytes([ONE]), 100), "E_TRUNCATED", "log entry"],
    [
      "whose trailer comes within a length",
      concatBytes([logBytes([], { isOpen: true }), Uint8Array.of(0x80), i32(0), utf8Bytes("LAWP")]),
      "E_TRUNCATED",
      "log entry",
    ],
  ])("%s is refused", async (_, bytes, code, field) => {
    await expect(entriesIn(bytes)).rejects.toMatchObject({ code, field, path: "log" });
  });

  it("with an entry above 1 GiB is refused before it is read", async () => {
    const start = logBytes([{ key: { cells: 9 } }], { isOpen: true });
    const source: ByteSource = {
      name: "log",
      size: async () => 2 ** 34,
      // All other bytes begin cells of about 1 GiB.
      read: async (offset, length) =>
        new Uint8Array(length).fill(0x3f).map((byte, i) => start[offset + i] ?? byte),
    };
    const first = new LogFile(source).entries().next();
    await expect(first).rejects.toMatchObject({ code: "E_CORRUPT", field: "cells" });
  });

  it("of the usual codec's short name is read", async () => {
    const header = { cellCodecClass: "WALCellCodec" };
    expect(await entriesIn(logBytes([ONE], { header }))).toEqual({ entries: 1, cutAt: undefined });
  });

  it.each<[string, Uint8Array, string]>([
    ["whose key and value are too long", sized([i32(20), i32(20), new Uint8Array(20)]), "key length"],
    ["with a byte for the length of tags", loggedCell("a", "1", new Uint8Array(1)), "cell length"],
    ["with a byte after its tags", loggedCell("a", "1", new Uint8Array(3)), "cell length"],
    ["with a short key", sized([i32(3), i32(0), new Uint8Array(3)]), "row length"],
    ["with a long row", sized([i32(12), i32(0), Uint8Array.of(0, 9), new Uint8Array(10)]), "row length"],
    ["with an empty key", sized([i32(0), i32(0)]), "row length"],
    [
      "whose family runs past the key",
      sized([i32(12), i32(0), Uint8Array.of(0, 0, 9), new Uint8Array(9)]),
      "row length",
    ],
  ])("a cell %s is refused", (_, bytes, field) => {
    // Another cell follows, so that reading past the end does not give E_TRUNCATED.
    const cells = concatBytes([bytes, loggedCell("z", "1")]);
    const visit = () => visitLoggedCells(cells, "log", 0, () => undefined);
    expect(visit).toThrow(expect.objectContaining({ code: "E_CORRUPT", field, path: "log" }));
  });
});

describe("a table", () => {
  it("has the cells of its logs, but not those of the table of regions", async () => {
    const files = madeTable();
    files.set(
      LOG,
      logBytes([ONE, { cells: [loggedCell("b", "2", Uint8Array.of(0, 0))], key: { sequenceId: 2 } }]),
    );
    files.set(`${LOG}.meta`, logBytes([{ cells: [loggedCell("m", "1")] }]));
    expect(await rowsOf(files)).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("has those of a dead server's log, of its own region only", async () => {
    const files = madeTable();
    const folder = `data/default/t/${regionAt()}/recovered.edits`;
    files.set(`${folder}/0000000000000000001`, logBytes([ONE, { ...ONE, key: { region: utf8Bytes("x") } }]));
    files.set(`${folder}/0000000000000000002`, logBytes([{ ...ONE, key: { region: utf8Bytes("x") } }]));
    files.set(`${folder}/3.seqid`, new Uint8Array(0));
    expect(await rowsOf(files)).toEqual([["a", "1"]]);
  });

  it("says where a log was cut", async () => {
    const files = madeTable();
    files.set(LOG, logBytes([ONE, ONE], { isOpen: true }).slice(0, -1));
    await using table = await (await openMade(files)).openTable("t");
    expect(await rowsOf(files)).toEqual([["a", "1"]]);
    expect(await verifyTable(table)).toMatchObject({ ok: true, cutLogs: [LOG] });
  });

  it("with a log that cannot be read says so", async () => {
    const files = madeTable();
    files.set(LOG, utf8Bytes("something else"));
    await expect(rowsOf(files)).rejects.toMatchObject({ code: "E_CORRUPT" });
    await using table = await (await openMade(files)).openTable("t");
    expect(await verifyTable(table)).toMatchObject({
      ok: false,
      problems: [{ code: "E_CORRUPT", region: undefined }],
    });
  });
});
