import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fileNameOf, findExamples, matchesOutput } from "../src/code-blocks.js";
import { examplesOfComments } from "../src/comment-examples.js";
import { type ExampleResult, ScratchFolder } from "../src/run-example.js";

// These processes may take up to a minute.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL("..", import.meta.url));

const pages = [
  // The root has no packages of its own to import; this tool depends on all of them.
  { name: "README.md", readme: join(root, "README.md"), folder: here },
  ...documentationPages(),
  ...readdirSync(join(root, "packages"))
    .filter((entry) => !isPrivate(entry))
    .map((entry) => ({
      name: `packages/${entry}/README.md`,
      readme: join(root, "packages", entry, "README.md"),
      folder: join(root, "packages", entry),
    })),
  ...sourcesWithExamples(),
];

/** A private package is not for programs, and its README has no examples. */
function isPrivate(entry: string): boolean {
  return JSON.parse(readFileSync(join(root, "packages", entry, "package.json"), "utf8")).private === true;
}

/** Sources with examples in comments. */
function sourcesWithExamples(): { name: string; readme: string; folder: string }[] {
  return readdirSync(join(root, "packages"))
    .flatMap((entry) => filesIn(join("packages", entry, "src")))
    .filter((name) => readFileSync(join(root, name), "utf8").includes("@example"))
    .map((name) => ({ name, readme: join(root, name), folder: here }));
}

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) {
    return [];
  }
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : path.endsWith(".ts") ? [path] : [];
  });
}

/** Pages in `docs/` that show output. Examples of generated pages are tested where they come from. */
function documentationPages(): { name: string; readme: string; folder: string }[] {
  return ["", "guide", "recipes"]
    .flatMap((folder) => readdirSync(join(root, "docs", folder)).map((file) => join("docs", folder, file)))
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name, readme: join(root, name), folder: here }))
    .filter(
      ({ name, readme }) =>
        name !== join("docs", "cli.md") && /^```text$/m.test(readFileSync(readme, "utf8")),
    );
}

describe.each(pages)("$name", ({ readme, folder }) => {
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const markdown = readme.endsWith(".ts") ? examplesOfComments(text) : text;
  const modules = findExamples(markdown, ["js"]);
  const commands = findExamples(markdown, ["sh"]).filter(
    ({ code, output }) => output !== undefined && /^(\$ )?cfile /m.test(code),
  );
  const examples = [...modules, ...commands].sort((a, b) => a.line - b.line);
  const named = new Map(
    modules.flatMap((example): [string, string][] => {
      const name = fileNameOf(example);
      return name === undefined ? [] : [[name, example.code]];
    }),
  );
  let scratch: ScratchFolder;

  beforeAll(() => {
    scratch = new ScratchFolder(root);
  });
  afterAll(() => scratch.remove());

  it("has an example", () => {
    expect(examples.length).toBeGreaterThan(0);
  });

  for (const { language, code, line, output } of examples) {
    it(`line ${line} runs and prints what the page shows`, () => {
      const result = language === "sh" ? scratch.runShell(code) : scratch.runModule(code, folder, named);
      expectSuccess(result);
      if (output !== undefined && !matchesOutput(output, result.stdout)) {
        expect(result.stdout.trimEnd()).toBe(output);
      }
    });
  }
});

function expectSuccess({ status, stderr }: ExampleResult): void {
  expect(status === 0 ? "" : stderr, `exit code ${status}`).toBe("");
  expect(status).toBe(0);
}
