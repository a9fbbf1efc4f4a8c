/** Runs the demo as `npm start` does. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";

test("reports sizes, searches and the flipped bit, and leaves no files behind", async () => {
  const folder = temporaryFolder();
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const env = { ...process.env, TMPDIR: folder, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [main], { env });
  expect(stdout).toMatch(/Flight_Date +date +[\d,]+ +[\d,]+ +bitshuffle/);
  expect(stdout).toMatch(/As written, they take \d+\.\d % of the CSV/);
  expect(stdout).toContain("positional index");
  expect(stdout).toContain("row 1234  user_00003702@host1");
  expect(stdout).toContain("row 1667, user_00005001@host2");
  expect(stdout).toMatch(/E_CHECKSUM|checksum/);
  expect(stdout).toContain("exits with code 3");
  expect(stdout).toContain("original: ok, 4,000 rows");
  expect(await readdir(folder)).toEqual([]);
});
