/** Files below `fixtures/`. A missing fixture fails the test instead of skipping it. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const fixtures = join(import.meta.dirname, "../../../fixtures");

/** The path of a file or folder, such as `datasets/airports.csv`. */
export function pathToFixture(path: string): string {
  const full = join(fixtures, path);
  statSync(full);
  return full;
}

/** The path of a file or folder below `fixtures/golden`. */
export function pathToGolden(path: string): string {
  return pathToFixture(`golden/${path}`);
}

/** The bytes of a file below `fixtures/golden`, in a new array. */
export function readGolden(path: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(pathToGolden(path)));
}

/** The content of a JSON file below `fixtures/golden`. */
export function readGoldenJson<T>(path: string): T {
  return JSON.parse(readFileSync(pathToGolden(path), "utf8")) as T;
}

/**
 * Names of the files in a folder of `fixtures/golden` that end with `suffix`, sorted, without the suffix.
 * Throws when no file matches.
 */
export function listGolden(folder: string, suffix: string): string[] {
  const names = readdirSync(pathToGolden(folder))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, file.length - suffix.length))
    .sort();
  if (names.length === 0) {
    throw new Error(`no file in fixtures/golden/${folder} ends with ${suffix}`);
  }
  return names;
}

const CLIENT_ROWS = {
  log: ["servers/log/rows", "cluster-log/rows"],
  file: ["cluster-file/rows"],
  encrypted: ["servers/encrypted/rows"],
} as const;

/** The files with the rows that Kudu's own client read from each table of a server, for `readGoldenJson`. */
export function clientRowFiles(server: keyof typeof CLIENT_ROWS): string[] {
  return CLIENT_ROWS[server].flatMap((folder) =>
    listGolden(folder, ".json").map((table) => `${folder}/${table}.json`),
  );
}
