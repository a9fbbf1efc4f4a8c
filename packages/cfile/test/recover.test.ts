import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { createCFile, memorySink, openCFile, type WriterOptions } from "../src/index.js";
import { recoverCFile } from "../src/recover.js";

const golden = async (name: string): Promise<Uint8Array> => readGolden(`${name}.cfile`);

const folder = temporaryFolder();

async function written(options: WriterOptions, rows: readonly (number | null)[]): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = await createCFile(sink, options);
  await writer.append(rows);
  await writer.finish();
  return sink.bytes();
}

/** Ten blocks of ascending numbers, with one bit of the fourth flipped. */
async function damagedNumbers(options: Partial<WriterOptions> = {}): Promise<Uint8Array> {
  const rows = Array.from({ length: 1280 }, (_, i) => i);
  const bytes = await written({ type: "INT32", encoding: "BIT_SHUFFLE", blockSize: 512, ...options }, rows);
  const file = await openCFile(bytes);
  const [, , , fourth] = await file.listDataBlocks();
  const at = (fourth?.offset ?? 0) + 30;
  bytes[at] = (bytes[at] as number) ^ 4;
  return bytes;
}

const without = [...Array(384).keys(), ...Array.from({ length: 768 }, (_, i) => 512 + i)];

describe("recoverCFile", () => {
  test("drops lost rows and keeps the value index", async () => {
    const sink = memorySink();
    const { ledger, rows, validx } = await recoverCFile(await damagedNumbers({ validx: true }), sink);
    expect({ rows, validx, kept: ledger.rowsKept, lost: ledger.rowsLost, total: ledger.rowsTotal }).toEqual({
      rows: 1152,
      validx: true,
      kept: 1152,
      lost: 128,
      total: 1280,
    });
    expect(ledger.blocks.filter(({ state }) => state === "lost")).toMatchObject([
      { firstRow: 384, rows: 128, problem: { code: "E_CHECKSUM" }, verified: false },
    ]);
    const file = await openCFile(sink.bytes());
    expect(await file.toArray()).toEqual(without);
    expect(await file.find(512)).toMatchObject({ row: 384, exact: true });
    expect((await file.verify()).ok).toBe(true);
  });

  test("keeps row numbers by replacing lost rows with nulls", async () => {
    const sink = memorySink();
    const { rows, nullsForLost } = await recoverCFile(await damagedNumbers({ validx: true }), sink, {
      lost: "null",
    });
    expect([rows, nullsForLost]).toEqual([1280, 128]);
    const file = await openCFile(sink.bytes());
    const cells = await file.toArray();
    expect(file.nullable).toBe(true);
    expect(cells.slice(384, 512)).toEqual(Array(128).fill(null));
    expect(cells.filter((cell) => cell !== null)).toEqual(without);
    expect((await file.verify()).ok).toBe(true);
  });

  test("copies a valid file without losses", async () => {
    for (const name of [
      "idx_posidx_only_int32",
      "enc_string_dict_n1000",
      "array_example_a_bshuf",
      "v1_int32_plain",
    ]) {
      const bytes = await golden(name).catch(() => undefined);
      if (bytes !== undefined) {
        const sink = memorySink();
        const { ledger } = await recoverCFile(bytes, sink, { lost: "null" });
        expect(ledger).toMatchObject({ complete: true, rowsLost: 0, shift: 0 });
        const [from, to] = [await openCFile(bytes), await openCFile(sink.bytes())];
        expect(await to.toArray()).toEqual(await from.toArray());
        expect(to.nullable).toBe(from.nullable);
      }
    }
  });

  test("replaces lost arrays with nulls", async () => {
    const sink = memorySink();
    const writer = await createCFile(sink, { type: "INT64", array: true, blockSize: 512 });
    const rows = Array.from({ length: 300 }, (_, i) => [BigInt(i), BigInt(i * i)]);
    await writer.append(rows);
    await writer.finish();
    const bytes = sink.bytes();
    const [, second, third] = await (await openCFile(bytes)).listDataBlocks();
    bytes.fill(0, second?.offset, third?.offset);
    const target = memorySink();
    const { ledger } = await recoverCFile(bytes, target, { lost: "null" });
    const lost = ledger.blocks.find(({ state }) => state === "lost");
    const from = lost?.firstRow ?? 0;
    const to = from + (lost?.rows ?? 0);
    expect(to).toBeGreaterThan(from);
    const expected = rows.map((cell, i) => (i >= from && i < to ? null : cell));
    expect(await (await openCFile(target.bytes())).toArray()).toEqual(expected);
  });

  test("keeps an existing file if nothing can be recovered", async () => {
    const target = join(folder, "target.cfile");
    await writeFile(target, "before");
    const noise = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) >> 3);
    await expect(recoverCFile(noise, target)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "type",
    });
    await expect(recoverCFile(noise, target, { type: "INT32" })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
    await expect(
      recoverCFile(noise, target, {
        type: "INT32",
        encoding: "PLAIN_ENCODING",
        compression: "NO_COMPRESSION",
        nullable: false,
        array: false,
      }),
    ).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(await readFile(target, "utf8")).toBe("before");
    expect(await readdir(folder)).toEqual(["target.cfile"]);
  });

  test("rejects invalid options", async () => {
    const sound = await golden("enc_int32_plain_n9");
    await expect(recoverCFile(sound, memorySink(), { lost: "zero" as "drop" })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "lost",
    });
    const bytes = await damagedNumbers();
    await expect(
      recoverCFile(bytes, memorySink(), { lost: "null", limits: { maxBlockRows: 127 } }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/E_INVALID_ARGUMENT|E_CORRUPT/) });
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(recoverCFile(bytes, memorySink(), { signal: aborted })).rejects.toThrow("enough");
  });
});
