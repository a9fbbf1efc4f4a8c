/**
 * The built extension in a real editor, code-server, in headless Chromium. `CFILE_CODE_SERVER` names the folder of the npm package
 * `code-server`; without it, this test is skipped, because its installation compiles native modules.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { findChromium, launchChromium } from "@cfile-tools/browser";
import { temporaryFolder } from "@cfile-tools/testkit";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

// Starting the editor takes half a minute.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const GOLDEN = join(import.meta.dirname, "../../../fixtures/golden");
const PACKAGE = join(import.meta.dirname, "..");
const SHIPPED = ["dist", "package.json", "README.md", "icon.png"];
const ATTEMPTS = 12;

const chromium = findChromium();
const codeServer = process.env["CFILE_CODE_SERVER"];

describe.skipIf(chromium.path === undefined || codeServer === undefined)("in a real editor", () => {
  const root = temporaryFolder();
  let editor: ChildProcess;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const extension = join(root, "extensions/cfile.cfile-explorer-0.1.0");
    const work = join(root, "work");
    for (const folder of [extension, work, join(root, "data")]) {
      mkdirSync(folder, { recursive: true });
    }
    for (const name of SHIPPED) {
      cpSync(join(PACKAGE, name), join(extension, name), { recursive: true });
    }
    cpSync(join(GOLDEN, "parquet/alltypes_plain.parquet"), join(work, "alltypes.parquet"));
    cpSync(join(GOLDEN, "hfile/hudi_1_2_native_1KB_NONE_400.hfile"), join(work, "cells.hfile"));
    cpSync(join(GOLDEN, "servers/file/ts"), join(work, "server"), { recursive: true });
    const bytes = readFileSync(join(GOLDEN, "idx_int32_plain_opt.cfile"));
    writeFileSync(join(work, "whole.cfile"), bytes);
    bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
    writeFileSync(join(work, "damaged.cfile"), bytes);
    const port = await freePort();
    editor = spawn(
      process.execPath,
      [
        join(codeServer ?? "", "out/node/entry.js"),
        ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry"],
        ...["--disable-update-check", "--disable-workspace-trust"],
        ...["--user-data-dir", join(root, "data"), "--extensions-dir", join(root, "extensions")],
      ],
      { stdio: "ignore" },
    );
    browser = await launchChromium(chromium);
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(20_000);
    const url = `http://127.0.0.1:${port}/?folder=${work}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const isUp = await page.goto(url).then(
        () => true,
        () => false,
      );
      if (isUp) {
        break;
      }
      await page.waitForTimeout(1000);
    }
    await page.getByRole("treeitem", { name: /alltypes/ }).waitFor({ timeout: 60_000 });
  });
  afterAll(async () => {
    await browser?.close();
    editor?.kill();
  });

  /** Opens a file of the tree, and returns the page of the extension. */
  async function open(name: RegExp): Promise<FrameLocator> {
    const shown = view();
    for (let attempt = 0; ; attempt++) {
      await page.getByRole("treeitem", { name }).dblclick();
      const found = await shown
        .locator(".doc h1", { hasText: name })
        .waitFor({ timeout: 8000 })
        .then(
          () => true,
          () => false,
        );
      if (found || attempt === ATTEMPTS) {
        return shown;
      }
      // Extensions are not ready yet, and the file opened as text.
      await page.keyboard.press("Control+F4");
    }
  }

  /** The page of the editor in front; the others are hidden. */
  function view(): FrameLocator {
    return page.frameLocator("iframe.webview.ready:visible").frameLocator("#active-frame");
  }

  test("opens a Parquet file, an HFile, a CFile and a damaged one in its own editor", async () => {
    const parquet = await open(/alltypes/);
    await parquet.getByRole("tab", { name: "Data" }).click();
    await parquet.locator(".grid-row").nth(7).waitFor();
    const ids = await parquet
      .locator(".grid-row")
      .evaluateAll((rows) => rows.map((row) => row.querySelector('[role="gridcell"]')?.textContent));
    expect(ids).toEqual(["4", "5", "6", "7", "2", "3", "0", "1"]);
    const hfile = await open(/cells/);
    await hfile.getByText("No damage found").waitFor();
    const whole = await open(/whole/);
    await whole.getByText("all checksums match").waitFor();
    const damaged = await open(/damaged/);
    expect(await damaged.locator(".recovery").textContent()).toContain("rows can be recovered");
    mkdirSync(join(PACKAGE, "reports"), { recursive: true });
    await page.screenshot({ path: join(PACKAGE, "reports/editor.png") });
  });

  test("opens the folder of a Kudu server from the context menu", async () => {
    await page.getByRole("treeitem", { name: /server/ }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Open with cfile" }).click();
    const shown = view();
    await shown.getByRole("button", { name: "Open small" }).waitFor();
    await shown.getByRole("button", { name: "Open altered" }).click();
    await page.screenshot({ path: join(PACKAGE, "reports/editor-folder.png") });
    expect(await shown.locator(".doc h1").textContent()).toBe("server");
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
