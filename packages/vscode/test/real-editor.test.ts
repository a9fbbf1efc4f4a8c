/**
 * The packed extension in a real editor, code-server, in headless Chromium: its build for the desktop in the editor's server, and its
 * build for the web in the browser's worker. `CFILE_CODE_SERVER` is the folder of the npm package `code-server`; without it,
 * this test is skipped, because its installation compiles native modules.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findChromium } from "@cfile-tools/browser";
import type { FileServer } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CodeServer } from "./code-server.js";
import { goldenServer } from "./web-editor/golden-server.js";

// Starting the editor takes half a minute.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const REPORTS = join(import.meta.dirname, "../reports");

const chromium = findChromium();
const folder = process.env["CFILE_CODE_SERVER"];

describe.skipIf(chromium.path === undefined || folder === undefined).each(["desktop", "web"] as const)(
  "in a real editor, the build for the %s",
  (build) => {
    let editor: CodeServer;
    let web: FileServer;

    beforeAll(async () => {
      web = await goldenServer();
      editor = await CodeServer.start(folder ?? "", build, chromium);
    });
    afterAll(async () => {
      await editor?.close();
    });

    const shot = (name: string) =>
      editor.page.screenshot({ path: join(REPORTS, `editor-${build}-${name}.png`) });

    test("opens a Parquet file, an HFile, a CFile and a damaged one in its own editor", async () => {
      const parquet = await editor.open(/alltypes/);
      await parquet.getByRole("tab", { name: "Data" }).click();
      await parquet.locator(".grid-row").nth(7).waitFor();
      const ids = await parquet
        .locator(".grid-row")
        .evaluateAll((rows) => rows.map((row) => row.querySelector('[role="gridcell"]')?.textContent));
      expect(ids).toEqual(["4", "5", "6", "7", "2", "3", "0", "1"]);
      const hfile = await editor.open(/cells/);
      await hfile.getByText("No damage found").waitFor();
      const whole = await editor.open(/whole/);
      await whole.getByText("all checksums match").waitFor();
      const damaged = await editor.open(/damaged/);
      expect(await damaged.locator(".recovery").textContent()).toContain("rows can be recovered");
      mkdirSync(REPORTS, { recursive: true });
      await shot("file");
    });

    test("opens the folder of a Kudu server from the context menu", async () => {
      await editor.chooseInMenu(/server/, "Open with cfile");
      const shown = editor.view();
      await shown.getByRole("button", { name: "Expand small" }).waitFor();
      await shown.getByRole("button", { name: "Expand altered" }).click();
      await shot("folder");
      expect(await shown.locator(".doc h1").textContent()).toBe("server");
    });

    test("opens a folder behind a URL, and reads ranges of its files", async () => {
      const folder = "golden/servers/log/ts/";
      await editor.openUrl(`${web.url}${folder}`);
      const shown = editor.view();
      await shown.getByRole("button", { name: "Expand altered" }).click();
      await shown
        .getByRole("button", { name: /^Tablet / })
        .first()
        .click();
      await shown.locator(".grid-row").first().waitFor();
      const read = web.served.filter(({ path }) => path.startsWith(folder) && !path.endsWith("/"));
      expect(read.length).toBeGreaterThan(5);
      // An empty file has no ranges: 416.
      expect(read.filter(({ status }) => status !== 206 && status !== 416)).toEqual([]);
      await shot("remote");
    });

    test("runs where the build belongs: the web's in a worker of the page", () => {
      expect(editor.loaded.some((url) => decodeURIComponent(url).includes("/dist/web.js"))).toBe(
        build === "web",
      );
    });
  },
);
