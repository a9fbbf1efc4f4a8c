import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const generator = "../unrolled/transpose-halves.mjs";
const generated = new URL("../src/generated/transpose-halves.ts", import.meta.url);

it("the generated transposition is what its generator writes", async () => {
  const { transposeHalvesSource } = await import(generator);
  expect(readFileSync(generated, "utf8")).toBe(transposeHalvesSource());
});
