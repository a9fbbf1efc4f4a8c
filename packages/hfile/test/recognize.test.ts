import { memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { isHFile } from "../src/index.js";
import { goldenFile, goldenFiles } from "./golden.js";

const { bytes } = goldenFile("hbase_2_6_1_8KB_SNAPPY");
const isOne = (file: Uint8Array): Promise<boolean> => isHFile(memorySource(file));

describe("isHFile", () => {
  it.each(goldenFiles)("recognizes $name", async ({ bytes: golden }) => {
    expect(await isOne(golden)).toBe(true);
  });

  it.each([
    ["whose end is lost", bytes.subarray(0, 8), true],
    ["whose beginning is lost", bytes.subarray(20), true],
    ["of which only the trailer is left", bytes.subarray(-4096), true],
    ["of which a part of the trailer is left", bytes.subarray(-4095), false],
    ["of which the inside is left", bytes.subarray(20, -20), false],
    ["of seven bytes", bytes.subarray(0, 7), false],
    ["without bytes", bytes.subarray(0, 0), false],
  ])("answers for a file %s", async (_, file, expected) => {
    expect(await isOne(file)).toBe(expected);
  });
});
