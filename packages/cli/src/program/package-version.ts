/** The version of this package. */
import { readFileSync } from "node:fs";

export function packageVersion(): string {
  const json: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof json === "object" && json !== null && "version" in json ? String(json.version) : "unknown";
}
