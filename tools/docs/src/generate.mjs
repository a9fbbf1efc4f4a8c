/** Writes the pages that are made of something else: the API reference, the command line, the packages' READMEs. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeApiReference } from "./api-reference.mjs";
import { writeCommandReference } from "./command-reference.mjs";
import { docsFolder } from "./folders.mjs";
import { writePackagePages } from "./package-pages.mjs";

for (const folder of ["api", "packages"]) {
  rmSync(join(docsFolder, folder), { recursive: true, force: true });
}
writePackagePages();
await writeCommandReference();
await writeApiReference();
