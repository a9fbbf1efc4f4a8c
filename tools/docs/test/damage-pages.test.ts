import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportOf } from "../../../docs/.vitepress/theme/damage/damage-report.js";
import { cutPower } from "../../../docs/.vitepress/theme/damage/power-cut.js";
import { root } from "../src/folders.mjs";

const sample = new Uint8Array(readFileSync(join(root, "fixtures/golden/idx_string_prefix_opt.cfile")));

describe("the report of the page that damages a file", () => {
  it("finds nothing in the sample", async () => {
    const { problems, recovered } = await reportOf(sample);
    expect(problems).toEqual([]);
    expect(recovered).toMatchObject({ rows: 4000, lost: 0, damaged: [], isValid: true });
  });

  it("names the lost rows of a flipped bit, and the saved file is valid", async () => {
    const bytes = sample.slice();
    bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
    const { problems, recovered } = await reportOf(bytes);
    expect(problems[0]).toMatch(/^E_CHECKSUM .*block at \d+$/);
    expect(recovered?.damaged[0]?.text).toMatch(/^data block: rows \d+ to \d+$/);
    expect((recovered?.rows ?? 0) + (recovered?.lost ?? 0)).toBe(4000);
    expect(recovered?.isValid).toBe(true);
  });

  it("saves rows of a file without its end, and reports one without a beginning", async () => {
    const cut = await reportOf(sample.slice(0, 30_000));
    expect(cut.problems).toHaveLength(1);
    expect(cut.recovered?.rows).toBeGreaterThan(1000);
    const nothing = await reportOf(sample.slice(0, 1));
    expect(nothing.recovered).toBeUndefined();
    expect(nothing.refusal).toMatch(/^E_/);
  });
});

describe("the page that cuts the power", () => {
  it("finds a whole file after every operation of the writer", async () => {
    const { operations, outcomes } = await cutPower(true);
    expect(operations.slice(-4).map((text) => text.split(" ")[0])).toEqual([
      "sync",
      "close",
      "rename",
      "sync",
    ]);
    expect(outcomes).toHaveLength(operations.length + 1);
    expect(outcomes.flat().filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(outcomes.at(-1)?.map(({ text }) => text)).toEqual(Array(4).fill("the new file, 2,000 rows"));
  });

  it("finds half a file if the writer does not wait for the disk", async () => {
    const { outcomes } = await cutPower(false);
    expect(outcomes.at(-1)?.some(({ isWhole }) => !isWhole)).toBe(true);
  });
});
