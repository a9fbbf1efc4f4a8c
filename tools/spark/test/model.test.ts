import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { measuredConstants } from "../src/constants.js";
import { estimate } from "../src/model.js";
import { modelTables, withModel } from "../src/model-tables.js";

const constants = { bytesPerCore: 50, startSeconds: 1, plannedBlocks: 100, written: 0.5 };
const cluster = {
  bytes: 100_000,
  executors: 2,
  cores: 5,
  throughput: 1000,
  splitBytes: 1000,
  blockBytes: 10,
};

describe("the model", () => {
  it("adds the terms", () => {
    const { splits, terms, minimum, maximum, longest } = estimate(cluster, constants);
    expect(splits).toBe(100);
    expect(terms).toEqual({ plan: 100, read: 50, compute: 200, write: 25, start: 10, end: 14.25 });
    expect(longest).toBe("compute");
    expect(minimum).toBe(100 + 10 + 14.25 + 200);
    expect(maximum).toBe(minimum + 75);
  });

  it("names a slow network, or planning for small blocks, as the longest term", () => {
    expect(estimate({ ...cluster, throughput: 10 }, constants).longest).toBe("read");
    expect(estimate({ ...cluster, blockBytes: 1 }, constants).longest).toBe("plan");
  });
});

describe("the page", () => {
  it("replaces its tables and nothing else", async () => {
    const measured = await measuredConstants("/nowhere");
    const page = "# A\n\n<!-- model -->\nold\n<!-- end of model -->\n\nZ\n";
    const made = withModel(page, measured);
    expect(made).toBe(`# A\n\n<!-- model -->\n\n${modelTables(measured)}\n\n<!-- end of model -->\n\nZ\n`);
    expect(withModel(made, measured)).toBe(made);
  });

  it("takes constants and their command from the recorded benchmark", async () => {
    const folder = temporaryFolder();
    const rows = [
      { contender: "run-split: one worker", rate: 61, unit: "MB/s" },
      { contender: "start of a worker", milliseconds: 500 },
      { contender: "plan: 100,000 blocks", milliseconds: 2000 },
    ];
    const path = join(folder, "splits.json");
    await writeFile(path, JSON.stringify({ command: "bench", results: [{ rows }] }));
    expect(await measuredConstants(path)).toMatchObject({
      bytesPerCore: { value: 61e6, source: "`bench`" },
      startSeconds: { value: 0.5 },
      plannedBlocks: { value: 50_000 },
      written: { value: 0.66 },
    });
  });
});
