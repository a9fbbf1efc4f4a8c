/** Writes the model's tables into `docs/spark.md`: `pnpm --filter @cfile-tools/spark model`. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { measuredConstants } from "./constants.js";
import { withModel } from "./model-tables.js";

const PAGE = fileURLToPath(new URL("../../../docs/spark.md", import.meta.url));

const page = await readFile(PAGE, "utf8");
await writeFile(PAGE, withModel(page, await measuredConstants()));
