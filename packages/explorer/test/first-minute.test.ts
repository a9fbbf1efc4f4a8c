/** The first minute: samples, tabs of open files, recently opened files, links to files of this machine. */
import { join } from "node:path";
import { timesUntilBelow } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import type { FileChooser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import samples from "../src/samples.json" with { type: "json" };
import { chromium, Explorer, GOLDEN, golden } from "./explorer-page.js";

const MAX_OPEN_MILLISECONDS = 500;
/** The first content of each sample. */
const SHOWN: Readonly<Record<string, readonly [selector: string, text: string]>> = {
  "sorted-strings.cfile": [".doc .facts", "4,000"],
  "dictionary.cfile": [".doc .facts", "300,000"],
  "changes.delta": [".doc .facts", "1,010"],
  "keys.bloom": [".doc .facts", "BINARY"],
  "kudu-server": [".nodes .nodes", "altered"],
  "damaged.cfile": [".doc .facts", "12,000"],
  "cells.hfile": [".doc .facts", "500"],
  "customers.parquet": [".doc .facts", "parquet-mr"],
};
const INTS = "idx_int32_plain_opt.cfile";

describe.skipIf(chromium.path === undefined)("the first minute in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    explorer = await Explorer.start({ [INTS]: { body: golden(INTS) } });
    explorer.page.setDefaultTimeout(20_000);
  });
  afterAll(async () => {
    await explorer?.close();
  });

  async function fresh(link = ""): Promise<void> {
    await explorer.page.goto("about:blank");
    await explorer.page.goto(explorer.web.url + link);
  }

  const shown = (name: string) => {
    const [selector = "none", text = ""] = SHOWN[name] ?? [];
    return explorer.page.locator(selector, { hasText: text }).first();
  };

  test("every sample opens within 500 ms after the click, and from its link", async () => {
    const { page } = explorer;
    const slow: string[] = [];
    for (const { name, title } of samples) {
      const times = await timesUntilBelow(MAX_OPEN_MILLISECONDS, async () => {
        await fresh();
        await page.getByRole("link", { name: title }).waitFor();
        return page.evaluate(clickAndWait, [title, ...(SHOWN[name] ?? [])]);
      });
      console.log(`${name}: ${times.map(Math.round).join(", ")} ms`);
      slow.push(...(Math.min(...times) < MAX_OPEN_MILLISECONDS ? [] : [`${name}: ${times}`]));
      const link = new URL(page.url()).hash;
      await fresh(link);
      await shown(name).waitFor();
      expect(await page.locator(".doc h1").textContent()).toContain(name);
    }
    expect(slow).toEqual([]);
  }, 240_000);

  /** Clicks on a sample and returns the milliseconds until its content is in the page and painted. */
  async function clickAndWait([title = "", selector = "", text = ""]: readonly string[]): Promise<number> {
    const frame = () => new Promise(requestAnimationFrame);
    const link = [...document.querySelectorAll("a")].find((a) => a.textContent?.startsWith(title));
    const started = performance.now();
    link?.click();
    while (![...document.querySelectorAll(selector)].some((found) => found.textContent?.includes(text))) {
      await frame();
    }
    await frame();
    return performance.now() - started;
  }

  test("a worker that cannot be loaded is reported, and loaded again with the page", async () => {
    // Requests of a page with a service worker may not reach the route, so this page runs without one.
    const context = await explorer.browser.newContext({ serviceWorkers: "block" });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    let isDown = true;
    await page.route("**/worker.js", (route) => (isDown ? route.abort() : route.continue()));
    const failed = page.waitForEvent("requestfailed");
    await page.goto(explorer.web.url);
    await failed;
    await page.getByRole("link", { name: "Sorted strings" }).click();
    const notice = page.locator(".notice.error");
    await notice.waitFor();
    expect(await notice.textContent()).toBe("E_WORKER: the worker cannot be loaded; reload the page");
    isDown = false;
    await page.reload();
    await page.getByRole("link", { name: "Sorted strings" }).click();
    await page.locator(".doc .facts", { hasText: "4,000" }).waitFor();
    expect(await notice.count()).toBe(0);
    await context.close();
  });

  test("files open side by side; arrow keys choose a tab, Delete closes it, and each keeps its position", async () => {
    const { page } = explorer;
    await fresh(`#url=${INTS}&tab=data&row=11000`);
    const values = await (await openCFile(golden(INTS))).getMany([11_000]);
    await page.getByText(String(values[0]), { exact: true }).first().waitFor();
    for (const title of ["Kudu server", "Bloom file"]) {
      await page.getByRole("button", { name: "New tab" }).click();
      await page.getByRole("link", { name: title }).click();
      await page
        .locator(".doc h1", { hasText: title === "Bloom file" ? "keys.bloom" : "kudu-server" })
        .waitFor();
    }
    const names = () => page.getByRole("tablist", { name: "Open tabs" }).getByRole("tab").allTextContents();
    const selected = () => page.locator('.file-tabs [aria-selected="true"]').textContent();
    expect(await names()).toEqual([INTS, "kudu-server", "keys.bloom"]);
    expect(new URL(page.url()).hash).toContain("keys.bloom");
    await page.locator('.file-tabs [aria-selected="true"]').focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText(String(values[0]), { exact: true }).first().waitFor();
    expect(await selected()).toBe(INTS);
    expect(new URL(page.url()).hash).toBe(`#url=${INTS}&tab=data&row=11000`);
    await page.keyboard.press("ArrowRight");
    await page.locator(".nodes .nodes .node").first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("kudu-server");
    await explorer.shot("tabs");
    await page.keyboard.press("Delete");
    await page.locator(".doc h1", { hasText: "keys.bloom" }).waitFor();
    expect(await names()).toEqual([INTS, "keys.bloom"]);
    // The link of an open file shows its tab again.
    await page.evaluate((name) => location.assign(`#url=${name}&tab=data&row=3`), INTS);
    await page.locator(".grid-row.active").waitFor();
    expect(await names()).toEqual([INTS, "keys.bloom"]);
    expect(await selected()).toBe(INTS);
    await page.getByRole("button", { name: `Close tab ${INTS}` }).click();
    await page.keyboard.press("Delete");
    await page.getByRole("heading", { name: "Samples" }).waitFor();
    expect(new URL(page.url()).hash).toBe("");
  });

  test("remembers opened files by their handles, and forgets them", async () => {
    const { page } = explorer;
    await fresh();
    await page.evaluate(offerFile, { name: "own.cfile", bytes: [...golden(INTS)] });
    await page.getByRole("button", { name: "Open files" }).click();
    await page.locator(".doc h1", { hasText: "own.cfile" }).waitFor();
    await page.waitForFunction(isRemembered, "own.cfile");
    await page.reload();
    await page.getByText("This link shows own.cfile.").waitFor();
    await page.getByRole("button", { name: "own.cfile" }).click();
    await page.getByText("No damage found").waitFor();
    await fresh();
    expect(await page.locator(".recent li").first().textContent()).toContain("own.cfile");
    expect(await page.locator(".recent li").first().textContent()).toContain("on this machine");
    await explorer.shot("recent");
    await page.getByRole("button", { name: "Forget all" }).click();
    await page.locator(".recent").waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Samples" }).waitFor();
    expect(await page.locator(".recent").count()).toBe(0);
  });

  test("asks for permission to open a remembered file again, and says why it cannot", async () => {
    const { page } = explorer;
    await fresh();
    await page.evaluate(offerFile, { name: "asked.cfile", bytes: [...golden(INTS)] });
    await page.getByRole("button", { name: "Open files" }).click();
    await page.locator(".doc h1", { hasText: "asked.cfile" }).waitFor();
    await page.waitForFunction(isRemembered, "asked.cfile");
    await fresh();
    await page.evaluate(answerPermission, "denied");
    const entry = page.getByRole("button", { name: "asked.cfile" });
    const notice = page.locator(".notice.error");
    for (const answer of ["denied", "prompt"]) {
      await page.evaluate(answerPermission, answer);
      await entry.click();
      await notice.waitFor();
      expect(await notice.textContent()).toBe(
        "E_IO: no permission to read the file (allow it, or open the file again) [asked.cfile]",
      );
    }
    await page.evaluate(answerPermission, "granted");
    await entry.click();
    await page.getByText("No damage found").waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)).toEqual(["read"]);
    await fresh();
    await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("asked.cfile"));
    await entry.click();
    await notice.waitFor();
    expect(await notice.textContent()).toContain("E_NOT_FOUND: no such file (it was moved or deleted)");
  });

  /** Whether the list of recent files has a file. The page stores it after it has shown the file. */
  async function isRemembered(name: string): Promise<boolean> {
    if (!(await indexedDB.databases()).some((one) => one.name === "keyval-store")) {
      return false;
    }
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open("keyval-store");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const { result: database } = opening;
        const list = database.transaction("keyval").objectStore("keyval").get("cfile-explorer-recent");
        list.onerror = () => reject(list.error);
        list.onsuccess = () => {
          database.close();
          const titles = (list.result ?? []) as readonly { readonly title: string }[];
          resolve(titles.some(({ title }) => title === name));
        };
      };
    });
  }

  /** Simulates the user's answer to the browser's permission prompts; `asked` collects their modes. */
  function answerPermission(answer: string): void {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    Object.assign(FileSystemHandle.prototype, {
      requestPermission: async ({ mode }: { mode: string }) => {
        asked.push(mode);
        return answer;
      },
    });
  }

  test("without file handles, an upload field opens files and folders, and recent files are chosen again", async () => {
    const { page } = explorer;
    await fresh();
    await page.evaluate(() =>
      Object.assign(globalThis, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }),
    );
    const file = {
      name: "upload.cfile",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(golden(INTS)),
    };
    const choose = async (button: string): Promise<FileChooser> => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: button }).click(),
      ]);
      return chooser;
    };
    await (await choose("Open files")).setFiles(file);
    await page.locator(".doc h1", { hasText: "upload.cfile" }).waitFor();
    await (await choose("Open folder")).setFiles(join(GOLDEN, "servers/file/ts"));
    await page.getByRole("button", { name: "Expand altered" }).waitFor();
    await page.locator(".close-tab").click();
    await page.locator(".close-tab").click();
    const entry = page.locator(".recent li", { hasText: "upload.cfile" });
    expect(await entry.textContent()).toContain("on this machine; choose it again");
    await (await choose("upload.cfile")).setFiles(file);
    await page.getByText("No damage found").waitFor();
  });

  test("a sample that does not exist shows its error", async () => {
    await fresh("#sample=none");
    const notice = explorer.page.locator(".notice.error");
    await notice.waitFor();
    expect(await notice.textContent()).toBe("E_NOT_FOUND: no such sample [samples/none.json]");
    // The console reports both responses.
    expect(explorer.complaints.splice(0).every((text) => text.includes("404"))).toBe(true);
  });

  /** Makes the browser's dialog return a file. */
  async function offerFile(file: { readonly name: string; readonly bytes: number[] }): Promise<void> {
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle(file.name, { create: true });
    const writable = await handle.createWritable();
    await writable.write(Uint8Array.from(file.bytes));
    await writable.close();
    Object.assign(globalThis, { showOpenFilePicker: async () => [handle] });
  }

  test("a link to a file of this machine leads to its row after the file is chosen", async () => {
    const { page } = explorer;
    await fresh("#file=mine.cfile&tab=data&row=4321");
    await page.getByText("This link shows row 4,321 of mine.cfile.").waitFor();
    await page.locator('input[aria-label="Files"]').setInputFiles({
      name: "mine.cfile",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(golden(INTS)),
    });
    const [value] = await (await openCFile(golden(INTS))).getMany([4321]);
    await page.locator(".grid-row.active", { hasText: String(value) }).waitFor();
    expect(new URL(page.url()).hash).toBe("#file=mine.cfile&tab=data&row=4321");
  });

  test("samples fit a phone", async () => {
    const { page } = explorer;
    await page.setViewportSize({ width: 375, height: 700 });
    await fresh("#url=samples/keys.bloom");
    await page.getByRole("button", { name: "New tab" }).click();
    await page.getByRole("heading", { name: "Samples" }).waitFor();
    await explorer.shot("welcome-phone");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    expect(await page.evaluate(() => document.querySelector(".welcome")?.scrollWidth)).toBeLessThanOrEqual(
      375,
    );
  });

  test("the page reported no error", () => {
    expect(explorer.complaints).toEqual([]);
  });
});
