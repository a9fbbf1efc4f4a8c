/** Which files a row set gets that tests write: damaged ones, those of compactions and copies, and what the user chooses. */
import { DELETE, UPDATE } from "@cfile/deltafile";
import { encodeDeltaStats } from "@cfile/deltafile/write";
import { batchFromValues } from "@cfile/encodings/batches";
import { CFileWriter } from "@cfile/format/write";
import { memorySink } from "@cfile/io";
import type { RowSetSchema } from "@cfile/rowset";
import { describe, expect, it } from "vitest";
import { type KnownTable, tableOfColumns } from "../src/index.js";
import { column, keyColumn, SERVER_IDENTITY, WrittenBlocks, type WrittenChange } from "./written-blocks.js";
import { batch, commit, INSERT, SCHEMA, segmentBytes, write } from "./written-log.js";

const SINGLE = { columns: [keyColumn(0), column(1)] };
const TABLET = "00000000000000000000000000000abc";

const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i);
const singleRows = (count: number, first = 0) => numbers(count, first).map((n) => [n, n]);

/** A table of a catalog with these columns, in one tablet. */
async function knownTable({ columns }: RowSetSchema): Promise<KnownTable> {
  return {
    ...(await tableOfColumns("t", columns)),
    origin: "catalog",
    tablets: [
      {
        ...{ id: TABLET, servers: [], message: undefined },
        partition: { hashBuckets: [], keyStart: new Uint8Array(0), keyEnd: new Uint8Array(0) },
      },
    ],
  };
}

describe("a damaged file costs only its row set", () => {
  const logged = new Map([
    ...SERVER_IDENTITY,
    [
      `ts/wal/wals/${TABLET}/wal-000000001`,
      segmentBytes({ tabletId: TABLET }, [
        batch(write(1, [[INSERT, 1, 0]])),
        batch(commit(1, [{ mrsId: 0n }])),
      ]),
    ],
  ]);

  it.each([
    { title: "knowing the table", isKnown: true, files: SERVER_IDENTITY },
    { title: "knowing nothing", isKnown: false, files: SERVER_IDENTITY },
    { title: "with a log", isKnown: false, files: logged },
  ])("if values of the key are damaged, and its Bloom file is lost: $title", async ({ isKnown, files }) => {
    const written = new WrittenBlocks();
    const schema = isKnown ? SINGLE : SCHEMA;
    const damaged = await written.rowSet(schema, singleRows(5), { withoutBloom: true });
    written.skip();
    written.skip();
    await written.deltas("redo", [{ row: 1, time: 1n << 20n, type: DELETE }]);
    const whole = await written.rowSet(schema, singleRows(7, 100));
    await written.flip(damaged.key, 40);
    const tables = isKnown ? [await knownTable(schema)] : [];
    const { rowSets, leftover } = await written.rebuild({ tables }, files);
    expect(rowSets.map(({ id }) => id)).toEqual([whole.key]);
    expect(leftover.find(({ block }) => block.id === damaged.key)?.reason).toMatch(/./);
  });

  it("if a file behind it has the statistics of a delta file, but is none", async () => {
    const written = new WrittenBlocks();
    const whole = await written.rowSet(SINGLE, singleRows(5));
    const sink = memorySink("column");
    const writer = new CFileWriter(sink, { type: "INT32", validx: true });
    await writer.append(batchFromValues({ type: "INT32" }, [1, 2, 3]));
    const counts = { deleteCount: 5, reinsertCount: 0, updateCounts: new Map() };
    writer.addMetadata("deltafilestats", encodeDeltaStats({ ...counts, minTimestamp: 1n, maxTimestamp: 1n }));
    await writer.finish();
    const fake = written.add(sink.bytes());
    const { rowSets, leftover } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    expect(rowSets.map(({ id, blocks }) => ({ id, undo: blocks.undo }))).toEqual([
      { id: whole.key, undo: [] },
    ]);
    expect(leftover).toMatchObject([
      { block: { id: fake, kind: "damaged" }, reason: expect.stringContaining("delta file of INT32 values") },
    ]);
  });

  it("if a delta file that was copied with it is damaged", async () => {
    const written = new WrittenBlocks();
    const change = (time: number): WrittenChange => ({
      row: 0,
      time: BigInt(time),
      type: UPDATE,
      cells: { 1: time },
    });
    let redo = 0n;
    const copied = await written.rowSet(SINGLE, singleRows(5), {
      between: async () => {
        // Of several blocks: the first one shows what it is.
        const last: WrittenChange = { row: 1, time: 10n, type: DELETE };
        redo = await written.deltas("redo", [...numbers(20_000, 10).map(change), last]);
        await written.deltas("undo", [9, 8].map(change));
      },
    });
    const other = await written.rowSet(SINGLE, singleRows(7, 100));
    await written.flip(redo, -2000);
    const { rowSets, tablets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    expect(rowSets.map(({ id }) => id)).toEqual([copied.key, other.key]);
    expect(tablets).toMatchObject([{ id: TABLET }]);
    expect(rowSets[0]?.blocks.redo).toEqual([redo]);
    expect(tablets[0]?.doubts.join()).toContain(`[block ${redo},`);
  });
});
