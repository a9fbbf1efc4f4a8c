/** One page per package: its README and a link to its API reference. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { docsFolder, packages } from "./folders.mjs";

export function writePackagePages() {
  const folder = join(docsFolder, "packages");
  mkdirSync(folder, { recursive: true });
  for (const { folder: name, isLibrary, entries } of packages()) {
    const lines = [
      "---",
      `source: ../../packages/${name}/README.md`,
      "---",
      "",
      `<!--@include: ../../packages/${name}/README.md-->`,
      "",
    ];
    if (isLibrary) {
      const pages = entries.map((entry) => `[\`${entry.name}\`](../api/${entry.page}.md)`);
      lines.push("## Every export", "", `The API reference: ${pages.join(", ")}.`, "");
    }
    writeFileSync(join(folder, `${name}.md`), lines.join("\n"));
  }
}
