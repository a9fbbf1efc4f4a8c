/** The package of the extension, packed by `@vscode/vsce`. Nothing is requested from the network. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { PACKAGE, packExtension } from "./pack-extension.js";

it("has the code for the desktop and for the web, the page, its description, and nothing else", async () => {
  const vsix = readFileSync(await packExtension(temporaryFolder()));
  expect(namesInZip(vsix).sort()).toEqual([
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/dist/node.js",
    "extension/dist/page/page.css",
    "extension/dist/page/page.js",
    "extension/dist/page/worker.js",
    "extension/dist/web.js",
    "extension/icon.png",
    "extension/package.json",
    "extension/readme.md",
  ]);
});

it("names its files, and the web build needs no module of Node", () => {
  const { main, browser } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  expect([main, browser]).toEqual(["./dist/node.js", "./dist/web.js"]);
  const web = readFileSync(join(PACKAGE, browser), "utf8");
  const required = new Set(Array.from(web.matchAll(/\brequire\("([^"]+)"\)/g), ([, name]) => name));
  expect([...required]).toEqual(["vscode"]);
});

/** The names in the central directory, whose entries have 46 bytes before the name. */
function namesInZip(bytes: Buffer): string[] {
  const end = bytes.lastIndexOf("PK\x05\x06");
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const length = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString("utf8", at + 46, at + 46 + length));
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
}
