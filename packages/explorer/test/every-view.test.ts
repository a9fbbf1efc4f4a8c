/** Every view must be accessible in light and dark, reachable by keyboard, and not wider than a phone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { accessibilityProblems, COLOR_RULES, keyboardProblems } from "@cfile-tools/browser";
import { temporaryFolder, unpackTar } from "@cfile-tools/testkit";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium, Explorer, GOLDEN, golden } from "./explorer-page.js";

const STRINGS = "idx_string_prefix_opt.cfile";
const PHONE = { width: 375, height: 700 };
const DESKTOP = { width: 1280, height: 860 };
const FILES = {
  [STRINGS]: golden(STRINGS),
  "damaged.cfile": changed(golden(STRINGS), 2000),
  "cut.cfile": golden(STRINGS).slice(0, 20_000),
  "changes.delta": golden("deltafile/delta_redo_small.cfile"),
  "keys.bloom": golden("bloomfile/bloom_small.cfile"),
  "cells.hfile": golden("hfile/hbase_2_6_1_4KB_NONE_tags.hfile"),
  "all.parquet": golden("parquet/alltypes_plain.parquet"),
  "cut.parquet": golden("parquet/datapage_v1-snappy-compressed-checksum.parquet").slice(0, 2000),
};

interface View {
  readonly name: string;
  /** The fragment of the address. */
  readonly link?: string;
  /** A folder to open, and how to reach the view. */
  readonly folder?: string;
  readonly reach?: (page: Page) => Promise<void>;
  /** An element of the complete view. */
  readonly ready: string;
}

const click = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
const chooseTab = (page: Page, name: string) =>
  page.getByRole("tablist", { name: "Views" }).getByRole("tab", { name, exact: true }).click();

const FILE_VIEWS: readonly View[] = [
  { name: "map", link: `#url=${STRINGS}&block=16`, ready: ".hex .note" },
  { name: "data", link: `#url=${STRINGS}&tab=data&row=300`, ready: ".grid-row.active" },
  { name: "profile", link: `#url=${STRINGS}&tab=profile`, ready: ".chart canvas" },
  { name: "compare", link: `#url=${STRINGS}&tab=compare`, ready: ".compare .chart canvas" },
  { name: "damaged", link: "#url=damaged.cfile", ready: ".recovery" },
  { name: "without-footer", link: "#url=cut.cfile", ready: ".strip-canvas" },
  { name: "delta", link: "#url=changes.delta&tab=data", ready: ".grid-row" },
  { name: "bloom", link: "#url=keys.bloom&tab=data", ready: ".grid-row" },
  { name: "hfile-map", link: "#url=cells.hfile&block=0", ready: ".hex .note" },
  { name: "hfile-data", link: "#url=cells.hfile&tab=data", ready: ".grid-row" },
  { name: "parquet-map", link: "#url=all.parquet&block=4", ready: ".hex .note" },
  { name: "parquet-data", link: "#url=all.parquet&tab=data", ready: ".grid-row" },
  { name: "parquet-profile", link: "#url=all.parquet&tab=profile", ready: ".chart canvas, .profile table" },
  { name: "parquet-without-footer", link: "#url=cut.parquet", ready: ".strip-canvas" },
  { name: "missing-file", link: "#url=none.cfile", ready: ".notice.error" },
  { name: "welcome", link: "", ready: ".recent li" },
];

const FOLDER_VIEWS: readonly View[] = [
  {
    name: "kudu-server",
    folder: join(GOLDEN, "servers/file/ts"),
    reach: (page) => click(page, "Expand altered"),
    ready: ".nodes .nodes .nodes .node",
  },
  {
    name: "tablet",
    folder: join(GOLDEN, "servers/file/ts"),
    reach: async (page) => {
      await click(page, "Expand altered");
      await click(page, /^Tablet /);
    },
    ready: ".grid-row",
  },
  {
    name: "replicas",
    folder: join(GOLDEN, "kudu-cluster/four"),
    reach: async (page) => {
      await click(page, "Expand sales");
      await click(page, /^Tablet f727ed91/);
      await click(page, "Compare the rows");
    },
    ready: ":text('The rows of all replicas are equal.')",
  },
  {
    name: "regions",
    folder: join(GOLDEN, "hbase-root/root"),
    reach: (page) => click(page, /^clone0/),
    ready: "table caption",
  },
  {
    name: "timeline",
    folder: hudiTable(),
    reach: (page) => chooseTab(page, "Timeline"),
    ready: ".timeline .span",
  },
];

describe.skipIf(chromium.path === undefined)("every view in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    const files = Object.entries(FILES).map(([name, body]) => [name, { body }] as const);
    explorer = await Explorer.start(Object.fromEntries(files));
    explorer.page.setDefaultTimeout(15_000);
  });
  afterAll(async () => {
    await explorer?.close();
  });

  describe.each([...FILE_VIEWS, ...FOLDER_VIEWS])("$name", ({ name, link = "", folder, reach, ready }) => {
    beforeAll(async () => {
      const { page, web } = explorer;
      await page.setViewportSize(DESKTOP);
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto("about:blank");
      await page.goto(web.url + link);
      if (folder !== undefined) {
        await page.locator('input[aria-label="Folder"]').setInputFiles(folder);
      }
      await reach?.(page);
      await page.locator(ready).first().waitFor();
    });

    test("is accessible in light and dark", async () => {
      const { page } = explorer;
      expect(await accessibilityProblems(page)).toEqual([]);
      await explorer.shot(`${name}-light`);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator('html[data-theme="dark"]').waitFor();
      await page.evaluate(colorsAtRest);
      expect(await accessibilityProblems(page, COLOR_RULES)).toEqual([]);
      await explorer.shot(`${name}-dark`);
    });

    test("is reached by the keyboard, which shows where it is", async () => {
      expect(await keyboardProblems(explorer.page)).toEqual([]);
    });

    test("fits a phone", async () => {
      const { page } = explorer;
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize(PHONE);
      await page.evaluate(colorsAtRest);
      await explorer.shot(`${name}-phone`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        PHONE.width,
      );
    });
  });

  test("each color of the legend is visible", async () => {
    await explorer.page.setViewportSize(DESKTOP);
    await explorer.open(STRINGS);
    const swatches = explorer.page.locator(".legend .swatch");
    await swatches.last().waitFor();
    const colors = await swatches.evaluateAll((found) =>
      found.map((swatch) => `${swatch.className} ${getComputedStyle(swatch).backgroundColor}`),
    );
    expect(colors.length).toBeGreaterThan(6);
    expect(colors.filter((color) => color.includes("rgba(0, 0, 0, 0)"))).toEqual([]);
  });

  test("the page reported no error", () => {
    const isMissing = (text: string) => text.includes("404");
    expect(explorer.complaints.filter((text) => !isMissing(text))).toEqual([]);
  });
});

/** Waits until the colors have faded from one theme to the other; fades start within a frame. */
async function colorsAtRest(): Promise<void> {
  for (let frame = 0; frame < 2; frame++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  const fades = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(fades.map(({ finished }) => finished));
}

function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

function hudiTable(): string {
  const folder = join(temporaryFolder(), "mor_v9");
  for (const [path, bytes] of unpackTar(gunzipSync(golden("hudi-table/mor_v9.tar.gz"))).files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}
