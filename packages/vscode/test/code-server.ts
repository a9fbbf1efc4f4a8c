/** A running code-server with the packed extension and a folder of test files, opened in Chromium. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type findChromium, launchChromium } from "@cfile-tools/browser";
import { temporaryFolder } from "@cfile-tools/testkit";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { packExtension } from "./pack-extension.js";

const GOLDEN = join(import.meta.dirname, "../../../fixtures/golden");
const ID = "cfile.cfile-explorer";
const ATTEMPTS = 12;

export class CodeServer {
  readonly page: Page;
  /** Addresses of all files that the page and its workers loaded. */
  readonly loaded: string[] = [];
  private readonly browser: Browser;
  private readonly process: ChildProcess;

  private constructor(browser: Browser, page: Page, process: ChildProcess) {
    this.browser = browser;
    this.page = page;
    this.process = process;
    page.context().on("request", (request) => this.loaded.push(request.url()));
  }

  /**
   * @param folder of the npm package `code-server`
   * @param build which build of the extension runs; only that one is installed
   */
  static async start(
    folder: string,
    build: "desktop" | "web",
    chromium: ReturnType<typeof findChromium>,
  ): Promise<CodeServer> {
    const root = temporaryFolder();
    const work = writeWork(root);
    const entry = join(folder, "out/node/entry.js");
    const places = ["--user-data-dir", join(root, "data"), "--extensions-dir", join(root, "extensions")];
    const vsix = await packExtension(root);
    execFileSync(process.execPath, [entry, ...places, "--install-extension", vsix], {
      stdio: "ignore",
      timeout: 60_000,
    });
    const extensions = join(root, "extensions");
    const [installed = ""] = readdirSync(extensions).filter((name) => name.startsWith(ID));
    rmSync(join(extensions, installed, "dist", build === "web" ? "node.js" : "web.js"));
    if (build === "web") {
      mkdirSync(join(root, "data/User"), { recursive: true });
      const settings = { "remote.extensionKind": { [ID]: ["web"] } };
      writeFileSync(join(root, "data/User/settings.json"), JSON.stringify(settings));
    }
    const port = await freePort();
    const server = spawn(
      process.execPath,
      [
        entry,
        ...places,
        ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry"],
        ...["--disable-update-check", "--disable-workspace-trust"],
      ],
      { stdio: "ignore" },
    );
    const browser = await launchChromium(chromium);
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(20_000);
    const started = new CodeServer(browser, page, server);
    await started.goTo(`http://127.0.0.1:${port}/?folder=${work}`);
    await page.getByRole("treeitem", { name: /alltypes/ }).waitFor({ timeout: 60_000 });
    return started;
  }

  /** Opens a file of the tree, and returns the page of the extension. */
  async open(name: RegExp): Promise<FrameLocator> {
    const shown = this.view();
    for (let attempt = 0; ; attempt++) {
      await this.page.getByRole("treeitem", { name }).dblclick();
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
      await this.page.keyboard.press("Control+F4");
    }
  }

  async chooseInMenu(file: RegExp, command: string): Promise<void> {
    await this.page.getByRole("treeitem", { name: file }).click({ button: "right" });
    const item = this.page.getByRole("menuitem", { name: command });
    // A menu ignores clicks right after it opened.
    for (let attempt = 0; attempt < ATTEMPTS && (attempt === 0 || (await item.isVisible())); attempt++) {
      await item.click().catch(() => undefined);
      await this.page.waitForTimeout(300);
    }
  }

  /** Runs "cfile: Open URL" of the command palette. */
  async openUrl(url: string): Promise<void> {
    const { keyboard } = this.page;
    const input = this.page.locator(".quick-input-widget input:visible");
    const command = this.page.getByRole("option", { name: /^cfile: Open URL/ });
    for (let attempt = 0; attempt < ATTEMPTS && !(await command.isVisible()); attempt++) {
      // Extensions may not be ready yet.
      await keyboard.press("Escape");
      await keyboard.press("F1");
      await input.fill(">cfile: Open URL");
      await this.page.waitForTimeout(1000);
    }
    await keyboard.press("Enter");
    await this.page.getByPlaceholder("https://…").fill(url);
    await keyboard.press("Enter");
  }

  /** The page of the active editor; the others are hidden. */
  view(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready:visible").frameLocator("#active-frame");
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.process.kill();
  }

  /** The server may not listen yet. */
  private async goTo(url: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const isUp = await this.page.goto(url).then(
        () => true,
        () => false,
      );
      if (isUp) {
        break;
      }
      await this.page.waitForTimeout(1000);
    }
  }
}

/** Files to open: one of each kind, a damaged one, and the folder of a Kudu server. */
function writeWork(root: string): string {
  const work = join(root, "work");
  mkdirSync(work, { recursive: true });
  cpSync(join(GOLDEN, "parquet/alltypes_plain.parquet"), join(work, "alltypes.parquet"));
  cpSync(join(GOLDEN, "hfile/hudi_1_2_native_1KB_NONE_400.hfile"), join(work, "cells.hfile"));
  cpSync(join(GOLDEN, "servers/file/ts"), join(work, "server"), { recursive: true });
  const bytes = readFileSync(join(GOLDEN, "idx_int32_plain_opt.cfile"));
  writeFileSync(join(work, "whole.cfile"), bytes);
  bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
  writeFileSync(join(work, "damaged.cfile"), bytes);
  return work;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
