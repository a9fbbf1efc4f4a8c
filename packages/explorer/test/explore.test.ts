/** What users do with a file: map and bytes, rows and search, profile, comparison, export, damage. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { csvField } from "@cfile/cell-text";
import { scanDamagedCFile } from "@cfile/format/recover";
import { MemoryDirectory, memorySource } from "@cfile/io";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { readGoldenJson } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium, Explorer, golden } from "./explorer-page.js";

const PREFIX = "large_string_prefix_validx.cfile";
const INTS = "large_int32_plain_validx.cfile";
const RLE = "large_int64_rle.cfile";

function damaged(name: string, at: readonly number[]): Uint8Array {
  const bytes = Uint8Array.from(golden(name));
  for (const offset of at) {
    bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  }
  return bytes;
}

describe.skipIf(chromium.path === undefined)("exploring in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    explorer = await Explorer.start({
      [PREFIX]: { body: golden(PREFIX) },
      [INTS]: { body: golden(INTS) },
      [RLE]: { body: golden(RLE) },
      "small.cfile": { body: golden("enc_string_dict_null_n1000.cfile") },
      "damaged.cfile": { body: damaged(INTS, [300_000]) },
      "cut.cfile": { body: golden(PREFIX).slice(0, 400_000) },
      "cut.parquet": {
        body: golden("parquet/datapage_v1-snappy-compressed-checksum.parquet").slice(0, 2000),
      },
    });
  });
  afterAll(async () => {
    await explorer?.close();
  });

  test("checks the map; a block selected by keyboard shows the name of every byte and the values", async () => {
    const { page } = explorer;
    await explorer.open("small.cfile");
    await page.getByText("No damage found; all checksums match").waitFor();
    await page.locator(".strip-canvas").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.locator(".part h2", { hasText: "Data block 0" }).waitFor();
    const notes = await page.locator(".note").allInnerTexts();
    expect(notes.join("\n")).toContain("row count, nulls included");
    expect(notes.join("\n")).toContain("null bitmap");
    // Every visible byte belongs to a named range.
    expect(await page.locator(".hex-bytes .role-none").count()).toBe(0);
    const ranges = page.getByRole("listbox", { name: /^Ranges of/ });
    await ranges.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.locator(".note.chosen").waitFor();
    expect(await ranges.getByRole("option", { selected: true }).textContent()).toBe(
      await ranges.getByRole("option").nth(1).textContent(),
    );
    await page.getByRole("button", { name: "Values", exact: true }).click();
    const { values } = readGoldenJson("enc_string_dict_null_n1000.json") as { values: (string | null)[] };
    const first = values.find((value) => value !== null) ?? "";
    await page.getByText(Buffer.from(first, "hex").toString()).first().waitFor();
    await explorer.shot("block");
    expect(page.url()).toMatch(/block=\d+/);
  });

  test("index trees show their keys and lead to blocks", async () => {
    const { page } = explorer;
    await explorer.open(INTS);
    const tree = page.getByRole("region", { name: "Value index" });
    await tree.locator(".key").nth(2).click();
    await page.locator(".part h2", { hasText: /Data block|Value index/ }).waitFor();
    await page.getByText("No damage found").waitFor();
    expect(await page.locator(".part h2").textContent()).toMatch(/Data block|Value index/);
    await explorer.shot("map");
  });

  test("goes to a row; finds a value through the index and reports the blocks read", async () => {
    const { page } = explorer;
    const file = await openCFile(golden(PREFIX));
    await explorer.open(PREFIX, "&tab=data&row=77777");
    expect((await explorer.cells(10)).flat()).toContain(String(await file.get(77_777)));
    await page.fill('input[name="row"]', "99,999");
    await page.getByRole("button", { name: "Go" }).click();
    await page.getByText(String(await file.get(99_999))).waitFor();
    const value = String(await file.get(60_123));
    await page.fill('input[name="value"]', value);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Row 60123: found").waitFor();
    await page.getByText(value).first().waitFor();
    expect(await page.locator(".data .message").textContent()).toMatch(/[123] of \d+ blocks read/);
    await explorer.shot("data");
    await page.locator(".grid").focus();
    await page.keyboard.press("ArrowDown");
    expect(page.url()).toContain("row=60124");
    await explorer.tab("Map");
    await page.locator(".key.touched").first().waitFor();
  });

  test("fetches only ranges of a URL", async () => {
    explorer.web.served.length = 0;
    await explorer.open(INTS, "&tab=data&row=100000");
    await explorer.cells(10);
    const asked = explorer.web.served.filter(({ path }) => path === INTS);
    expect(asked.every(({ status }) => status === 206)).toBe(true);
    expect(asked.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(golden(INTS).length * 0.75);
  });

  test("the profile of a column matches its values", async () => {
    const { page } = explorer;
    const file = await openCFile(golden(RLE));
    let minimum: bigint | undefined;
    const distinct = new Set<bigint>();
    for (const value of (await file.toArray()) as bigint[]) {
      minimum = minimum === undefined || value < minimum ? value : minimum;
      distinct.add(value);
    }
    await explorer.open(RLE, "&tab=profile");
    await page.locator(".chart canvas").waitFor();
    const facts = await page.locator(".profile-body .facts").textContent();
    expect(facts).toContain(`Minimum${minimum}`);
    const shown = Number(/Distinct(?:about )?([\d,]+)/.exec(facts ?? "")?.[1]?.replaceAll(",", ""));
    expect(Math.abs(shown / distinct.size - 1)).toBeLessThan(0.06);
    await explorer.shot("profile");
  });

  test("compares encodings and codecs, and exports the column in another one", async () => {
    const { page } = explorer;
    await explorer.open("small.cfile", "&tab=compare");
    await page.locator(".compare .chart canvas").waitFor();
    expect(await page.locator(".compare table.top tbody tr").count()).toBe(12);
    await explorer.shot("compare");
    await page.getByRole("button", { name: "choose PREFIX_ENCODING, ZLIB" }).click();
    const before = await (await openCFile(golden("enc_string_dict_null_n1000.cfile"))).toArray();
    const save = async (name: string): Promise<Uint8Array> => {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name, exact: true }).click();
      const download = await waiting;
      const path = join(tmpdir(), `explorer-${process.pid}-${download.suggestedFilename()}`);
      await download.saveAs(path);
      return readFileSync(path);
    };
    const cfile = await openCFile(await save("CFile (PREFIX_ENCODING, ZLIB)"));
    expect([cfile.encoding, cfile.compression]).toEqual(["PREFIX_ENCODING", "ZLIB"]);
    expect(await cfile.toArray()).toEqual(before);
    const lines = new TextDecoder()
      .decode(await save("NDJSON"))
      .trim()
      .split("\n");
    expect(lines.map((line) => Object.values(JSON.parse(line))[0])).toEqual(before);
    const fields = before.map((value) => csvField(value === null ? undefined : String(value)));
    expect(new TextDecoder().decode(await save("CSV"))).toBe(`small\n${fields.join("\n")}\n`);
    expect(new TextDecoder().decode((await save("Parquet")).subarray(0, 4))).toBe("PAR1");
    expect((await save("Arrow")).length).toBeGreaterThan(1000);
  });

  test("shows the position of damage on the map, the lost rows, and the rows that can be recovered", async () => {
    const { page } = explorer;
    await explorer.open("damaged.cfile");
    const { ledger } = await scanDamagedCFile(memorySource(damaged(INTS, [300_000])));
    await page.getByText(`${ledger.rowsKept.toLocaleString("en-US")} rows can be recovered`).waitFor();
    const lost = ledger.blocks.find(({ state }) => state === "lost");
    await page
      .getByText(`rows ${lost?.firstRow?.toLocaleString("en-US")} to`)
      .first()
      .waitFor();
    await explorer.shot("damaged");
    await explorer.tab("Data");
    await page.fill('input[name="row"]', String(lost?.firstRow));
    await page.getByRole("button", { name: "Go" }).click();
    const lostCell = page.getByText("lost: E_CHECKSUM").first();
    await lostCell.waitFor();
    expect(await lostCell.isVisible()).toBe(true);
  });

  test("opens a file without its end after the user has chosen a type", async () => {
    const { page } = explorer;
    await explorer.open("cut.cfile");
    await page.getByText("The footer, which states the type, is lost").waitFor();
    await page.locator(".question select").selectOption("STRING");
    await page.getByRole("button", { name: "Search for blocks" }).click();
    await page.getByText(/[\d,]+ rows can be recovered/).waitFor();
    await explorer.shot("cut");
    await explorer.tab("Data");
    const file = await openCFile(golden(PREFIX));
    const cells = await explorer.cells(10);
    expect(cells.slice(0, 10).map(([cell]) => cell)).toEqual(
      (await file.getMany([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).map(String),
    );
  });

  test("opens a Parquet file without its footer as a map of its pages", async () => {
    const { page } = explorer;
    await explorer.open("cut.parquet");
    await page.getByText('it does not end with "PAR1"').first().waitFor();
    await page.locator(".strip-canvas").focus();
    const shown: string[] = [];
    for (const key of ["Home", "ArrowRight", "ArrowRight", "End"]) {
      await page.keyboard.press(key);
      await page.locator(".part h2").waitFor();
      shown.push((await page.locator(".part h2").textContent()) ?? "");
    }
    expect(shown.join("; ")).toMatch(
      /^Magic.*; Data page, PLAIN, 2560 values.*; Data page, PLAIN, 2560 values.*; Page that the file ends in/,
    );
    await page.keyboard.press("ArrowLeft");
    await page.locator(".part h2", { hasText: "Data page" }).waitFor();
    const notes = (await page.locator(".note").allInnerTexts()).join("\n");
    expect(notes).toContain("page header");
    expect(notes).toContain("stored bytes of the page");
    await explorer.shot("cut-parquet");
  });

  test("opens a table store by its directory handle, with current rows and files", async () => {
    const { page } = explorer;
    const directory = new MemoryDirectory();
    const creation = await createTableStore(
      directory,
      {
        columns: [
          { id: 1, name: "city", type: "STRING", nullable: false, array: false, isKey: true },
          { id: 2, name: "people", type: "INT64", nullable: true, array: false, isKey: false },
        ],
      },
      { timestamp: 1000n },
    );
    await creation.appendRows([
      { city: "Zug", people: 30934n },
      { city: "Bern", people: 134794n },
      { city: "Biel" },
    ]);
    await creation.finish();
    const rowSet = await openTableStore(directory);
    await rowSet.update([{ city: "Biel", people: 55206n }], 2000n);
    await rowSet.delete([["Zug"]], 3000n);
    const files = await Promise.all(
      (await directory.list()).map(async (name) => {
        const source = await directory.openSource(name);
        return [name, [...(await source.read(0, await source.size()))]] as const;
      }),
    );
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.evaluate(async (given) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("cities", {
        create: true,
      });
      for (const [name, bytes] of given) {
        const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
        await writable.write(Uint8Array.from(bytes));
        await writable.close();
      }
      Object.assign(globalThis, { showDirectoryPicker: async () => folder });
    }, files);
    await page.getByRole("button", { name: "Open folder" }).click();
    expect(await explorer.cells(2)).toEqual([
      ["Bern", "134794"],
      ["Biel", "55206"],
    ]);
    expect(await page.locator(".nodes .nodes .node").count()).toBe(files.length - 1);
    await explorer.tab("Profile");
    await page.locator(".chart canvas").waitFor();
  });

  test("reports a file of unknown format", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(`${explorer.web.url}#url=icon.svg`);
    const message = page.getByText("E_UNSUPPORTED: unknown format");
    await message.waitFor();
    expect(await message.count()).toBe(1);
  });

  test("the page reported no error", () => {
    expect(explorer.complaints).toEqual([]);
  });
});
