import { describe, expect, test } from "vitest";
import { goldenPath } from "./golden.js";
import { output, run } from "./run.js";

const path = goldenPath("enc_int32_plain_n9");
const COMMANDS = [
  "inspect",
  "cat",
  "head",
  "get",
  "find",
  "digest",
  "verify",
  "write",
  "rewrite",
  "scan",
  "table",
  "bloom",
  "delta",
];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  table: ["create", "scan", "get", "update", "history", "diff", "compact", "verify"],
  bloom: ["check", "stats"],
  delta: ["cat"],
};
const PART_COMMANDS = Object.entries(PARTS).flatMap(([group, parts]) =>
  parts.map((part) => `${group} ${part}`),
);

describe("usage errors end with exit code 2 and one line", () => {
  test.each([
    ["no command", []],
    ["an unknown command", ["show", path]],
    ["an unknown option", ["cat", path, "--fast"]],
    ["no file", ["cat"]],
    ["too many files", ["cat", path, path]],
    ["an option without its value", ["cat", path, "--rows"]],
    ["an option given twice", ["cat", path, "--rows", "1:2", "--rows", "3:4"]],
    ["two formats", ["cat", path, "--ndjson", "--csv"]],
    ["an invalid range of rows", ["cat", path, "--rows", "1-2"]],
    ["rows that end before they start", ["cat", path, "--rows", "5:2"]],
    ["a negative count", ["head", path, "-n", "-1"]],
    ["an invalid scale", ["cat", path, "--decode", "--scale", "99"]],
    ["a missing row", ["get", path]],
    ["a row that is not a number", ["get", path, "--row", "first"]],
    ["a missing value", ["find", path]],
    ["a value of another type", ["find", path, "--value", "apple"]],
    ["an unknown encoding", ["rewrite", path, "/dev/null/x", "--encoding", "zip"]],
    ["an unknown compression", ["rewrite", path, "/dev/null/x", "--compression", "zstd"]],
    ["an invalid size", ["rewrite", path, "/dev/null/x", "--block-size", "many"]],
    ["a table without -o", ["write", "t.csv"]],
    ["a table of unknown format", ["write", "t.parquet", "-o", "t"]],
    ["standard input without a schema", ["write", "-", "-o", "t", "--format", "csv"]],
    ["an invalid number of blocks", ["inspect", path, "--blocks", "few"]],
  ])("%s", async (_name, args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^cfile: .+\n$/);
  });

  test("with --json the error is JSON", async () => {
    const { code, stderr } = await run(["cat", path, "--json", "--rows", "x"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { exit_code: 2, message: expect.stringContaining("--rows") },
    });
  });
});

describe("help", () => {
  test("lists the commands and examples", async () => {
    const text = await output(["--help"]);
    for (const command of COMMANDS) {
      expect(text).toContain(`cfile ${command}`);
    }
    expect(text).toContain("Examples:");
    expect(text).toContain("Exit codes:");
  });

  test.each([...COMMANDS, ...PART_COMMANDS])("of %s shows examples", async (command) => {
    const text = await output([...command.split(" "), "--help"]);
    expect(text).toContain("Examples:");
    expect(text).toMatch(new RegExp(`cfile ${command} .*\\n`));
  });

  test("--version prints the package's version", async () => {
    expect(await output(["--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("completion", () => {
  test("writes a script for the shell", async () => {
    expect(await output(["completion"])).toContain("_cfile_completions");
  });

  test("offers commands and options", async () => {
    const commands = await output(["--get-completions", ""]);
    for (const command of COMMANDS) {
      expect(commands).toContain(command);
    }
    expect(await output(["--get-completions", "cat", "--"])).toContain("--rows");
    for (const [group, parts] of Object.entries(PARTS)) {
      const offered = await output(["--get-completions", group, ""]);
      expect(offered.trim().split("\n")).toEqual(expect.arrayContaining([...parts]));
    }
    expect(await output(["--get-completions", "table", "scan", "--"])).toContain("--where");
  });
});

test("an aborted command ends with exit code 130", async () => {
  const stop = new AbortController();
  stop.abort();
  const { code, stderr } = await run(["digest", path], { signal: stop.signal });
  expect({ code, stderr }).toEqual({ code: 130, stderr: "cfile: interrupted\n" });
});
