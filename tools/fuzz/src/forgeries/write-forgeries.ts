/** `pnpm --filter @cfile-tools/fuzz run forge` writes the crafted files and their lines in the README. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { FORGED_COLUMNS } from "./forged-columns.js";
import { FORGED_OTHERS, type Forgery } from "./forged-others.js";

const folder = new URL("../../../../fixtures/bad/", import.meta.url);

export function allForgeries(): Readonly<Record<string, Forgery>> {
  const columns = Object.entries(FORGED_COLUMNS).map(
    ([what, make]) => [what, { harness: "CFile: scan", subject: "", make }] as const,
  );
  return { ...Object.fromEntries(columns), ...FORGED_OTHERS };
}

export function fileNameOf(what: string): string {
  return `forged-${what
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-+$/, "")}.bin`;
}

export async function writeForgeries(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const readme = new URL("README.md", folder);
  const kept = readFileSync(readme, "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("| `forged-"));
  const lines: string[] = [];
  for (const [what, { harness, subject, make }] of Object.entries(allForgeries())) {
    const name = fileNameOf(what);
    writeFileSync(new URL(name, folder), await make());
    lines.push(`| \`${name}\` | ${harness} | ${subject === "" ? "nothing" : subject} | 0 | ${what} |`);
  }
  const end = kept.findLastIndex((line) => line.startsWith("|"));
  writeFileSync(readme, [...kept.slice(0, end + 1), ...lines, ...kept.slice(end + 1)].join("\n"));
  return lines.length;
}

if (process.argv[1]?.endsWith("write-forgeries.js")) {
  console.log(`${await writeForgeries()} files in fixtures/bad`);
}
