import { expect, it } from "vitest";
import { publicSurface } from "../src/public-surface.mjs";
import { publishedPackages } from "../src/published-packages.mjs";

it("matches the snapshot; after a change, update it with `npx vitest run -u` for review", async () => {
  await expect(publicSurface()).toMatchFileSnapshot("public-surface.txt");
});

it.each(publishedPackages)("$name has at most five entries, and one for each encoder", ({ entries }) => {
  const encoders = ["bitshuffle", "dictionary", "headers", "plain", "prefix", "rle"];
  const others = entries.filter(
    (entry) => !encoders.includes(entry.split("/").at(-1) ?? "") || entry === "@cfile/bitshuffle",
  );
  expect(others.length).toBeLessThanOrEqual(5);
});
