import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accessibilityProblems,
  COLOR_RULES,
  findChromium,
  keyboardProblems,
  launchChromium,
} from "@cfile-tools/browser";
import { type FileServer, type ServedFile, serveFiles, timesUntilBelow } from "@cfile-tools/testkit";
import { createCFile, memorySink } from "cfile";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { builtFiles, distFolder, explorerFiles, gzippedSize } from "../src/built-site.mjs";

// These tests visit all pages.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Tab = Awaited<ReturnType<Browser["newPage"]>>;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  json: "application/json",
};
const SCRIPT_BUDGET = 150 * 1024;
const MAIN_PAGES = [
  "index.html",
  "guide/read-and-write.html",
  "format/index.html",
  "format/bitshuffle.html",
  "format/hfile-encodings.html",
  "format/damage.html",
  "format/power-cut.html",
  "cli.html",
  "api/varint.html",
  "packages/bytes.html",
  "figures.html",
];
/** With the format pages, these pages use all colors. */
const DARK_PAGES = ["index.html", "guide/read-and-write.html", "api/varint.html"];
/** Rules of axe-core that depend on the size of the screen: what scrolls, what is close together, what is shown instead. */
const PHONE_RULES = ["scrollable-region-focusable", "target-size", "button-name", "link-name"];
/** Pages with wide tables, figures and bytes. */
const WIDE_PAGES = ["index.html", "figures.html"];

/** Every page of the format has bytes, tables or live examples of its own. */
const isFormatPage = (page: string): boolean => page.startsWith("format/");

const OWN_ROWS = 1_200_000;
const MAX_START_MILLISECONDS = 2000;
const MAX_SHARING_MILLISECONDS = 60_000;

const chromium = findChromium();

