import { describe, expect, it } from "vitest";
import { measureEntries } from "../src/entry-sizes.mjs";

describe("the size of an entry point, bundled, minified and gzipped", async () => {
  it.each(await measureEntries())("$entry: $bytes bytes of $budget", ({ bytes, budget }) => {
    expect(budget).toBeTypeOf("number");
    expect(bytes).toBeLessThanOrEqual(budget ?? 0);
  });
});
