import { describe, expect, test } from "vitest";
import { DIRECTORIES, damageDirectories } from "../src/directories/damage-directories.js";
import { readTablets } from "../src/directories/read-tablets.js";

describe("directories with one damaged file", () => {
  test("give all rows or an error, and what is recovered is accounted for", async () => {
    const { faults, results, recovered, cases } = await damageDirectories(29, 0, 30);
    expect(faults).toEqual([]);
    expect(cases).toBe(30);
    expect(results.unchanged).toBeGreaterThan(0);
    expect(results.refused).toBeGreaterThan(0);
    expect(recovered).toBeGreaterThan(0);
    expect(DIRECTORIES.length).toBeGreaterThan(5);
  });

  test("that are empty are refused", async () => {
    await expect(readTablets(new Map())).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});
