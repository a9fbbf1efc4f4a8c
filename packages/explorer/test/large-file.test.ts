/** A hundred million rows, by URL and from disk: scrolling without long tasks, in little memory. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FixedBatch } from "@cfile/encodings";
import { temporaryFolder, timesUntilBelow } from "@cfile-tools/testkit";
import { createCFile, memorySink } from "cfile";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { chromium, Explorer } from "./explorer-page.js";

// Writing a hundred million rows takes minutes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const ROWS = 100_000_000;
const BATCH = 1_000_000;
const NAME = "hundred-million.cfile";
const MAX_MEMORY = 300 * 1024 * 1024;
const MAX_TASK_MILLISECONDS = 100;

/** Row `i` has the value `i`. */
async function writeRows(): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = await createCFile(sink, { type: "INT32", validx: true, batchRows: BATCH });
  const values = new Int32Array(BATCH);
  for (let from = 0; from < ROWS; from += BATCH) {
    for (let i = 0; i < BATCH; i++) {
      values[i] = from + i;
    }
    await writer.append(
      new FixedBatch(
        { type: "INT32", length: BATCH, firstRow: from, validity: undefined, nullCount: 0 },
        "INT32",
        values,
      ),
    );
  }
  await writer.finish();
  return sink.bytes();
}

describe.skipIf(chromium.path === undefined)("a hundred million rows in Chromium", () => {
  let explorer: Explorer;
  let bytes: Uint8Array;
  const folder = temporaryFolder();

  beforeAll(async () => {
    bytes = await writeRows();
    explorer = await Explorer.start({ [NAME]: { body: bytes } });
  });
  afterAll(async () => {
    await explorer?.close();
  });

  /** Private memory of the process of the page and its worker. */
  async function memory(): Promise<number> {
    const session = await explorer.browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const pages = processInfo.filter(({ type }) => type === "renderer");
    const sizes = pages.map(({ id }) => {
      const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8")) ?? [];
      return 1024 * Number(kilobytes);
    });
    return Math.max(...sizes);
  }

  /** Scrolls by wheel, keys and bar, and checks the rows each time. Returns the milliseconds of the longest task. */
  async function scroll(): Promise<number> {
    const { page } = explorer;
    await page.evaluate(() => {
      const measured = globalThis as unknown as { longest: number };
      measured.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) {
          measured.longest = Math.max(measured.longest, duration);
        }
      }).observe({ type: "longtask" });
    });
    const grid = page.locator(".grid");
    await grid.focus();
    await grid.hover();
    for (const share of [0.5, 0.25, 0.9, 0.001, 0.75]) {
      await grid.evaluate((element, part) => {
        element.scrollTop = part * (element.scrollHeight - element.clientHeight);
      }, share);
      for (let i = 0; i < 4; i++) {
        await page.mouse.wheel(0, 600);
      }
      await page.keyboard.press("PageDown");
      await expectRows();
    }
    await page.keyboard.press("End");
    await expectRows();
    return page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
  }

  /** Checks that every visible row has its own number as its value. */
  async function expectRows(): Promise<void> {
    await explorer.cells(20);
    const shown = await explorer.page.evaluate(() =>
      [...document.querySelectorAll(".grid-row")].map((row) => [
        Number(row.getAttribute("aria-rowindex")) - 2,
        Number(row.querySelector('[role="gridcell"]')?.textContent),
      ]),
    );
    expect(shown.every(([row, value]) => row === value)).toBe(true);
  }

  async function scrollUndisturbed(): Promise<void> {
    const longest = await timesUntilBelow(MAX_TASK_MILLISECONDS, scroll);
    console.log(`Longest task while scrolling: ${longest.map(Math.round).join(", ")} ms`);
    expect(Math.min(...longest)).toBeLessThan(MAX_TASK_MILLISECONDS);
    const used = await memory();
    console.log(`Memory of the page's process: ${Math.round(used / 1024 / 1024)} MiB`);
    expect(used).toBeLessThan(MAX_MEMORY);
  }

  test("scrolls a URL, fetching only the visible ranges", async () => {
    explorer.web.served.length = 0;
    await explorer.open(NAME, "&tab=data&row=87654321");
    await expectRows();
    expect(await explorer.page.locator(".grid-row.active").textContent()).toContain("87654321");
    await scrollUndisturbed();
    const fetched = explorer.web.served.filter(({ path }) => path === NAME);
    expect(fetched.reduce((sum, { bytes: part }) => sum + part, 0)).toBeLessThan(bytes.length / 4);
    await explorer.page.fill('input[name="value"]', "12345678");
    await explorer.page.getByRole("button", { name: "Search" }).click();
    await explorer.page.getByText("Row 12345678: found").waitFor();
    await explorer.shot("hundred-million");
  });

  test("scrolls a file from disk and cancels its profile", async () => {
    const path = join(folder, NAME);
    writeFileSync(path, bytes);
    await explorer.page.goto("about:blank");
    await explorer.page.goto(explorer.web.url);
    await explorer.page.locator('input[aria-label="Files"]').setInputFiles(path);
    await explorer.tab("Data");
    await scrollUndisturbed();
    await explorer.tab("Profile");
    await explorer.page.getByRole("button", { name: "Cancel" }).click();
    await explorer.page.getByText("Stopped.").waitFor();
  });

  test("the page reported no error", () => {
    expect(explorer.complaints).toEqual([]);
  });
});
