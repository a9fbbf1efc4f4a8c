/** Parquet files without a footer: cut, mutated, with all kinds of schemas. The recovered file must be valid. */
import { memorySink, memorySource } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { type RebuildOptions, rebuildParquet } from "@cfile/parquet/recover";
import { defineHarness } from "../define-harness.js";
import { goldenSubjects } from "../files/golden-data.js";
import type { Harness, Mutation, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import type { Random } from "../random.js";

const LARGEST = 5000;
const MAX_PAGE_BYTES = 1 << 22;

const parquetFiles = (): Subject[] => goldenSubjects("parquet/", ".parquet", LARGEST);

/** Removes the footer, cuts anywhere, or removes the start; then possibly mutates the rest. */
function cutAndMutate({ bytes }: Subject, random: Random): Mutation {
  const footer = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true);
  const start = random.below(4) === 0 ? random.below(bytes.length) : 0;
  const end = random.pick([
    Math.max(start, bytes.length - 8),
    Math.max(start, bytes.length - footer),
    start + random.below(bytes.length - start + 1),
  ]);
  const cut = bytes.slice(start, end);
  const step = `bytes ${start} to ${end}`;
  if (cut.length === 0 || random.below(3) === 0) {
    return { bytes: cut, steps: [step] };
  }
  const mutated = mutateFields(cut, random);
  return { bytes: mutated.bytes, steps: [step, ...mutated.steps] };
}

const recoverWithoutFooter = defineHarness({
  name: "Parquet: recover without footer",
  share: 60,
  load: parquetFiles,
  mutate: cutAndMutate,
  act: async (bytes, { bytes: original }, random) => {
    const like: RebuildOptions = random.below(2) === 0 ? {} : { like: memorySource(original) };
    const sink = memorySink();
    const useFooter = random.below(4) > 0;
    const { rows } = await rebuildParquet(memorySource(bytes), sink, {
      ...like,
      ...{ useFooter, maxPageBytes: MAX_PAGE_BYTES },
    });
    await using file = await openParquet(memorySource(sink.bytes()));
    const report = await file.verify();
    if (!report.ok || report.rows !== rows) {
      throw new Error(`${rows} rows recovered, ${report.rows} verified: ${report.losses[0]?.error.message}`);
    }
  },
});

export const PARQUET_PAGES: readonly Harness[] = [recoverWithoutFooter];
