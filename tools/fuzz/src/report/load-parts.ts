/** The parts for load, and for power cuts of table stores. */
import { cutTableStores } from "../disk/cut-table-stores.js";
import { cellOf } from "../processes/many-files.js";
import { loadTableStore, readMany, scanSparse } from "../processes/run-processes.js";
import { mebibytes, number, type Part, type PartResult } from "./part.js";

const CUTS = 1000;
const SPARSE_BYTES = 100 * 2 ** 30;
const OPEN_FILES = 10_000;
const DATASET_FILES = 1_000_000;
const MAX_SCAN_BYTES = 256 * 2 ** 20;
const MAX_OPEN_BYTES = 2 ** 30;

export const tableStoreCuts: Part = async ({ seed }) => {
  const { cuts, failures, outcomes, faults } = await cutTableStores(seed, CUTS);
  const kinds = Object.entries(cuts);
  return {
    faults,
    tried: [
      {
        what: `Table stores: power cuts at random operations of random changes, on disks that keep any part of what is not synced; ${kinds.map(([name, count]) => `${name} ${number(count)}`).join(", ")}; and failing operations ${number(failures)}`,
        often: number(failures + kinds.reduce((sum, [, count]) => sum + count, 0)),
        found: `${faults.length} times other rows than before or after the change, or a store that takes no other write; ${number(outcomes.before)} before, ${number(outcomes.after)} after`,
      },
    ],
  };
};

export const storeLoad: Part = async ({ soakSeconds }) => {
  const [writer, ...readers] = await loadTableStore(soakSeconds);
  const wrong = [...(writer?.wrong ?? []), ...readers.flatMap((reader) => reader.wrong)];
  const reads = readers.reduce((sum, { done }) => sum + done, 0);
  const errors = new Map<string, number>();
  for (const [code, count] of readers.flatMap((reader) => Object.entries(reader.errors))) {
    errors.set(code, (errors.get(code) ?? 0) + count);
  }
  const refused = [...errors].map(([code, count]) => `${number(count)} times ${code}`).join(", ");
  const peak = Math.max(...[writer, ...readers].map((each) => each?.peakBytes ?? 0));
  return {
    faults: wrong,
    tried: [
      {
        what: `${readers.length} readers in four processes and a writer on one table store for ${soakSeconds} s; every read opens the latest and an earlier snapshot`,
        often: `${number(reads)} reads, ${number(writer?.done ?? 0)} writes`,
        found: `${wrong.length} wrong snapshots; ${refused === "" ? "no errors" : `${refused} while files were replaced`}; at most ${mebibytes(peak)} per process`,
      },
    ],
  };
};

export const load: Part = async () => {
  const parts: PartResult[] = [];
  const sparse = await scanSparse(SPARSE_BYTES);
  const isWhole = sparse.rows === sparse.rowsWritten && sparse.peakBytes < MAX_SCAN_BYTES;
  parts.push({
    faults: isWhole ? [] : [`${sparse.rows} of ${sparse.rowsWritten} rows, ${mebibytes(sparse.peakBytes)}`],
    tried: [
      {
        what: `A sparse file of ${mebibytes(sparse.fileBytes)} scanned, checksums verified, in a separate process`,
        often: `${number(sparse.rows)} rows`,
        found: `${mebibytes(sparse.peakBytes)} peak resident memory (limit 256 MiB), ${sparse.seconds.toFixed(0)} s`,
      },
    ],
  });
  parts.push(await many("open", OPEN_FILES, "Files open at the same time, and read while all are"));
  return { faults: parts.flatMap(({ faults }) => faults), tried: parts.flatMap(({ tried }) => tried) };
};

export const datasetLoad: Part = () =>
  many("dataset", DATASET_FILES, "Small files in one dataset: opened for their rows, then scanned");

async function many(role: "open" | "dataset", count: number, what: string): Promise<PartResult> {
  const { rows, sum, peakBytes, seconds } = await readMany(role, count);
  let expected = 0;
  for (let file = 0; file < count; file++) {
    expected += cellOf(file);
  }
  const isRight = rows === 3 * count && sum === expected && peakBytes < MAX_OPEN_BYTES;
  return {
    faults: isRight
      ? []
      : [`${role}: ${rows} rows, sum ${sum} instead of ${expected}, ${mebibytes(peakBytes)}`],
    tried: [
      {
        what,
        often: number(count),
        found: `all rows; ${mebibytes(peakBytes)} peak resident memory (limit 1 GiB), ${seconds.toFixed(0)} s`,
      },
    ],
  };
}
