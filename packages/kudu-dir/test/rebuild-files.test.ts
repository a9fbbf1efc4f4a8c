/** The columns of a row set, and the effects of damage to one of its files. */
import { DELETE, UPDATE } from "@cfile/deltafile";
import { encodeDeltaStats } from "@cfile/deltafile/write";
import { batchFromValues } from "@cfile/encodings/batches";
import { CFileWriter } from "@cfile/format/write";
import { memorySink } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { fiveRows, knownTable, numbers, SINGLE, singleRows, TABLET } from "./single-table.js";
import { column, keyColumn, SERVER_IDENTITY, WrittenBlocks, type WrittenChange } from "./written-blocks.js";
import { batch, commit, INSERT, SCHEMA, segmentBytes, write } from "./written-log.js";

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

  it("if a column after it has the statistics of a delta file", async () => {
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
        // Has several blocks; the first one shows the kind of the file.
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

describe("the key columns of an ad-hoc index", () => {
  it("are not other columns that begin with the same cells", async () => {
    const written = new WrittenBlocks();
    const schema = { columns: [keyColumn(0), keyColumn(1), column(2), column(3)] };
    const files = await written.rowSet(
      schema,
      numbers(5).map((n) => [n, n, 2 * n, 3 * n]),
    );
    const { rowSets } = await written.rebuild({ tables: [await knownTable(schema)] });
    expect(rowSets).toMatchObject([{ id: files.key, doubts: [], blocks: { columns: files.columns } }]);
  });

  it("are missing if one of them is damaged: the index is left over with the reason", async () => {
    const written = new WrittenBlocks();
    const schema = { columns: [keyColumn(0), keyColumn(1), column(2)] };
    const files = await fiveRows(written, schema);
    await written.flip(files.columns.get(0) ?? 0n, 40);
    const { rowSets, leftover } = await written.rebuild({ tables: [await knownTable(schema)] });
    expect(rowSets).toEqual([]);
    expect(leftover[0]).toMatchObject({
      block: { id: files.key },
      reason: expect.stringContaining(`CRC mismatch`),
    });
  });

  it("are missing if the index lacks its first key", async () => {
    const written = new WrittenBlocks();
    const sink = memorySink("index");
    const writer = new CFileWriter(sink, {
      ...{ type: "BINARY", encoding: "PREFIX_ENCODING", posidx: false, validx: true },
    });
    await writer.append(batchFromValues({ type: "BINARY" }, [Uint8Array.of(1), Uint8Array.of(2)]));
    await writer.finish();
    const index = written.add(sink.bytes());
    const { rowSets, leftover } = await written.rebuild();
    expect(rowSets).toEqual([]);
    expect(leftover).toMatchObject([
      { block: { id: index, kind: "ad-hoc index" }, reason: "its key columns are missing" },
    ]);
  });
});

it("a table whose partition has a column that is not in the key may have a row set in each of its tablets", async () => {
  const written = new WrittenBlocks();
  const files = await fiveRows(written);
  const known = await knownTable(SINGLE);
  const [tablet] = known.tablets;
  const partitionSchema = {
    ...{ rangeColumnIds: [], customRanges: [] },
    hash: [{ columnIds: [1], buckets: 2, seed: undefined, algorithm: undefined }],
  };
  const tablets = ["a", "b"].flatMap((id) => (tablet === undefined ? [] : [{ ...tablet, id }]));
  const { rowSets } = await written.rebuild({ tables: [{ ...known, partitionSchema, tablets }] });
  expect(rowSets).toMatchObject([
    { id: files.key, places: [{ tablet: "a" }, { tablet: "b" }], doubts: ["may belong to t a, t b"] },
  ]);
});

it("a row set with a column of arrays is guessed as such", async () => {
  const written = new WrittenBlocks();
  await written.rowSet(
    { columns: [keyColumn(0), column(1, "INT32", { array: true, nullable: true })] },
    numbers(3).map((n) => [n, [n, n]]),
  );
  const { tablets } = await written.rebuild();
  expect(tablets.map(({ table }) => table.schema.columns)).toMatchObject([
    [
      { name: "column_0", type: "INT32", array: false, isKey: true },
      { name: "column_1", type: "INT32", array: true, nullable: true },
    ],
  ]);
});
