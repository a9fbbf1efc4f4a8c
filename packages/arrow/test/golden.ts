import { readdirSync, readFileSync } from "node:fs";
import { type CFileReader, openCFile } from "cfile";

const folder = new URL("../../../fixtures/golden/", import.meta.url);

export const goldenNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".cfile"))
  .map((file) => file.slice(0, -".cfile".length));

export function openGolden(name: string): Promise<CFileReader> {
  return openCFile(new Uint8Array(readFileSync(new URL(`${name}.cfile`, folder))));
}

export function goldenDigest(name: string): string {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")).sha256;
}

export { digestOf } from "@cfile-tools/any-column";
