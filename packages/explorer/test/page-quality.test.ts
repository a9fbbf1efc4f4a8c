/** All views: accessibility, size, start-up time, offline use, no foreign hosts. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explorerFolder } from "../index.js";
import { chromium, Explorer, GOLDEN, golden } from "./explorer-page.js";

const MAX_SCRIPT_BYTES = 300 * 1024;
const MAX_START_MILLISECONDS = 2000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const VIEWS = [
  ["map", "#url=idx_string_prefix_opt.cfile&block=16", ".hex .note"],
  ["data", "#url=idx_string_prefix_opt.cfile&tab=data&row=300", ".grid-row.active"],
  ["profile", "#url=idx_string_prefix_opt.cfile&tab=profile", ".chart canvas"],
  ["compare", "#url=idx_string_prefix_opt.cfile&tab=compare", ".compare .chart canvas"],
  ["damaged", "#url=damaged.cfile", ".recovery"],
  ["welcome, with recent files,", "", ".recent li"],
] as const;

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

describe.skipIf(chromium.path === undefined)("the page in Chromium", () => {
  let explorer: Explorer;

  beforeAll(async () => {
    const name = "idx_string_prefix_opt.cfile";
    const damaged = Uint8Array.from(golden(name));
    damaged[2000] = (damaged[2000] ?? 0) ^ 1;
    explorer = await Explorer.start({ [name]: { body: golden(name) }, "damaged.cfile": { body: damaged } });
  });
  afterAll(async () => {
    await explorer?.close();
  });

  test.each(VIEWS)("%s has no accessibility violation, light and dark", async (view, link, ready) => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url + link);
    await page.locator(ready).first().waitFor();
    await requireAccessible(view);
  });

  test("replicas of a cluster have no accessibility violation, light and dark", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(join(GOLDEN, "kudu-cluster/four"));
    await page.getByRole("button", { name: "Expand sales" }).click();
    await page.getByRole("button", { name: /^Tablet f727ed91/ }).click();
    await page.getByRole("button", { name: "Compare the rows" }).click();
    await page.getByText("The rows of all replicas are equal.").waitFor();
    await requireAccessible("replicas");
  });

  test("regions of a table have no accessibility violation, light and dark", async () => {
    const { page } = explorer;
    await page.goto("about:blank");
    await page.goto(explorer.web.url);
    await page.locator('input[aria-label="Folder"]').setInputFiles(join(GOLDEN, "hbase-root/root"));
    await page.getByRole("button", { name: /^clone0/ }).click();
    await page.getByRole("table", { name: /regions$/ }).waitFor();
    await requireAccessible("regions");
  });

  async function requireAccessible(view: string): Promise<void> {
    const { page } = explorer;
    await page.evaluate(axe);
    const violations: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
      await page.evaluate(colorsAtRest);
      violations.push(...(await violationsOf(colorScheme === "light" ? TAGS : ["wcag2aa"])));
      await explorer.shot(`${view}-${colorScheme}`);
    }
    expect(violations).toEqual([]);
  }

  /** Waits until the colors have faded from one theme to the other; fades start within a frame. */
  async function colorsAtRest(): Promise<void> {
    for (let frame = 0; frame < 2; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const fades = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(fades.map(({ finished }) => finished));
  }

  function violationsOf(values: readonly string[]): Promise<string[]> {
    return explorer.page.evaluate(async (tags) => {
      const { axe: checker } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await checker.run({ runOnly: { type: "tag", values: tags } });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    }, values);
  }

  test("shows the rows of a file within two seconds", async () => {
    const { page } = explorer;
    const times: number[] = [];
    for (let run = 0; run < 3; run++) {
      const started = performance.now();
      await explorer.open("idx_string_prefix_opt.cfile", "&tab=data");
      await explorer.cells(10);
      times.push(performance.now() - started);
    }
    console.log(`From the address to rows: ${times.map(Math.round).join(", ")} ms`);
    expect(Math.min(...times)).toBeLessThan(MAX_START_MILLISECONDS);
    expect(await page.locator(".grid-row").count()).toBeGreaterThan(10);
  });

  test("works offline after the first load, samples included, and contacts only the page's own server", async () => {
    const context = await explorer.browser.newContext();
    const page = await context.newPage();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(explorer.web.url);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await context.setOffline(true);
    await page.reload();
    await page.locator('input[aria-label="Files"]').setInputFiles({
      name: "local.cfile",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(golden("idx_string_prefix_opt.cfile")),
    });
    await page.getByText("No damage found").waitFor();
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
