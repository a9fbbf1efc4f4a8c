import { describe, expect, it } from "vitest";
import { timesUntilBelow } from "../src/index.js";

describe("times of a busy machine", () => {
  it.each([
    ["stop at the first that is below the limit", [300, 99, 50], 100, [300, 99]],
    ["need one run when it is fast", [10], 100, [10]],
    ["do not count the limit itself", [100, 20], 100, [100, 20]],
  ])("%s", async (_, all, limit, expected) => {
    const left = [...all];
    expect(await timesUntilBelow(limit, async () => left.shift() ?? Number.NaN)).toEqual(expected);
  });
});
