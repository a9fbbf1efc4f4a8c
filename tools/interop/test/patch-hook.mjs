/** Loads one module with a text in it replaced. */
import { readFile } from "node:fs/promises";

/** @type {{ path: string, text: string, replacement: string }} */
let patch = { path: "\0", text: "", replacement: "" };

/** @param {typeof patch} data */
export function initialize(data) {
  patch = data;
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith(patch.path)) {
    return nextLoad(url, context);
  }
  const source = await readFile(new URL(url), "utf8");
  if (!source.includes(patch.text)) {
    throw new RangeError(`${url} has no ${patch.text}`);
  }
  return { format: "module", shortCircuit: true, source: source.replace(patch.text, patch.replacement) };
}
