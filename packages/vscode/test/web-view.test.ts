/**
 * The page of the extension in a web view that this test simulates: Chromium, the page's own policy, and messages that the extension's
 * code answers. `real-editor.test.ts` opens the packed extension in a real editor, where one is installed.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { memorySource } from "@cfile/io";
import { httpSource } from "@cfile/io/http";
import { accessibilityProblems, findChromium, launchChromium } from "@cfile-tools/browser";
import { serveFiles, temporaryFolder, timesUntilBelow } from "@cfile-tools/testkit";
import { createCFile, memorySink } from "cfile";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFile } from "../src/disk-file.js";
import { type NamedFile, OpenFiles, type ReadMessage } from "../src/open-files.js";
import { pageHtml } from "../src/page-html.js";

const GOLDEN = join(import.meta.dirname, "../../../fixtures/golden");
const DIST = join(import.meta.dirname, "../dist/page");
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const ZEROS = Buffer.alloc(MIB);
const MAX_PAINT_MILLISECONDS = 1000;
/** On a slow machine: maximum ratio to the time of a file with a few rows. */
const MAX_PAINT_RATIO = 2;

const chromium = findChromium();

describe.skipIf(chromium.path === undefined)("the page in a web view", () => {
  let browser: Browser;
  let page: Page;
  let url: string;
  let files: readonly NamedFile[] = [];
  let open = new OpenFiles([]);
  let bytesRead = 0;
  const complaints: string[] = [];
  const saved: { name: string; bytes: number }[] = [];
  const folder = temporaryFolder();

  beforeAll(async () => {
    const script = (name: string, type: string) => ({ body: readFileSync(join(DIST, name)), type });
    const web = await serveFiles({
      "index.html": {
        body: pageHtml({ script: "page.js", worker: "worker.js", style: "page.css", source: "'self'" }),
        type: "text/html",
      },
      "page.js": script("page.js", "text/javascript"),
      "worker.js": script("worker.js", "text/javascript"),
      "page.css": script("page.css", "text/css"),
      "favicon.ico": { body: "" },
    });
    url = web.url;
    browser = await launchChromium(chromium);
    page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(10_000);
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.exposeFunction("toExtension", answer);
    await page.addInitScript(hostOfPage);
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Answers a message like `showFiles` of the extension; bytes are text, as Playwright requires. */
  async function answer(message: ReadMessage | { ready: true } | { save: { name: string; size: number } }) {
    if ("ready" in message) {
      return { files: files.map(({ path, isRemote }, host) => ({ path, host, isRemote })) };
    }
    if ("save" in message) {
      saved.push({ name: message.save.name, bytes: message.save.size });
      return undefined;
    }
    const { bytes, ...rest } = await open.answer(message);
    bytesRead += bytes?.length ?? 0;
    return bytes === undefined ? rest : { ...rest, base64: Buffer.from(bytes).toString("base64") };
  }

  /** The page's side of the messages. */
  function hostOfPage(): void {
    const { toExtension } = globalThis as unknown as {
      toExtension: (message: unknown) => Promise<object | undefined>;
    };
    const postMessage = async (message: object): Promise<void> => {
      const plain =
        "save" in message
          ? {
              save: {
                name: (message.save as File).name,
                size: (message.save as { bytes: Uint8Array }).bytes.length,
              },
            }
          : message;
      const reply = (await toExtension(plain)) as { base64?: string } | undefined;
      if (reply !== undefined) {
        const { base64, ...rest } = reply;
        const bytes =
          base64 === undefined ? {} : { bytes: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) };
        dispatchEvent(new MessageEvent("message", { data: { ...rest, ...bytes } }));
      }
    };
    Object.assign(globalThis, { acquireVsCodeApi: () => ({ postMessage }) });
  }

  async function show(...shown: readonly NamedFile[]): Promise<void> {
    files = shown;
    open = new OpenFiles(shown);
    bytesRead = 0;
    await page.goto("about:blank");
    await page.goto(url);
    await page.locator(".doc h1").waitFor();
  }

  function golden(name: string): NamedFile {
    return { path: basename(name), open: async () => diskFile(join(GOLDEN, name)) };
  }

  function json<T>(name: string): T {
    return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), "utf8"));
  }

  async function cells(tab = "Data"): Promise<string[][]> {
    await page.getByRole("tablist", { name: "Views" }).getByRole("tab", { name: tab }).click();
    await page.locator(".grid-row").nth(5).waitFor();
    await page.waitForFunction(() => document.querySelector(".grid-row .pending") === null);
    return page.evaluate(() =>
      [...document.querySelectorAll(".grid-row")].map((row) =>
        [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.textContent ?? ""),
      ),
    );
  }

  const text = (hex: string): string => Buffer.from(hex, "hex").toString();

  test.each(["enc_int32_plain_n1000", "enc_int64_bshuf_null_n1000"])(
    "shows the values of %s",
    async (name) => {
      await show(golden(`${name}.cfile`));
      const { values } = json<{ values: unknown[] }>(name);
      const shown = await cells();
      expect(shown.slice(0, 5).map(([cell]) => cell)).toEqual(values.slice(0, 5).map(String));
    },
  );

  test("shows the strings of a dictionary, and saves an export through the editor", async () => {
    await show(golden("enc_string_dict_null_n1000.cfile"));
    const { values } = json<{ values: (string | null)[] }>("enc_string_dict_null_n1000");
    expect((await cells()).slice(0, 5).map(([cell]) => cell)).toEqual(
      values.slice(0, 5).map((value) => (value === null ? "null" : text(value))),
    );
    await page.getByRole("tab", { name: "Compare and export" }).click();
    await page.getByRole("button", { name: "NDJSON", exact: true }).click();
    await expect
      .poll(() => saved)
      .toEqual([{ name: "enc_string_dict_null_n1000.ndjson", bytes: expect.any(Number) }]);
  });

  test("shows the tables of a folder of a Kudu server", async () => {
    const root = join(GOLDEN, "servers/log/ts");
    const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const found = names.map(({ parentPath, name }) => join(parentPath, name));
    await show(
      ...found.map((path) => ({ path: `ts${path.slice(root.length)}`, open: async () => diskFile(path) })),
    );
    await page.getByRole("button", { name: "Expand altered" }).click();
    const { snapshots } = json<{ snapshots: { tablets: Record<string, unknown[][]> }[] }>(
      "servers/log/rows/altered",
    );
    const tablets = Object.entries(snapshots.at(-1)?.tablets ?? {});
    const [id = "", rows = []] = tablets.find(([, all]) => all.length >= 20) ?? [];
    await page.getByRole("button", { name: new RegExp(`^Tablet ${id.slice(0, 8)}`) }).click();
    expect((await cells()).slice(0, 5).map((row) => row.slice(0, 2))).toEqual(
      rows.slice(0, 5).map((row) => row.slice(0, 2).map(String)),
    );
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("shows the damage of a damaged file", async () => {
    const bytes = readFileSync(join(GOLDEN, "idx_int32_plain_opt.cfile"));
    bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
    const path = join(folder, "damaged.cfile");
    writeFileSync(path, bytes);
    await show({ path: "damaged.cfile", open: async () => diskFile(path) });
    await page.getByText("This file is damaged").waitFor();
    expect(await page.locator(".recovery").textContent()).toMatch(/rows can be recovered of 12,000/);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test.each([
    "enc_string_dict_null_n1000.cfile",
    "deltafile/delta_redo_small.cfile",
    "bloomfile/bloom_small.cfile",
    "hfile/hbase_2_6_1_4KB_NONE_tags.hfile",
    "parquet/alltypes_plain.parquet",
  ])("every view of %s is accessible", async (name) => {
    await show(golden(name));
    const tabs = page.getByRole("tablist", { name: "Views" }).getByRole("tab");
    for (const tab of await tabs.all()) {
      await tab.click();
      await page.waitForFunction(() => document.querySelector(".pending") === null);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });

  test("shows why a file cannot be read", async () => {
    await show(golden("enc_int32_plain_n7.cfile"));
    files = [{ path: "gone.cfile", open: async () => diskFile(join(folder, "gone.cfile")) }];
    open = new OpenFiles(files);
    await page.goto("about:blank");
    await page.goto(url);
    expect(await page.getByText(/E_NOT_FOUND: .*no such file/).textContent()).toContain(
      "cannot open the file",
    );
  });

  test.each(["this machine", "a URL"])(
    "paints a file of 1 GiB of %s within a second or twice the time of a small file, and reads only what it shows",
    async (place) => {
      const { rows, openLarge, isRemote } = await largeFile(place === "a URL");
      const small = golden("enc_int32_plain_n7.cfile");
      const times = await timesUntilBelow(1, async () => {
        const smallTime = await paint(small, 7);
        const largeTime = await paint({ path: "large.cfile", open: openLarge, isRemote }, rows);
        console.log(
          `First paint of 1 GiB of ${place}: ${Math.round(largeTime)} ms, of a small file ${Math.round(smallTime)} ms`,
        );
        return largeTime / Math.max(MAX_PAINT_MILLISECONDS, MAX_PAINT_RATIO * smallTime);
      });
      expect(Math.min(...times)).toBeLessThan(1);
      expect(bytesRead).toBeLessThan(4 * 1024 * 1024);
      await page.getByRole("button", { name: "Check all blocks" }).waitFor();
    },
    // Writing 1 GiB alone takes some 20 seconds on a slow disk.
    90_000,
  );

  /** The milliseconds until the page shows a file's facts and its picture. */
  async function paint(file: NamedFile, rows: number): Promise<number> {
    files = [file];
    open = new OpenFiles(files);
    bytesRead = 0;
    await page.goto("about:blank");
    const started = performance.now();
    await page.goto(url);
    await page.locator(".doc .facts", { hasText: rows.toLocaleString("en-US") }).waitFor();
    await page.locator(".strip-canvas").waitFor();
    return performance.now() - started;
  }

  async function largeFile(isRemote: boolean) {
    if (isRemote) {
      // The memory of zeros is not used.
      const bytes = new Uint8Array(GIB + ZEROS.length);
      const { rows, size } = await writeGibibyte((part, at) => bytes.set(part, at));
      const web = await serveFiles({ "large.cfile": { body: bytes.subarray(0, size) } });
      return { rows, isRemote, openLarge: async () => httpSource(`${web.url}large.cfile`) };
    }
    const path = join(folder, "large.cfile");
    const file = openSync(path, "w");
    const { rows, size } = await writeGibibyte((part, at) => writeSync(file, part, 0, part.length, at));
    ftruncateSync(file, size);
    closeSync(file);
    return { rows, isRemote, openLarge: async () => diskFile(path) };
  }

  test.each([
    ["this machine", "Check again", false],
    ["a URL", "Check all blocks", true],
  ] as const)("a file of 2 MiB of %s has the button: %s", async (_, button, isRemote) => {
    const sink = memorySink();
    const writer = await createCFile(sink, { type: "INT32", encoding: "PLAIN_ENCODING" });
    await writer.append(new Int32Array(MIB / 2));
    await writer.finish();
    await show({
      path: "small.cfile",
      open: async () => memorySource(sink.bytes(), "small.cfile"),
      isRemote,
    });
    await page.getByRole("button", { name: button }).waitFor();
    if (isRemote) {
      expect(bytesRead).toBeLessThan(MIB / 2);
      await page.getByRole("button", { name: button }).click();
    }
    await page.getByText("No damage found").waitFor();
    expect(bytesRead).toBeGreaterThan(2 * MIB);
  });

  test("the page reported no error", () => {
    expect(complaints).toEqual([]);
  });
});

/** A column of 1 GiB of strings of zeros. `put` gets the parts that are not zeros, and their offsets. */
async function writeGibibyte(
  put: (part: Uint8Array, at: number) => void,
): Promise<{ rows: number; size: number }> {
  const value = new Uint8Array(8 * MIB);
  const rows = Math.ceil(GIB / value.length);
  let size = 0;
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!isZero(bytes)) {
      put(bytes, size);
    }
    size += bytes.length;
  };
  const close = async (): Promise<void> => undefined;
  const sink = { name: "large.cfile", write, close, abort: close };
  const writer = await createCFile(sink, { type: "BINARY", encoding: "PLAIN_ENCODING", checksums: false });
  for (let row = 0; row < rows; row++) {
    await writer.append([value]);
  }
  await writer.finish();
  return { rows, size };
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.length >= ZEROS.length && ZEROS.equals(bytes.subarray(-ZEROS.length));
}
