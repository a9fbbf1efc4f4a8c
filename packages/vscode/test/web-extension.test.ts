/**
 * The built extension for the web: its code runs in a worker with a `vscode` module that this test provides, and its panels are frames
 * in Chromium. It opens golden files of each kind and compares the shown values with their JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findChromium } from "@cfile-tools/browser";
import { openCFile } from "cfile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GOLDEN_CASES, WITHOUT_A_CASE } from "./web-editor/golden-cases.js";
import { GOLDEN, goldenServer } from "./web-editor/golden-server.js";
import { WebEditor } from "./web-editor/web-editor.js";

const chromium = findChromium();

test("each golden folder and each kind of golden column has a case, or a reason why not", () => {
  const kinds = readdirSync(GOLDEN, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : entry.name.endsWith(".cfile") ? entry.name.split("_", 1) : [],
  );
  const shown = GOLDEN_CASES.map(({ path }) => path.split(path.includes("/") ? "/" : "_", 1)[0] ?? "");
  expect([...new Set([...shown, ...Object.keys(WITHOUT_A_CASE)])].sort()).toEqual([...new Set(kinds)].sort());
  expect(shown.filter((kind) => kind in WITHOUT_A_CASE)).toEqual([]);
});

test("each type of golden columns has a case", () => {
  const types = (names: readonly string[]) =>
    [...new Set(names.map((name) => JSON.parse(readFileSync(join(GOLDEN, name), "utf8")).type))].sort();
  const all = readdirSync(GOLDEN).filter((name) => name.endsWith(".cfile"));
  const shown = GOLDEN_CASES.map(({ path }) => path).filter((path) => all.includes(path));
  const json = (path: string) => path.replace(/cfile$/, "json");
  expect(types(shown.map(json))).toEqual(types(all.map(json)));
});

describe.skipIf(chromium.path === undefined)("the extension in a web worker", () => {
  let editor: WebEditor;

  beforeAll(async () => {
    editor = await WebEditor.start(await goldenServer(), chromium);
  });
  afterAll(async () => {
    await editor?.close();
  });

  test.each(GOLDEN_CASES)(
    "shows the rows of $path, $kind",
    async ({ path, reach, rows, shows = [], isUnordered }) => {
      await editor.open(path);
      await (reach?.(editor) ?? editor.tab("Data"));
      for (const text of shows) {
        expect(await editor.view.getByText(text).first().textContent()).toContain(text);
      }
      if (rows.length === 0) {
        return;
      }
      const cells = await editor.cells(Math.min(rows.length, 20));
      const shown = cells.map((row, i) => row.slice(0, rows[isUnordered ? 0 : i]?.length));
      if (isUnordered) {
        expect(rows.map(String)).toEqual(expect.arrayContaining(shown.map(String)));
      } else {
        expect(shown.slice(0, rows.length)).toEqual(rows);
      }
    },
  );

  test.each(["servers/log/ts", "kudu-cluster/four", "hbase-root/root"])(
    "opens the folder %s of a web server that lists it, and reads ranges of its files",
    async (folder) => {
      const { web } = editor;
      const found = GOLDEN_CASES.find(({ path }) => path === folder);
      web.served.length = 0;
      await editor.run("cfile.openUrl", `${web.url}golden/${folder}/`);
      await found?.reach?.(editor);
      const rows = found?.rows ?? [];
      const cells = (await editor.cells(rows.length)).map((row, i) => row.slice(0, rows[i]?.length));
      expect(cells.slice(0, rows.length)).toEqual(rows);
      const read = web.served.filter(
        ({ path }) => path.startsWith(`golden/${folder}/`) && !path.endsWith("/"),
      );
      expect(read.length).toBeGreaterThan(5);
      // An empty file has no ranges: 416.
      expect(read.filter(({ status }) => status !== 206 && status !== 416)).toEqual([]);
    },
  );

  test("reads a file behind a URL by ranges", async () => {
    const { web } = editor;
    const name = "large_int32_plain_validx";
    web.served.length = 0;
    await editor.run("cfile.openUrl", `${web.url}golden/${name}.cfile`);
    await editor.tab("Data");
    const bytes = readFileSync(join(GOLDEN, `${name}.cfile`));
    const file = await openCFile(bytes);
    expect((await editor.cells(20))[7]).toEqual([String(await file.get(7))]);
    const reads = web.served.filter(({ path }) => path.endsWith(`${name}.cfile`));
    expect(reads.every(({ status }) => status === 206)).toBe(true);
    // The end of the file first. The check of all blocks reads the rest.
    expect(reads[0]?.bytes).toBeLessThanOrEqual(16 * 1024);
    expect(Math.max(...reads.map((read) => read.bytes))).toBeLessThan(bytes.length);
  });

  test("shows the damage of a damaged file", async () => {
    const bytes = readFileSync(join(GOLDEN, "idx_int32_plain_opt.cfile"));
    bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
    editor.web.files.set("golden/damaged.cfile", { body: bytes });
    await editor.open("damaged.cfile");
    await editor.view.getByText("This file is damaged").waitFor();
    expect(await editor.view.locator(".recovery").textContent()).toMatch(/rows can be recovered of 12,000/);
  });

  test("saves an export where the user chooses", async () => {
    await editor.open("enc_int32_plain_n7.cfile");
    await editor.tab("Compare and export");
    await editor.click("NDJSON");
    await expect.poll(() => editor.saved).toEqual(["/saved/enc_int32_plain_n7.ndjson"]);
  });

  test("shows no error so far", () => {
    expect([...editor.complaints, ...editor.shownErrors]).toEqual([]);
  });

  test.each([
    ["cfile.open", "golden:/no/such/file", "E_NOT_FOUND: golden:/no/such/file: not found"],
    ["cfile.openUrl", "no URL", 'E_INVALID_ARGUMENT: invalid URL: "no URL" (expected https://…)'],
    ["cfile.openUrl", "http://127.0.0.1:1/folder/", /^E_IO: /],
  ])("%s shows why it cannot open %s", async (command, argument, message) => {
    editor.shownErrors.length = 0;
    await editor.run(command, argument);
    await expect
      .poll(() => editor.shownErrors)
      .toEqual([typeof message === "string" ? message : expect.stringMatching(message)]);
  });

  test("a file that the server does not have shows the error's code in its panel", async () => {
    await editor.run("cfile.openUrl", `${editor.web.url}golden/none.cfile`);
    expect(await editor.view.getByText(/E_NOT_FOUND/).textContent()).toContain("no such file");
  });
});
