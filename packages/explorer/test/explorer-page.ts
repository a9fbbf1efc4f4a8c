/** The built page in Chromium, on a server with the test files. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findChromium, launchChromium } from "@cfile-tools/browser";
import { type FileServer, type ServedFile, serveFiles } from "@cfile-tools/testkit";
import type { Browser, Page } from "playwright-core";
import { explorerFolder } from "../index.js";

export const GOLDEN = join(import.meta.dirname, "../../../fixtures/golden");
const SCREENSHOTS = join(import.meta.dirname, "../reports/screenshots");
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};

export const chromium = findChromium();

export function golden(name: string): Uint8Array {
  return readFileSync(join(GOLDEN, name));
}

/** The files of the page, for a web server. */
function pageFiles(): Record<string, ServedFile> {
  const names = readdirSync(explorerFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(explorerFolder.pathname.length));
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        body: readFileSync(new URL(name, explorerFolder)),
        type: TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain",
      },
    ]),
  );
}

export class Explorer {
  readonly browser: Browser;
  readonly web: FileServer;
  readonly page: Page;
  /** Errors of the page and its console. */
  readonly complaints: string[] = [];

  private constructor(browser: Browser, web: FileServer, page: Page) {
    this.browser = browser;
    this.web = web;
    this.page = page;
    page.on("pageerror", ({ message }) => this.complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") {
        this.complaints.push(message.text());
      }
    });
  }

  static async start(files: Readonly<Record<string, ServedFile>> = {}): Promise<Explorer> {
    const web = await serveFiles({ ...pageFiles(), ...files });
    const browser = await launchChromium(chromium);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    return new Explorer(browser, web, page);
  }

  /** Opens a file by its deep link, in a fresh page. */
  async open(name: string, rest = ""): Promise<void> {
    await this.page.goto("about:blank");
    await this.page.goto(`${this.web.url}#url=${encodeURIComponent(name)}${rest}`);
    await this.page.waitForSelector(".doc h1");
  }

  async tab(name: string): Promise<void> {
    await this.page.getByRole("tablist", { name: "Views" }).getByRole("tab", { name }).click();
  }

  /** The cells of the visible rows, once all are loaded. */
  async cells(rows: number): Promise<string[][]> {
    await this.page.waitForFunction(
      (expected) => {
        const shown = document.querySelectorAll(".grid-row");
        return shown.length >= expected && document.querySelector(".grid-row .pending") === null;
      },
      rows,
      { timeout: 15_000 },
    );
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".grid-row")].map((row) =>
        [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.textContent ?? ""),
      ),
    );
  }

  async shot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
