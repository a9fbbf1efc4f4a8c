/** Saves bytes that crashed a reader or were crafted to do so, with one descriptive line each. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Crash } from "../run-fuzz.js";

const folder = new URL("../../../../fixtures/bad/", import.meta.url);

export interface BadFile {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly harness: string;
  readonly subject: string;
  readonly seed: number;
}

export function keepBadFile({ seed, harness, subject, steps, reason, bytes }: Crash): string {
  mkdirSync(folder, { recursive: true });
  const name = `${harness.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${seed}.bin`;
  if (!existsSync(new URL(name, folder))) {
    const [first] = reason.split("\n");
    const what = `${steps.join("; ")}. ${first}`.replaceAll("|", "\\|");
    appendFileSync(
      new URL("README.md", folder),
      `| \`${name}\` | ${harness} | ${subject.replaceAll("|", "\\|")} | ${seed} | ${what} |\n`,
    );
  }
  writeFileSync(new URL(name, folder), bytes);
  return `fixtures/bad/${name}`;
}

/** The files that the README lists, with their origin. */
export function badFiles(): BadFile[] {
  const lines = readFileSync(new URL("README.md", folder), "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, file, harness, subject, seed] = /^\| `([^`]+)` \| (.+?) \| (.*?) \| (\d+) \| /.exec(line) ?? [];
    return file === undefined || harness === undefined || subject === undefined
      ? []
      : [{ file, harness, subject, seed: Number(seed), bytes: readBad(file) }];
  });
}

function readBad(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}
