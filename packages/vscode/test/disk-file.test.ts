import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { diskFile } from "../src/disk-file.js";

it("reads ranges, and refuses a file that changed since its first read", async () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, Uint8Array.of(1, 2, 3, 4));
  const file = diskFile(path);
  expect(await file.size()).toBe(4);
  expect([...(await file.read(1, 2))]).toEqual([2, 3]);
  expect([...(await file.read(3, 9))]).toEqual([4]);
  writeFileSync(path, Uint8Array.of(5));
  await expect(file.read(0, 1)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", path });
});

it("reports a missing file", async () => {
  const path = join(temporaryFolder(), "gone");
  await expect(diskFile(path).size()).rejects.toMatchObject({ code: "E_NOT_FOUND", path });
});
