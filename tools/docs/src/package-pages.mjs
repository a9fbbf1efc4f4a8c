/** A page for every package: its README, and the way to its API reference. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { docsFolder, packages } from "./folders.mjs";

export function writePackagePages() {
  const folder = join(docsFolder, "packages");
  mkdirSync(folder, { recursive: true });
  for (const { folder: name, isLibrary } of packages()) {
    const lines = [
      "---",
      `source: ../../packages/${name}/README.md`,
      "---",
      "",
      `<!--@include: ../../packages/${name}/README.md-->`,
      "",
    ];
    if (isLibrary) {
      lines.push("## Every export", "", `[The API reference of this package](../api/${name}.md).`, "");
    }
    writeFileSync(join(folder, `${name}.md`), lines.join("\n"));
  }
}
