/**
 * Runs the comparisons over a server directory of the fixtures, with one change in copies of some modules.
 * Arguments for each module: end of its path, text, and its replacement; or no arguments. Prints the number
 * of problems.
 */
import { register } from "node:module";

const patches = [];
for (let rest = process.argv.slice(2); rest.length > 0; rest = rest.slice(3)) {
  const [path = "", text = "", replacement = ""] = rest;
  patches.push({ path, text, replacement });
}
if (patches.length > 0) {
  register("./patch-hook.mjs", import.meta.url, { data: patches });
}
const { comparedFixtures } = await import("../dist/kudu/compare/compare-fixtures.js");
console.log(JSON.stringify(await comparedFixtures()));
