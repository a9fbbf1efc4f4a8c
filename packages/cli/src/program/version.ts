import { readFileSync } from "node:fs";

/** The version in the package's own package.json. */
export function packageVersion(): string {
  const json: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof json === "object" && json !== null && "version" in json ? String(json.version) : "unknown";
}
