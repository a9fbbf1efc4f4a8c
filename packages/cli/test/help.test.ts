/** The text of every `--help`, in `help.txt`; `vitest run -u test/help.test.ts` updates it. */
import { expect, test } from "vitest";
import type { CommandEntry } from "../src/program/command.js";
import { COMMANDS } from "../src/program/commands.js";
import { output } from "./run.js";

interface NamedEntry {
  readonly words: readonly string[];
  readonly entry: CommandEntry;
}

function allOf(entry: CommandEntry, words: readonly string[] = []): NamedEntry[] {
  const parts = Object.entries(entry.commands ?? {});
  return [{ words, entry }, ...parts.flatMap(([name, part]) => allOf(part, [...words, name]))];
}

const entries = allOf(COMMANDS);

test("help texts match help.txt", async () => {
  const texts = [];
  for (const { words } of entries) {
    const text = await output([...words, "--help"], { env: { COLUMNS: "100" } });
    texts.push(`$ ${["cfile", ...words, "--help"].join(" ")}\n${text}`);
  }
  await expect(texts.join("\n")).toMatchFileSnapshot("help.txt");
});

test.each(entries)(
  "summary, options and examples of cfile $words follow the rules",
  async ({ words, entry }) => {
    expect(entry.summary).toMatch(/^[A-Z][^.]*$/);
    expect(words.length === 0 || entry.summary.length < 60).toBe(true);
    const command = await entry.load?.();
    for (const [key, { summary }] of Object.entries({ ...command?.args, ...command?.options })) {
      expect(summary, key).toMatch(/^(?:[^A-Z]|HTTP|CFile|HFile|Bloom|NDJSON|SQL)/);
      expect(summary, key).not.toMatch(/\.$/);
    }
    const { examples = [] } = command ?? entry;
    expect(examples.length).toBeGreaterThan(0);
    const text = await output([...words, "--help"], { env: { COLUMNS: "100" } });
    for (const [, line] of examples) {
      expect(line).toContain(["cfile", ...words, ""].join(" "));
      expect(text).toContain(line);
    }
  },
);
