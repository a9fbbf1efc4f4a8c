/** Whole column files: scans, lookups, `verify`, `recover`, with corrected checksums. */
import type { Limits } from "@cfile/bytes";
import { scanDamagedCFile } from "@cfile/format/recover";
import { memorySource } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { memorySink, openCFile } from "cfile";
import { recoverCFile } from "cfile/recover";
import { defineHarness } from "../define-harness.js";
import { type GoldenFile, goldenFiles } from "../files/golden-file.js";
import type { Harness } from "../harness.js";
import { mutateFile } from "../mutate-file.js";
import type { Random } from "../random.js";

const limits: Partial<Limits> = { maxBlockRows: 1 << 18, maxBlockElements: 1 << 18, maxBlockSize: 1 << 22 };
/** Maximum rows read per file: a few bytes can encode very many. */
const MAX_ROWS = 1 << 18;
/** Small files have the same parts as large ones. */
const SMALL = 2500;
const MIDDLE = 20_000;

const kernels = (random: Random): KernelChoice => random.pick(["auto", "portable", "simd"]);

/** Mostly small files; some are larger, up to `MIDDLE` bytes. */
async function files(): Promise<GoldenFile[]> {
  const small = await goldenFiles(SMALL);
  const middle = (await goldenFiles(MIDDLE)).filter(({ bytes }) => bytes.length > SMALL);
  return [...small, ...small, ...middle];
}

const scan = defineHarness({
  name: "CFile: scan",
  share: 200,
  load: files,
  mutate: mutateFile,
  act: async (bytes, _subject, random) => {
    const file = await openCFile(memorySource(bytes), { limits, kernels: kernels(random) });
    let rows = 0;
    const batchRows = random.pick([7, 1000, 65536]);
    for await (const batch of file.scan({ batchRows })) {
      batch.toArray();
      rows += batch.length;
      if (rows > MAX_ROWS) {
        return;
      }
    }
  },
});

const lookUps = defineHarness({
  name: "CFile: lookups",
  share: 200,
  load: files,
  mutate: mutateFile,
  act: async (bytes, _subject, random) => {
    const file = await openCFile(memorySource(bytes), { limits, kernels: kernels(random) });
    await file.get(random.below(Math.max(1, file.rowCount)));
    const cell = await file.last();
    if (typeof cell === "number" || typeof cell === "bigint" || typeof cell === "string") {
      await file.find(cell);
    }
  },
});

const verify = defineHarness({
  name: "CFile: verify and layout",
  share: 200,
  load: files,
  mutate: mutateFile,
  act: async (bytes) => {
    const file = await openCFile(memorySource(bytes), { limits });
    await file.verify();
    await file.layout();
  },
});

const recover = defineHarness({
  name: "CFile: recover",
  share: 80,
  load: () => goldenFiles(SMALL),
  mutate: mutateFile,
  act: async (bytes, { footer }, random) => {
    const { dataType, encoding, compression, nullable, array } = footer;
    const byHand = { type: dataType, encoding, compression, nullable, array };
    const options = { ...(random.below(2) === 0 ? byHand : { type: dataType }), limits };
    if (random.below(4) === 0) {
      await scanDamagedCFile(memorySource(bytes), options);
    }
    const lost = random.below(2) === 0 ? "drop" : "null";
    const sink = memorySink();
    const { ledger, rows } = await recoverCFile(memorySource(bytes), sink, { ...options, lost });
    if (rows <= MAX_ROWS) {
      const report = await (await openCFile(sink.bytes())).verify();
      if (!report.ok || report.rows !== rows || ledger.rowsKept > rows) {
        throw new RangeError(`recovered file is not valid: ${JSON.stringify(report.problems[0])}`);
      }
    }
  },
});

export const COLUMN_FILES: readonly Harness[] = [scan, lookUps, verify, recover];
