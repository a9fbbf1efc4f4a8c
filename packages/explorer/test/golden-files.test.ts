/** Compares the page with the JSON of golden files of every kind. */
import { Buffer } from "node:buffer";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { temporaryFolder, unpackTar } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium, Explorer, GOLDEN, golden } from "./explorer-page.js";

interface GoldenJson {
  readonly type: string;
  readonly rows: number;
  readonly values: readonly unknown[];
}

function json(name: string): GoldenJson {
  return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), "utf8"));
}

/** A value of the JSON as the page shows it. */
function shown(value: unknown, type: string): string {
  if (value === null) {
    return "null";
  }
  if (typeof value === "string" && (type === "STRING" || type === "VARCHAR")) {
    return new TextDecoder().decode(Buffer.from(value, "hex"));
  }
  if (type === "DATE") {
    return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
  }
  if (typeof value === "object" && value !== null && "bits" in value) {
    const bits = Buffer.from(String(value.bits), "hex");
    return String(bits.length === 4 ? bits.readFloatBE() : bits.readDoubleBE());
  }
  return String(value);
}

const COLUMNS = [
  "enc_int32_plain_n1000",
  "enc_int64_bshuf_null_n1000",
  "enc_uint16_rle_n1000",
  "enc_int128_bshuf_n1000",
  "enc_bool_rle_null_n1000",
  "enc_string_dict_null_n1000",
  "enc_varchar_prefix_n1000",
  "enc_binary_plain_n1000",
  "enc_decimal64_bshuf_n1000",
  "comp_zlib_string_plain_null",
  "comp_lz4_int64_bshuf",
  "v1_string_dict",
  "idx_none_int32",
] as const;

