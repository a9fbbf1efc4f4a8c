/** The rows that scans and lookups find at block boundaries and where bounds meet. */
import { describe, expect, it } from "vitest";
import { type HFileScanOptions, openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";

const entries = numberedEntries(300);
const reader = await openHFile(await writeFile(entries, { blockSize: 256, indexBlockSize: 128 }));
const rows = entries.map(({ row }) => new TextDecoder().decode(row));

async function rowsOf(options: HFileScanOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of reader.scan(options)) {
    for (let i = 0; i < batch.length; i++) {
      found.push(batch.cell(i).rowText);
    }
  }
  return found;
}

describe("scans", () => {
  it.each<[HFileScanOptions]>([
    [{ prefix: "key-000001" }],
    [{ prefix: "key-000001", from: "key-00000150" }],
    [{ prefix: "key-000001", from: "key-0" }],
    [{ prefix: "key-000001", to: "key-00000120" }],
    [{ prefix: "key-000001", to: "key-1" }],
    [{ prefix: "key-000001", from: "key-00000110", to: "key-00000120" }],
    [{ prefix: Uint8Array.of(255, 255) }],
    [{ prefix: Uint8Array.of(255, 255), to: "key-1" }],
    [{ prefix: "" }],
    [{ from: "key-00000200", to: "key-00000200" }],
    [{ from: "", to: "key-00000003" }],
    [{ from: "x" }],
  ])("%o", async (options) => {
    const text = (bound: Uint8Array | string) => (typeof bound === "string" ? bound : "\u{10ffff}");
    const { from = "", to = "\u{10ffff}", prefix = "" } = options;
    const expected = rows.filter(
      (row) => row >= text(from) && row < text(to) && row.startsWith(text(prefix)),
    );
    expect(await rowsOf(options)).toEqual(expected);
  });
});

describe("lookups", () => {
  it("find no row between two others, in a block or between two", async () => {
    for (const row of rows) {
      expect(await reader.get(`${row}x`)).toBeUndefined();
      expect(await reader.seek(`${row}x`)).toMatchObject({
        result: row === rows.at(-1) ? "after last" : "between",
      });
    }
    expect(await reader.getMany(rows.map((row) => `${row}x`))).toEqual(rows.map(() => undefined));
  });

  it("know that a row is before the first one, although the index has an earlier row", async () => {
    const file = await writeFile(numberedEntries(20), { checksums: "NULL" });
    const { dataIndex, trailer } = (await openHFile(file)).structure;
    const forged = file.slice();
    // The last byte of the row in the only entry, before family, timestamp and type.
    const at = trailer.loadOnOpenOffset + 33 + (dataIndex.keyEnds[0] as number) - 11;
    expect(forged[at]).toBe(0x30);
    forged[at] = 0x20;
    expect(await (await openHFile(forged)).seek("key-0000000 x")).toMatchObject({
      result: "before first",
      hudiCode: -1,
    });
  });

  it("say that an empty file is empty", async () => {
    const empty = await openHFile(goldenFile("hudi_1_2_native_512B_NONE_empty").bytes);
    expect(await empty.seek("a")).toMatchObject({ result: "empty", hudiCode: 2 });
  });
});
