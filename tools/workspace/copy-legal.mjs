/**
 * Copies the license and the notice into the package that is being packed. Runs in the package's folder as
 * `prepack`.
 */
import { copyFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

for (const file of ["../../LICENSE", "../../NOTICE"]) {
  copyFileSync(fileURLToPath(new URL(file, import.meta.url)), basename(file));
}
