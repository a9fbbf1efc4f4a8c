/** Writes the generated pages: the API reference, the command reference, and the READMEs of the packages. */
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
