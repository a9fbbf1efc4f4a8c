import { expect, it } from "vitest";
import { commandReference, readCommands } from "../src/command-reference.mjs";

const commands = await readCommands();

it("lists every command and its subcommands", async () => {
  const names = commands.flatMap(({ name, parts }) => [name, ...parts.map((part) => part.name)]);
  expect(names).toContain("cfile inspect");
  expect(names).toContain("cfile table create");
  const page = await commandReference();
  expect(names.filter((name) => !page.includes(`# ${name}\n`))).toEqual([]);
});

it("lists options with their descriptions and defaults", async () => {
  const page = await commandReference();
  expect(page).toContain(
    "| `--blocks` | most data blocks and most index blocks to list, or all | text | `20` |",
  );
  expect(page).toMatch(/\| `--restart-interval` \| [^|]* \| text \| 16 \|/);
});

it("describes every option", () => {
  const all = commands.flatMap((command) => [command, ...command.parts]);
  const silent = all.flatMap(({ name, options }) =>
    options
      .filter(({ settings }) => !settings.hidden && !settings.describe)
      .map((option) => `${name} ${option.name}`),
  );
  expect(silent).toEqual([]);
});
