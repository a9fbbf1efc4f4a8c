import { expect, it } from "vitest";
import { checked, expectSame } from "../src/index.js";

const casesSoFar = () => expect.getState().assertionCalls;

it("counts assertions and values compared without one", () => {
  expect(casesSoFar()).toBe(0);
  checked(3);
  expectSame([1], [1]);
  expect(casesSoFar()).toBe(5);
  expect(() => expectSame([1], [2])).toThrow("to deeply equal");
});

it("accepts equal bytes and values, and reports differences", () => {
  expect(Float64Array.of(Number.NaN, 0)).toEqual(Float64Array.of(Number.NaN, 0));
  expect(() => expect(Float64Array.of(0)).toEqual(Float64Array.of(-0))).toThrow("to deeply equal");
  expect(() => expect(new Uint8Array(2)).toEqual(new Int8Array(2))).toThrow("to deeply equal");
  expect([
    ["a", 1n],
    [Number.NaN, null],
  ]).toEqual([
    ["a", 1n],
    [Number.NaN, null],
  ]);
  expect(() => expect([1, 2]).toEqual([1, 3])).toThrow("to deeply equal");
  expect(() => expect([1]).toEqual([1, 2])).toThrow("to deeply equal");
});
