import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listGolden, randomNumbers, readGolden, readGoldenJson, temporaryFolder } from "../src/index.js";

describe("golden data", () => {
  it("is read by name", () => {
    const name = "enc_int32_plain_n9";
    expect(listGolden(".", ".cfile")).toContain(name);
    expect(readGolden(`${name}.cfile`).subarray(0, 7)).toEqual(new TextEncoder().encode("kuducfl"));
    expect(readGoldenJson<{ rows: number }>(`${name}.json`).rows).toBe(9);
  });

  it("throws if it is missing", () => {
    expect(() => readGolden("none.cfile")).toThrow("ENOENT");
    expect(() => listGolden("none", ".cfile")).toThrow("ENOENT");
    expect(() => listGolden(".", ".none")).toThrow("no file in fixtures/golden/. ends with .none");
  });
});

it("randomNumbers repeats for the same seed and covers the whole range", () => {
  const [one, same, other] = [randomNumbers(1), randomNumbers(1), randomNumbers(2)];
  const numbers = Array.from({ length: 1000 }, () => one(10));
  expect(numbers).toEqual(Array.from({ length: 1000 }, () => same(10)));
  expect(numbers).not.toEqual(Array.from({ length: 1000 }, () => other(10)));
  expect(new Set(numbers)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

it("temporaryFolder creates a folder", () => {
  expect(existsSync(temporaryFolder())).toBe(true);
});
