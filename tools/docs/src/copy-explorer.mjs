/** Copies the explorer, a separate application, to `/explorer` of the built site. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { docsFolder, root } from "./folders.mjs";

const built = join(root, "packages", "explorer", "dist");
const target = join(docsFolder, ".vitepress", "dist", "explorer");

rmSync(target, { recursive: true, force: true });
cpSync(built, target, { recursive: true });