describe.skipIf(chromium.path === undefined)("in Chromium", () => {
  let browser: Browser;
  let web: FileServer;

  beforeAll(async () => {
    const files: Record<string, ServedFile> = {};
    for (const file of [...builtFiles(), ...explorerFiles()]) {
      const type = TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream";
      files[file] = { body: readFileSync(join(distFolder, file)), type };
    }
    web = await serveFiles(files);
    browser = await launchChromium(chromium);
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** A tab on a page, and the errors that occurred in it. */
  async function open(page: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    const tab = await browser.newPage(options);
    const problems = problemsOf(tab, ["error", "warning"]);
    await tab.goto(web.url + page);
    return { tab, problems };
  }

  /** Collects errors, console messages of these types, and requests to other hosts. */
  function problemsOf(tab: Tab, types: readonly string[]): string[] {
    const problems: string[] = [];
    const add = (text: string): void => void problems.push(`${tab.url()}: ${text}`);
    tab.on("console", (message) => types.includes(message.type()) && add(message.text()));
    tab.on("pageerror", (error) => add(String(error)));
    tab.on("request", (request) => {
      if (!request.url().startsWith(web.url) && !/^(?:data|blob):/.test(request.url())) {
        add(`requested ${request.url()}`);
      }
    });
    return problems;
  }

  it("shows the front page and its example quickly, with little script", async () => {
    const times = await timesUntilBelow(MAX_START_MILLISECONDS, async () => {
      // A new context has an empty cache.
      const tab = await browser.newPage();
      const scripts = new Set<string>();
      tab.on("request", (request) => scripts.add(request.url()));
      const started = performance.now();
      await tab.goto(web.url);
      await tab.waitForSelector('.live-file[data-ready="true"]');
      const milliseconds = performance.now() - started;
      const loaded = [...scripts]
        .filter((url) => url.endsWith(".js"))
        .map((url) => decodeURIComponent(url.slice(web.url.length)));
      expect(loaded.length).toBeGreaterThan(3);
      expect(loaded.reduce((sum, file) => sum + gzippedSize(file), 0)).toBeLessThan(SCRIPT_BUDGET);
      await tab.close();
      return milliseconds;
    });
    expect(Math.min(...times)).toBeLessThan(MAX_START_MILLISECONDS);
  });

  it("looks up rows in a file that Kudu wrote", async () => {
    const { tab, problems } = await open("index.html");
    await tab.waitForSelector('.live-file[data-ready="true"]');
    await tab.fill('.live-file input[type="number"]', "3");
    await tab.waitForFunction(
      "document.querySelector('.answer').textContent.includes('user_00000009@host0')",
    );
    await tab.fill('.live-file input[type="text"]', "user_00000010");
    await tab.waitForFunction(
      "document.querySelector('.answer').textContent.includes('{ row: 4, exact: false }')",
    );
    expect(await tab.locator(".map .part.touched").count()).toBe(1);
    expect(await tab.locator(".map .part.data").count()).toBe(80);
    expect(problems).toEqual([]);
    await tab.close();
  });

  it("decodes an edited byte, rejects an invalid one, and restores both", async () => {
    const { tab, problems } = await open("format/plain.html");
    const live = tab.locator(".live").first();
    await live.locator('.result:has-text("[1, 2, -3]")').waitFor();
    const bytes = live.locator("input.byte");
    await bytes.nth(8).fill("2a");
    await live.locator('.result:has-text("[42, 2, -3]")').waitFor();
    await bytes.nth(0).fill("04");
    await live.locator('.result.refused:has-text("E_")').waitFor();
    await live.locator("button").click();
    await live.locator('.result:has-text("[1, 2, -3]")').waitFor();
    expect(problems).toEqual([]);
    await tab.close();
  });

  it("supports editing bytes with the keyboard", async () => {
    const { tab, problems } = await open("format/primitives.html");
    const live = tab.locator('.live[data-kind="varint"]');
    await live.locator('.result:has-text("[0, 127, 300, 4294967295]")').waitFor();
    await live.locator("button").focus();
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.type("05");
    await live.locator('.result:has-text("[0, 5, 300, 4294967295]")').waitFor();
    await tab.keyboard.press("Home");
    await tab.keyboard.press("Control+Delete");
    await live.locator('.result:has-text("[5, 300, 4294967295]")').waitFor();
    expect(problems).toEqual([]);
    await tab.close();
  });

  it("verifies and recovers a file while it is damaged", async () => {
    const { tab, problems } = await open("format/damage.html");
    const live = tab.locator(".damage");
    await live.locator('.verify:has-text("ok: every checksum")').waitFor();
    await live.locator('.recover:has-text("4,000 rows saved, 0 lost")').waitFor();
    await live.locator('input[type="range"]').focus();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    await live.locator('.verify.refused:has-text("E_CHECKSUM")').waitFor();
    await live.locator('.recover:has-text("lost: data block")').waitFor();
    await live.locator("button", { hasText: "Cut the file off" }).click();
    await live
      .locator('.recover:has-text("lost: footer"), .recover:has-text("rows saved")')
      .first()
      .waitFor();
    await live.locator("button", { hasText: "Repair" }).click();
    await live.locator('.recover:has-text("4,000 rows saved, 0 lost")').waitFor();
    expect(problems).toEqual([]);
    await tab.close();
  });

  it("shows what a power cut leaves, with and without waiting for the disk", async () => {
    const { tab, problems } = await open("format/power-cut.html");
    const live = tab.locator('.power-cut[data-ready="true"]');
    await live.locator('input[type="range"]').focus();
    await tab.keyboard.press("End");
    await live.locator("td.whole", { hasText: "the new file, 2,000 rows" }).nth(3).waitFor();
    expect(await live.locator(".operations").evaluate(showsCurrentItem)).toBe(true);
    await tab.keyboard.press("Home");
    await live.locator("label", { hasText: "after 0 of" }).waitFor();
    expect(await live.locator(".operations").evaluate((list) => list.scrollTop)).toBe(0);
    await tab.keyboard.press("End");
    await live.locator("td.whole", { hasText: "the new file, 2,000 rows" }).nth(3).waitFor();
    await live.locator('input[type="checkbox"]').uncheck();
    await live.locator("td.half").first().waitFor();
    await live.locator("button", { hasText: "Play" }).click();
    await live.locator("label", { hasText: "after 1 of" }).waitFor();
    await live.locator("button", { hasText: "Pause" }).click();
    expect(problems).toEqual([]);
    await tab.close();
  });

  /** Whether the last operation that was done is within the list. */
  function showsCurrentItem(list: Element): boolean {
    const { top, bottom } = list.getBoundingClientRect();
    const item = [...list.querySelectorAll("li.done")].at(-1)?.getBoundingClientRect();
    return item !== undefined && item.top >= top && item.bottom <= bottom;
  }

  it("reaches content and search with the keyboard", async () => {
    const { tab, problems } = await open("guide/read-and-write.html");
    await tab.keyboard.press("Tab");
    expect(await tab.evaluate("document.activeElement.textContent.trim()")).toBe("Skip to content");
    // The page reacts to keys of its own only when its script has taken it over.
    await tab.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
    await tab.keyboard.press("/");
    await tab.locator(".VPLocalSearchBox input").fill("bitshuffle");
    await tab.locator('.VPLocalSearchBox a:has-text("Bitshuffle")').first().waitFor();
    expect(problems).toEqual([]);
    await tab.close();
  });

  it("leads from the front page to a shared link of row 1,000,000 of one's own file within a minute", async () => {
    const bytes = await ownFile();
    web.files.set("own.cfile", { body: bytes });
    const links = {
      file: `#file=own.cfile&tab=data&row=1000000`,
      url: `#url=${encodeURIComponent(`${web.url}own.cfile`).replaceAll("%2F", "/")}&tab=data&row=1000000`,
    };
    for (const [kind, expected] of Object.entries(links)) {
      const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
      const tab = await context.newPage();
      const problems = problemsOf(tab, ["error", "warning"]);
      const file = { name: "own.cfile", mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
      const started = performance.now();
      // The steps of docs/guide/share-a-row.md.
      await tab.goto(web.url);
      await tab.locator(".VPNavBar a", { hasText: "Explorer" }).click();
      await tab.waitForURL("**/explorer/index.html");
      if (kind === "file") {
        await tab.locator('input[aria-label="Files"]').setInputFiles(file);
      } else {
        await tab.fill('input[name="url"]', `${web.url}own.cfile`);
        await tab.keyboard.press("Enter");
      }
      await tab.getByRole("tab", { name: "Data", exact: true }).click();
      await tab.fill('input[name="row"]', "1,000,000");
      await tab.keyboard.press("Enter");
      await tab.locator(".grid-row.active", { hasText: "2000000" }).waitFor();
      await tab.getByRole("button", { name: "Copy link" }).click();
      await tab.getByRole("button", { name: "Link copied" }).waitFor();
      const link = await tab.evaluate(() => navigator.clipboard.readText());
      const seconds = (performance.now() - started) / 1000;
      console.log(`From the front page to a link, ${kind}: ${seconds.toFixed(1)} s`);
      expect(new URL(link).hash).toBe(expected);
      expect(seconds * 1000).toBeLessThan(MAX_SHARING_MILLISECONDS);
      const other = await (await browser.newContext()).newPage();
      await other.goto(link);
      if (kind === "file") {
        await other.getByText("This link shows row 1,000,000 of own.cfile.").waitFor();
        await other.locator('input[aria-label="Files"]').setInputFiles(file);
      }
      await other.locator(".grid-row.active", { hasText: "2000000" }).waitFor();
      expect(problems).toEqual([]);
      await other.context().close();
      await context.close();
    }
  });

  /** Row `i` has the value 2i. */
  async function ownFile(): Promise<Uint8Array> {
    const sink = memorySink();
    const writer = await createCFile(sink, { type: "INT32" });
    await writer.append(Int32Array.from({ length: OWN_ROWS }, (_, i) => 2 * i));
    await writer.finish();
    return sink.bytes();
  }

  it("links to the explorer", async () => {
    const { tab, problems } = await open("index.html");
    await tab.locator('.front a:has-text("explorer")').click();
    await tab.waitForURL("**/explorer/index.html");
    await tab.locator('input[type="file"]').first().waitFor({ state: "attached" });
    expect(problems).toEqual([]);
    await tab.close();
  });

  describe("visited one by one, the pages", () => {
    const problems: string[] = [];
    const rejected: string[] = [];
    const inaccessible: Record<"light" | "dark" | "375", string[]> = { light: [], dark: [], 375: [] };
    const unreachable: string[] = [];
    const tooWide: string[] = [];
    const visited: string[] = [];

    beforeAll(async () => {
      const tab = await browser.newPage({ colorScheme: "light" });
      const found = problemsOf(tab, ["error"]);
      // Pages of packages and their API share one template; one page of each kind is among the main pages.
      const all = builtFiles().filter((file) => /^(?!404|api\/|packages\/).*\.html$/.test(file));
      for (const page of new Set([...all, ...MAIN_PAGES])) {
        await tab.goto(web.url + page);
        await showsExamples(tab);
        visited.push(page);
        if ((await tab.locator(".live .refused").count()) > 0) {
          rejected.push(page);
        }
        await checkAppearance(tab, page);
      }
      problems.push(...found);
      await tab.close();
    });

    async function checkAppearance(tab: Tab, page: string): Promise<void> {
      if (MAIN_PAGES.includes(page) || isFormatPage(page)) {
        inaccessible.light.push(...(await violationsIn("light", tab, page)));
      }
      if (DARK_PAGES.includes(page) || isFormatPage(page)) {
        await tab.emulateMedia({ colorScheme: "dark" });
        await tab.waitForFunction("document.documentElement.classList.contains('dark')");
        // Only colors differ in dark mode.
        inaccessible.dark.push(...(await violationsIn("dark", tab, page, COLOR_RULES)));
        await tab.emulateMedia({ colorScheme: "light" });
      }
      if (WIDE_PAGES.includes(page) || isFormatPage(page)) {
        for (const width of [375, 1280]) {
          await tab.setViewportSize({ width, height: 700 });
          if (width === 375 && isFormatPage(page)) {
            inaccessible[375].push(...(await violationsIn("375", tab, page, PHONE_RULES)));
          } else {
            await screenshot(tab, page, String(width));
          }
          const needed = Number(await tab.evaluate("document.documentElement.scrollWidth"));
          if (needed > width) {
            tooWide.push(`${page}: ${needed} pixels on a screen of ${width}`);
          }
        }
      }
      // Last, because the focus stays at the end of the page.
      if (isFormatPage(page)) {
        unreachable.push(...(await keyboardProblems(tab, "main")).map((problem) => `${page}: ${problem}`));
      }
    }

    async function violationsIn(mode: string, tab: Tab, page: string, rules?: readonly string[]) {
      await screenshot(tab, page, mode);
      return (await accessibilityProblems(tab, rules)).map((violation) => `${page}: ${violation}`);
    }

    /** Screenshots to look at; kept with the reports. */
    const screenshot = (tab: Tab, page: string, name: string) =>
      tab.screenshot({ path: join("reports", `${page.replaceAll(/[/.]/g, "-")}-${name}.png`) });

    it("open without an error", () => {
      expect(visited).toEqual(expect.arrayContaining([...MAIN_PAGES, ...DARK_PAGES, ...WIDE_PAGES]));
      expect(problems).toEqual([]);
    });

    it("have no example that is rejected before any edit", () => expect(rejected).toEqual([]));

    it.each(["light", "dark", "375"] as const)("are accessible: %s", (mode) => {
      expect(inaccessible[mode]).toEqual([]);
    });

    it("are reached by the keyboard, in order, and show where it is", () => expect(unreachable).toEqual([]));

    it("fit screens 375 and 1280 pixels wide", () => expect(tooWide).toEqual([]));
  });

  /** Waits until every live example on the page has decoded its bytes. */
  async function showsExamples(tab: Tab): Promise<void> {
    const count = await tab.locator(".live, .live-file").count();
    await tab.waitForFunction(`document.querySelectorAll('[data-ready="true"]').length === ${count}`);
  }
});
