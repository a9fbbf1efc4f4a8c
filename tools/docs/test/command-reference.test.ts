import { expect, it } from "vitest";
import { commandReference, readCommands } from "../src/command-reference.mjs";

const { commands } = await readCommands();
const all = commands.flatMap((command) => [command, ...command.parts]);

it("has a section for every command and its parts", async () => {
  const names = all.map(({ name }) => name);
  expect(names).toContain("cfile inspect");
  expect(names).toContain("cfile table create");
  const page = await commandReference();
  expect(names.filter((name) => !page.includes(`# ${name}\n`))).toEqual([]);
});

it("has options with their summary, choices and default", async () => {
  const page = await commandReference();
  expect(page).toContain('| `--blocks N` | maximum number of blocks to list per section, or "all" | 20 |');
  expect(page).toMatch(/\| `--restart-interval N` \| [^|]* \| 16 \|/);
  expect(page).toMatch(/\| `--format NAME` \| output format: `table`, `json`, `ndjson`, `csv` \| table \|/);
  expect(page).toMatch(/\| `-o`, `--output DIR` \| [^|]* \| required \|/);
});

it("has a summary of every option", () => {
  const silent = all.flatMap(({ name, command }) =>
    Object.entries({ ...command?.args, ...command?.options })
      .filter(([, { summary }]) => summary === "")
      .map(([option]) => `${name} ${option}`),
  );
  expect(silent).toEqual([]);
});
