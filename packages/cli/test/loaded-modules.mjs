/** With `--import`: prints loaded modules on stderr, and hides one as if it were not installed. */
import { register } from "node:module";

const { LOADED_MODULES, HIDDEN_MODULE } = process.env;
const hooks = `
import { writeSync } from "node:fs";
export async function resolve(specifier, context, next) {
  if (specifier === ${JSON.stringify(HIDDEN_MODULE ?? "")}) {
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }
  const found = await next(specifier, context);
  if (${LOADED_MODULES === "1"}) {
    writeSync(2, found.url + "\\n");
  }
  return found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
