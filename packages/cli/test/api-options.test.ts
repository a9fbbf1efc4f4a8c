/** In the command, errors of the libraries name the options of the command. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { withCommandOptions } from "../src/program/api-options.js";
import { flag } from "../src/program/option.js";
import { run } from "./run.js";

describe("withCommandOptions", () => {
  const names = ["blockSize", "batchRows", "historyMaxAge", "serverKey", "memory", "target", "asOf"];
  const options = Object.fromEntries(names.map((name) => [name, flag(name)]));

  test.each([
    ["invalid batchRows: 0 (must be an integer >= 1)", "invalid --batch-rows: 0 (must be an integer >= 1)"],
    ["use a smaller blockSize or batchRows", "use a smaller --block-size or --batch-rows"],
    ["(set historyMaxAgeSeconds if it kept more)", "(set --history-max-age if it kept more)"],
    ["invalid memoryBytes: 1 [memoryBytes]", "invalid --memory: 1 [--memory]"],
    ["invalid targetBytes: 0", "invalid --target: 0"],
    ["has the server key: pass serverKey.", "has the server key: pass --server-key."],
    ["the snapshot is gone [/data/t, asOf]", "the snapshot is gone [/data/t, --as-of]"],
  ])("%j becomes %j", (message, expected) => {
    expect(withCommandOptions(message, options)).toBe(expected);
  });

  test.each([
    'column "batchRows": row 1',
    "no such file: /data/batchRows/x, batchRows.cfile, my-batchRows",
    "exceeds maxBlockSize",
    "toString and hasOwnProperty",
  ])("leaves %j unchanged", (message) => {
    expect(withCommandOptions(message, options)).toBe(message);
  });
});

test("errors name the command's options, as text and as JSON", async () => {
  const folder = temporaryFolder();
  const csv = join(folder, "t.csv");
  await writeFile(csv, "id\n1\n");
  const create = ["table", "create", csv, "-o", join(folder, "t"), "--key", "id", "--memory", "1"];
  expect((await run(create)).stderr).toMatch(/^cfile: invalid --memory: 1 \(must be .* \[.*--memory\]\n$/);
  const { error } = JSON.parse((await run([...create, "--json"])).stderr);
  expect(error).toMatchObject({
    field: "memoryBytes",
    message: expect.stringMatching(/^invalid --memory: 1/),
  });
  const server = pathToGolden("servers/log");
  const old = ["--table", "short_history", "--as-of", "2026-11-21T01:00:00Z"];
  const { stderr } = await run(["kudu", "scan", server, ...old]);
  expect(stderr).toContain("(set --history-max-age if it kept more)");
});
