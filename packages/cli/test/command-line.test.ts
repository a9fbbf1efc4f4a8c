import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/program/commands.js";
import { goldenPath } from "./golden.js";
import { output, run } from "./run.js";

const path = goldenPath("enc_int32_plain_n9");

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

test("--version prints the package's version", async () => {
  expect(await output(["--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("completion", () => {
  test("writes a script for the shell", async () => {
    expect(await output(["completion"])).toContain("_cfile_completions");
  });

  test("offers commands and options", async () => {
    const offered = async (...words: string[]): Promise<string[]> =>
      (await output(["--get-completions", ...words])).trim().split("\n");
    const { commands = {} } = COMMANDS;
    expect(await offered("")).toEqual(Object.keys(commands));
    for (const [group, { commands: parts }] of Object.entries(commands)) {
      if (parts !== undefined) {
        expect(await offered(group, "")).toEqual(Object.keys(parts));
      }
    }
    expect(await output(["--get-completions", "cat", "--"])).toContain("--rows");
    expect(await output(["--get-completions", "table", "scan", "--"])).toContain("--where");
  });
});

test("an aborted command ends with exit code 130", async () => {
  const stop = new AbortController();
  stop.abort();
  const { code, stderr } = await run(["digest", path], { signal: stop.signal });
  expect({ code, stderr }).toEqual({ code: 130, stderr: "cfile: interrupted\n" });
});
