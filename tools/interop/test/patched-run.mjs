/**
 * The harness over a server's directory of the fixtures, with a copy of one module of our packages in which one place is changed.
 * Arguments: end of the module's path, text, and text in its place; or none. Prints how much is wrong.
 */
import { register } from "node:module";

const [path, text = "", replacement = ""] = process.argv.slice(2);
if (path !== undefined) {
  register("./patch-hook.mjs", import.meta.url, { data: { path, text, replacement } });
}
const { comparedFixtures } = await import("../dist/kudu/compare-fixtures.js");
console.log(JSON.stringify(await comparedFixtures()));
