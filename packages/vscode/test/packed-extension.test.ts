/** The content of the extension's package, as `@vscode/vsce` would pack it. Nothing is requested from the network. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, PackageManager } from "@vscode/vsce";
import { expect, it } from "vitest";

const cwd = join(import.meta.dirname, "..");

it("has the code for the desktop and for the web, the page, its description, and nothing else", async () => {
  const files = await listFiles({ cwd, packageManager: PackageManager.None });
  expect(files.sort()).toEqual([
    "README.md",
    "dist/node.js",
    "dist/page/page.css",
    "dist/page/page.js",
    "dist/page/worker.js",
    "dist/web.js",
    "icon.png",
    "package.json",
  ]);
});

it("names its files, and the web build needs no module of Node", () => {
  const { main, browser } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  expect([main, browser]).toEqual(["./dist/node.js", "./dist/web.js"]);
  const web = readFileSync(join(cwd, browser), "utf8");
  const required = new Set(Array.from(web.matchAll(/\brequire\("([^"]+)"\)/g), ([, name]) => name));
  expect([...required]).toEqual(["vscode"]);
});
