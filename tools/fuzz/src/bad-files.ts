/** Files that crashed something are kept, with a line that says what they are. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Crash } from "./run-fuzz.js";

const folder = new URL("../../../fixtures/bad/", import.meta.url);

export function keepBadFile({ seed, harness, file, steps, reason, bytes }: Crash): string {
  mkdirSync(folder, { recursive: true });
  const name = `${harness.replaceAll(" ", "-")}-${seed}.cfile`;
  if (!existsSync(new URL(name, folder))) {
    const [first] = reason.split("\n");
    appendFileSync(
      new URL("README.md", folder),
      `- \`${name}\`: ${file}; ${steps.join("; ")}. ${harness}: ${first}\n`,
    );
  }
  writeFileSync(new URL(name, folder), bytes);
  return `fixtures/bad/${name}`;
}