describe.skipIf(chromium.path === undefined)("golden files in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    const named = (names: readonly string[]) => names.map((name) => [name, { body: golden(name) }] as const);
    explorer = await Explorer.start(
      Object.fromEntries([
        ...named(COLUMNS.map((name) => `${name}.cfile`)),
        ...named(["bloomfile/bloom_small.cfile", "deltafile/delta_redo_small.cfile"]),
        ...named(["hfile/hudi_1_2_native_1KB_NONE_400.hfile", "parquet/alltypes_plain.parquet"]),
      ]),
    );
  });
  afterAll(async () => {
    await explorer?.close();
  });

  test.each(COLUMNS)("shows the values of %s", async (name) => {
    const { type, values, rows } = json(name);
    await explorer.open(`${name}.cfile`, "&tab=data");
    const cells = await explorer.cells(Math.min(rows, 20));
    expect(cells.length).toBeGreaterThan(0);
    if (values !== undefined) {
      expect(cells.slice(0, 20).map(([cell]) => cell)).toEqual(
        values.slice(0, Math.min(20, cells.length)).map((value) => shown(value, type)),
      );
    }
    const facts = await explorer.page.locator(".doc-head").textContent();
    expect(facts).toContain(`Rows${rows.toLocaleString("en-US")}`);
  });

  test("shows the filters of a Bloom file and looks up keys", async () => {
    await explorer.open("bloomfile/bloom_small.cfile", "&tab=data");
    const cells = await explorer.cells(12);
    const { layout, n_hashes: hashes } = json("bloomfile/bloom_small") as unknown as {
      layout: { validx: { entries: { key: string }[] } };
      n_hashes: number;
    };
    expect(cells.map((row) => row.at(-1))).toEqual(
      layout.validx.entries.map(({ key }) => Buffer.from(key, "hex").toString()),
    );
    expect(cells[0]?.[1]).toBe(String(hashes));
    const probe = async (key: string): Promise<void> => {
      await explorer.page.fill('input[name="value"]', key);
      await explorer.page.getByRole("button", { name: "Search" }).click();
    };
    await probe("bloomkey0000002");
    await explorer.page.getByText("Possibly in the row set").waitFor();
    await probe("no such key at all");
    await explorer.page.getByText("Not in the row set").waitFor();
  });

  test("shows the entries of a delta file", async () => {
    await explorer.open("deltafile/delta_redo_small.cfile", "&tab=data");
    const { deltas } = json("deltafile/delta_redo_small") as unknown as {
      deltas: { row_idx: number; timestamp: string; type: string }[];
    };
    const cells = await explorer.cells(20);
    expect(cells.slice(0, 20).map((row) => row.slice(0, 3))).toEqual(
      deltas.slice(0, 20).map(({ row_idx: row, timestamp, type }) => [String(row), timestamp, type]),
    );
  });

  test("shows the cells of an HFile and finds a row", async () => {
    const name = "hfile/hudi_1_2_native_1KB_NONE_400";
    await explorer.open(`${name}.hfile`, "&tab=data");
    const { entries } = json(name) as unknown as { entries: [string, string][] };
    const cells = await explorer.cells(20);
    expect(cells.slice(0, 20).map((row) => row[0])).toEqual(
      entries.slice(0, 20).map(([key]) => Buffer.from(key, "hex").toString()),
    );
    await explorer.page.fill('input[name="value"]', Buffer.from(entries[7]?.[0] ?? "", "hex").toString());
    await explorer.page.getByRole("button", { name: "Search" }).click();
    await explorer.page.getByText("Found: 1 cell").waitFor();
  });

  test("shows the columns of a Parquet file and checks its chunks", async () => {
    await explorer.open("parquet/alltypes_plain.parquet", "&tab=data");
    const cells = await explorer.cells(8);
    expect(cells.map(([id, bool]) => [id, bool])).toEqual(
      [4, 5, 6, 7, 2, 3, 0, 1].map((id) => [String(id), String(id % 2 === 0)]),
    );
    await explorer.tab("Map");
    await explorer.page.getByText("No damage found").waitFor();
  });

  test("shows tables, tablets, row sets and blocks of a Kudu server, with the rows that Kudu's client reads", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(join(GOLDEN, "servers/log"));
    await page.getByRole("button", { name: "Expand altered" }).click();
    const { snapshots } = JSON.parse(readFileSync(join(GOLDEN, "servers/log/rows/altered.json"), "utf8")) as {
      snapshots: { tablets: Record<string, (number | null)[][]> }[];
    };
    const [id = "", rows = []] =
      Object.entries(snapshots.at(-1)?.tablets ?? {}).find(([, found]) => found.length >= 20) ?? [];
    expect(rows.length).toBeGreaterThanOrEqual(20);
    await page.getByRole("button", { name: new RegExp(`^Tablet ${id.slice(0, 8)}`) }).click();
    const cells = await explorer.cells(20);
    expect(cells.slice(0, 20).map((row) => row.slice(0, 2))).toEqual(
      rows.slice(0, 20).map((row) => row.slice(0, 2).map(String)),
    );
    await explorer.shot("kudu");
    await page
      .getByRole("button", { name: /^Expand Row set/ })
      .first()
      .click();
    await page
      .getByRole("button", { name: /block \d+/ })
      .first()
      .click();
    await page.getByText("No damage found").waitFor();
  });

  test("shows servers, tables and tablets of a cluster, its replicas side by side, and compares their rows", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(join(GOLDEN, "kudu-cluster/four"));
    await page.getByRole("button", { name: "Expand Servers" }).click();
    await page.getByRole("button", { name: /^Master dfbce37f/ }).waitFor();
    expect(await page.getByRole("button", { name: /^Server [0-9a-f]{8}/ }).count()).toBe(4);
    await page.getByRole("button", { name: "Expand sales" }).click();
    await page.getByRole("button", { name: /^Tablet f727ed91 *3 replicas/ }).click();
    // One tablet also has a tombstone.
    expect(await page.getByRole("button", { name: /^Tablet [0-9a-f]{8} *[34] replicas/ }).count()).toBe(6);
    const table = page.getByRole("table", { name: "What each replica has" });
    await table.waitFor();
    const behind = table.getByRole("row", { name: /^Operations behind/ });
    expect((await behind.getByRole("cell").allTextContents()).sort()).toEqual(["0", "1", "8"]);
    expect(await behind.getByRole("rowheader").textContent()).toContain("≠");
    expect(
      await table
        .getByRole("row", { name: /^State/ })
        .getByRole("rowheader")
        .textContent(),
    ).toBe("State");
    await page.getByRole("button", { name: "Compare the rows" }).click();
    await page.getByText("The rows of all replicas are equal.").waitFor();
    await explorer.shot("cluster");
    await explorer.tab("Data");
    expect((await explorer.cells(10)).length).toBeGreaterThanOrEqual(10);
    expect(await page.getByRole("button", { name: /^Replica [0-9a-f]{8}/ }).count()).toBe(3);
  });

  test("shows tables and snapshots of an HBase root, regions over the key space, store files and cells", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(join(GOLDEN, "hbase-root/root"));
    await page.getByRole("button", { name: "Expand Snapshots" }).click();
    await page.getByRole("button", { name: /^s-t1x0-0 *snapshot/ }).click();
    const regions = page.getByRole("table", { name: "3 regions" });
    await regions.waitFor();
    expect(await regions.getByRole("rowheader").allTextContents()).toEqual(["the start", "r0020", "r0040"]);
    await page.getByRole("img", { name: "3 regions over the key space" }).waitFor();
    await explorer.shot("hbase");
    await explorer.tab("Data");
    const cells = (await explorer.cells(10)).slice(0, 10);
    const { cells: facts, scans } = JSON.parse(
      readFileSync(join(GOLDEN, "hbase-root/facts/snapshot.s-t1x0-0.json"), "utf8"),
    );
    const [first = 0, count = 0] = scans[0].cells[0];
    const text = (hex: string) => Buffer.from(hex, "hex").toString();
    expect(cells.slice(0, count).map((row) => row.slice(0, 3))).toEqual(
      facts
        .slice(first, first + Math.min(10, count))
        .map(([row, family, qualifier, timestamp]: [string, string, string, number]) => [
          text(row),
          `${family}:${text(qualifier)}`,
          String(timestamp),
        ]),
    );
    await page.getByRole("button", { name: /^Expand Region from r0020/ }).click();
    await page
      .getByRole("button", { name: /^a\/[0-9a-f]+.*KiB/ })
      .first()
      .click();
    await page.getByText("No damage found").waitFor();
  });

  test("shows the timeline, slices, log blocks and metadata table of a Hudi table, with keys in words", async () => {
    const { page } = explorer;
    const folder = join(temporaryFolder(), "mor_v9");
    const { files } = unpackTar(gunzipSync(golden("hudi-table/mor_v9.tar.gz")));
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    const rows: { readonly latest: readonly (readonly unknown[])[] } = JSON.parse(
      new TextDecoder().decode(golden("hudi-table/mor_v9.rows.json")),
    );
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(folder);
    const timeline = page.getByRole("table", { name: /^Instants/ });
    await timeline.waitFor();
    const pending = timeline.getByRole("row", { name: /compaction requested/ });
    expect(await pending.getByRole("rowheader").textContent()).toBe("2026-11-22 07:25:11.580");
    expect(await timeline.locator(".span.archived").count()).toBeGreaterThan(5);
    await explorer.shot("hudi-timeline");
    await explorer.tab("Data");
    const [first = []] = await explorer.cells(10);
    expect(rows.latest.map((row) => row[2])).toContain(first[2]);
    await page.getByRole("button", { name: "Expand 2025/12/31" }).click();
    const node = (name: RegExp) => page.locator(".node-name", { hasText: name }).first();
    await page
      .getByRole("button", { name: /^Expand Slice/ })
      .first()
      .click();
    await node(/\.parquet/).waitFor();
    await node(/\.log\.1_/).click();
    await page.getByRole("heading", { name: /\.log\.1_/ }).waitFor();
    expect((await explorer.cells(1))[0]?.[1]).toMatch(/avro|delete/);
    await page.getByRole("button", { name: "Expand Metadata table" }).click();
    await node(/^\W*column_stats/).click();
    await page.getByRole("heading", { name: "Metadata table · column_stats" }).waitFor();
    const words = (await explorer.cells(10)).map(([key]) => key);
    expect(words.every((key) => /^\w+ in 20\d\d\/\d\d\/\d\d\//.test(key ?? ""))).toBe(true);
    await node(/\.hfile/).click();
    await page.getByRole("heading", { name: /\.hfile/ }).waitFor();
    await explorer.tab("Data");
    expect((await explorer.cells(5))[0]?.[0]).toMatch(/ in 20\d\d/);
    await explorer.shot("hudi-metadata");
  });

  test("the page reported no error", () => {
    expect(explorer.complaints).toEqual([]);
  });
});
