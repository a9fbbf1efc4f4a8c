/** The Markdown pages that are written by hand. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { docsFolder } from "./folders.mjs";

/** Paths relative to `docs/`. */
export function sourcePages() {
  return ["", "format", "guide", "recipes", "spec"].flatMap((folder) =>
    readdirSync(join(docsFolder, folder))
      .filter((file) => file.endsWith(".md") && file !== "README.md")
      .map((file) => (folder === "" ? file : `${folder}/${file}`)),
  );
}
