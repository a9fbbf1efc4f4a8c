/** Whole delta files and Bloom files, and row sets with one damaged file. */
import { openBloomFile } from "@cfile/bloomfile";
import { openDeltaFile } from "@cfile/deltafile/read";
import { MemoryDirectory, memorySource } from "@cfile/io";
import { openTableStore } from "@cfile/rowset/store";
import { defineHarness } from "../define-harness.js";
import { goldenSubjects } from "../files/golden-data.js";
import { type GoldenFile, partsOf } from "../files/golden-file.js";
import { smallRowSet } from "../files/small-row-set.js";
import type { Harness } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import { mutateFile } from "../mutate-file.js";

const LARGEST = 5000;
const MAX_ENTRIES = 20_000;

async function deltaFiles(): Promise<GoldenFile[]> {
  const { files } = await smallRowSet();
  const own = [...files].filter(([name]) => /redo|undo/.test(name)).map(([name, bytes]) => ({ name, bytes }));
  const all = [...goldenSubjects("deltafile/", ".cfile", LARGEST), ...own];
  return Promise.all(all.map(({ name, bytes }) => partsOf(name, bytes)));
}

const deltas = defineHarness({
  name: "delta files",
  share: 80,
  load: deltaFiles,
  mutate: mutateFile,
  act: async (bytes, _subject, random) => {
    const reader = await openDeltaFile(memorySource(bytes));
    if (random.below(2) === 0) {
      await reader.verify();
    }
    let entries = 0;
    for await (const batch of reader.entries()) {
      entries += batch.length;
      if (entries > MAX_ENTRIES) {
        break;
      }
    }
    await reader.deltasOf(random.below(100));
  },
});

const blooms = defineHarness({
  name: "Bloom files",
  share: 80,
  load: () =>
    Promise.all(
      [
        ...goldenSubjects("bloomfile/", ".cfile", LARGEST),
        ...goldenSubjects("rowset-blooms/", "_bloom.cfile", LARGEST),
      ].map(({ name, bytes }) => partsOf(name, bytes)),
    ),
  mutate: mutateFile,
  act: async (bytes, _subject, random) => {
    const reader = await openBloomFile(memorySource(bytes));
    await reader.mayContain(bytes.subarray(0, random.below(12)));
    await reader.mayContainMany({ width: 4, data: new Uint8Array(64) });
    await reader.statistics();
    await reader.verify();
  },
});

const rowSets = defineHarness({
  name: "row sets",
  share: 10,
  load: async () => {
    const { files } = await smallRowSet();
    const subjects = [];
    for (const [name, bytes] of files) {
      const parts = name.endsWith(".json") ? undefined : await partsOf(name, bytes);
      subjects.push({ name, bytes, parts, files });
    }
    return subjects;
  },
  mutate: ({ bytes, parts }, random) =>
    parts === undefined ? mutateFields(bytes, random) : mutateFile(parts, random),
  act: async (bytes, { name, files }, random) => {
    const directory = new MemoryDirectory("damaged", { files: new Map(files).set(name, bytes) });
    const handle = await openTableStore(directory);
    try {
      if (random.below(2) === 0) {
        await handle.verify();
      }
      let rows = 0;
      for await (const batch of handle.scan({ asOf: random.pick([2n ** 64n - 1n, 15n, 35n]) })) {
        rows += batch.length;
        if (rows > MAX_ENTRIES) {
          break;
        }
      }
      await handle.get([2, "b2"]);
      await handle.history([3, "b0"]);
      await handle.upsert([[2, "b2", 6n, "after", null]], 60n);
    } finally {
      await handle.close();
    }
  },
});

export const DELTA_AND_BLOOM_FILES: readonly Harness[] = [deltas, blooms, rowSets];
