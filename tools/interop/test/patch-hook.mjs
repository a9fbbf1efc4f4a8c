/** Loads some modules with a piece of text replaced. */
import { readFile } from "node:fs/promises";

/** @type {readonly { path: string, text: string, replacement: string }[]} */
let patches = [];

/** @param {typeof patches} data */
export function initialize(data) {
  patches = data;
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  const patch = patches.find(({ path }) => url.endsWith(path));
  if (patch === undefined) {
    return nextLoad(url, context);
  }
  const source = await readFile(new URL(url), "utf8");
  if (!source.includes(patch.text)) {
    throw new RangeError(`${url} has no ${patch.text}`);
  }
  return { format: "module", shortCircuit: true, source: source.replaceAll(patch.text, patch.replacement) };
}
