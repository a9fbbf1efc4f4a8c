/** Size, startup time, offline use, and absence of requests to other hosts. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { timesUntilBelow } from "@cfile-tools/testkit";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explorerFolder } from "../index.js";
import { chromium, Explorer, golden } from "./explorer-page.js";

const MAX_SCRIPT_BYTES = 300 * 1024;
const MAX_START_MILLISECONDS = 2000;

function script(name: string): Uint8Array {
  return readFileSync(new URL(name, explorerFolder));
}

test("scripts of a first load are within budget", () => {
  const names: string[] = JSON.parse(new TextDecoder().decode(script("first-load.json")));
  const size = names.reduce((sum, name) => sum + gzipSync(script(name), { level: 9 }).length, 0);
  console.log(`Scripts of a first load: ${Math.round(size / 1024)} KiB in gzip, ${names.length} files`);
  expect(size).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
});

test("the policy of the page forbids scripts, frames and styles of other hosts, and eval", () => {
  const html = new TextDecoder().decode(script("index.html"));
  const [, policy = ""] = /content="(default-src[^"]+)"/.exec(html) ?? [];
  expect(policy).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/'unsafe-(?:inline|eval)'|\*/);
});

async function openLocalFile(page: Page): Promise<void> {
  await page.locator('input[aria-label="Files"]').setInputFiles({
    name: "local.cfile",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(golden("idx_string_prefix_opt.cfile")),
  });
  await page.getByText("No damage found").waitFor();
}

describe.skipIf(chromium.path === undefined)("the page in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    const name = "idx_string_prefix_opt.cfile";
    explorer = await Explorer.start({ [name]: { body: golden(name) } });
  });
  afterAll(async () => {
    await explorer?.close();
  });

  test("shows the rows of a file within two seconds", async () => {
    const { page } = explorer;
    const times = await timesUntilBelow(MAX_START_MILLISECONDS, async () => {
      const started = performance.now();
      await explorer.open("idx_string_prefix_opt.cfile", "&tab=data");
      await explorer.cells(10);
      return performance.now() - started;
    });
    console.log(`From the address to rows: ${times.map(Math.round).join(", ")} ms`);
    expect(Math.min(...times)).toBeLessThan(MAX_START_MILLISECONDS);
    expect(await page.locator(".grid-row").count()).toBeGreaterThan(10);
  });

  test("works offline from the second load on, samples included, and contacts only the page's own server", async () => {
    const context = await explorer.browser.newContext();
    const page = await context.newPage();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(explorer.web.url);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await context.setOffline(true);
    await page.reload();
    await openLocalFile(page);
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.locator(".chart canvas").waitFor();
    for (const [sample, shown] of [
      ["Bloom file", "BINARY"],
      ["Kudu server", "altered"],
    ] as const) {
      await page.getByRole("button", { name: "New tab" }).click();
      await page.getByRole("link", { name: sample }).click();
      await page.getByText(shown).first().waitFor();
    }
    expect([...hosts]).toEqual([new URL(explorer.web.url).origin]);
    await context.close();
  });

  test("the network serves the first visit to its end, although the service worker is ready, and the cache the next", async () => {
    const context = await explorer.browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null);
    const isReady = async (): Promise<void> => {
      await page.waitForFunction(
        async () => (await navigator.serviceWorker.ready).active?.state === "activated",
      );
    };
    await page.route("**/samples/sorted-strings.cfile", async (route) => {
      await isReady();
      await route.continue();
    });
    const link = `${explorer.web.url}#url=samples/sorted-strings.cfile`;
    await page.goto(link);
    // The file is read in several ranges.
    await page.locator(".doc .facts", { hasText: "4,000" }).waitFor();
    expect(await isControlled()).toBe(false);
    await page.reload();
    await page.locator(".doc .facts", { hasText: "4,000" }).waitFor();
    expect(await isControlled()).toBe(true);
    await context.close();
  });

  test("a page that is open keeps the files of its version when the server has a newer one", async () => {
    const updated = await Explorer.start();
    const { page, web } = updated;
    page.setDefaultTimeout(10_000);
    await page.goto(web.url);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await page.reload();
    await openLocalFile(page);
    // The new version has scripts with different names.
    const worker = new TextDecoder().decode(script("offline.js"));
    const newer = worker.replace(/cfile-explorer-(?=\w)/, "$&next-").replaceAll(/"chunks\/[^"]+",?/g, "");
    web.files.set("offline.js", { body: newer, type: "text/javascript" });
    for (const name of [...web.files.keys()].filter((one) => one.startsWith("chunks/"))) {
      web.files.delete(name);
    }
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    await page.waitForFunction(() =>
      caches.keys().then((names) => names.length > 1 || /-next-/.test(`${names}`)),
    );
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.locator(".chart canvas").waitFor();
    expect(updated.complaints).toEqual([]);
    await updated.close();
  });

  test("opens a dropped file", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator(".drop").waitFor();
    const bytes = [...golden("enc_int32_plain_n7.cfile")];
    await page.evaluate((given) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(given)], "dropped.cfile"));
      dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
    }, bytes);
    const heading = page.getByRole("heading", { name: "dropped.cfile" });
    await heading.waitFor();
    expect(await heading.isVisible()).toBe(true);
  });

  test("the page reported no error", () => {
    expect(explorer.complaints).toEqual([]);
  });
});
