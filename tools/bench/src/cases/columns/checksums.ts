/** Scans of plain columns, and checksums of blocks, beside `@node-rs/crc32`, which uses the processor's instruction for CRC-32C. */
import { MemoryArena } from "@cfile/bytes";
import { chooseDecoders } from "@cfile/kernels/decode";
import { openCFile } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import {
  type BenchColumn,
  benchColumns,
  millionsIn,
  writerBatches,
  writerOptions,
} from "../../data/bench-columns.js";
import { piecesOf } from "../../kernel-task.js";
import { contender, measure, type Timing } from "../../measure.js";
import { optionalPeer } from "../../optional-peer.js";
import { effortAt, writeBatches } from "./column-table.js";

const PEER = "@node-rs/crc32";
const CFILE = "cfile";
const GOAL = 1;
const EFFORT = 3;
const LENGTHS = [1024, 2048, 4096, 8192, 262_144];
/** Of blocks, for the scans. */
const BLOCK_BYTES = 262_144;
const BYTES = 1 << 24;

async function scan(bytes: Uint8Array, verifyChecksums: boolean): Promise<number> {
  const file = await openCFile(bytes, { verifyChecksums });
  let rows = 0;
  for await (const batch of file.scan({ arena: new MemoryArena() })) {
    rows += batch.length;
  }
  return rows;
}

type Checksum = (block: Uint8Array) => number;

/** Rows of one task: the peer, and then cfile. */
function rowsOf(
  timings: readonly Timing[],
  amount: number,
  unit: string,
): { readonly rows: BenchRow[]; readonly ratio: number } {
  const [peer = Number.NaN, own = Number.NaN] = timings.map(({ milliseconds }) => milliseconds);
  const rows = timings.map(
    ({ contender: name, milliseconds, fastest }): BenchRow => ({
      contender: name,
      milliseconds,
      fastest,
      rate: amount / milliseconds,
      unit,
      ratio: peer / milliseconds,
    }),
  );
  return { rows, ratio: peer / own };
}

/** Scans that verify checksums, beside scans that do not and then leave all bytes to the peer. */
async function measureScans(column: BenchColumn, crc32c: Checksum, scale: number) {
  const batch = column.make(Math.floor(column.rows * scale));
  const bytes = await writeBatches(writerOptions(column), writerBatches(batch));
  const blocks = piecesOf(bytes, BLOCK_BYTES);
  const timings = await measure(
    [
      contender(
        `${PEER}: ${column.name}`,
        async () => {
          const rows = await scan(bytes, false);
          blocks.map(crc32c);
          return rows;
        },
        (count) => count,
      ),
      contender(
        `${CFILE}: ${column.name}`,
        () => scan(bytes, true),
        (count) => count,
      ),
    ],
    batch.length,
    EFFORT * effortAt(scale),
  );
  return rowsOf(timings, 1000 * millionsIn(column, batch), column.unit);
}

/** Checksums of blocks of one length: rates in GB/s. */
async function measureBlocks(length: number, crc32c: Checksum, scale: number) {
  const block = Uint8Array.from({ length }, (_, i) => i);
  const simd = chooseDecoders("simd");
  const count = Math.ceil((BYTES * Math.min(1, scale)) / length);
  const often = (checksum: () => number) => (): number => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      sum = checksum();
    }
    return sum;
  };
  const timings = await measure(
    [
      contender(
        `${PEER}: blocks of ${length} bytes`,
        often(() => crc32c(block)),
        (sum) => sum,
      ),
      contender(
        `${CFILE}: blocks of ${length} bytes`,
        often(() => simd.crc32c(block, 0, length)),
        (sum) => sum,
      ),
    ],
    crc32c(block),
    effortAt(scale),
  );
  return rowsOf(timings, (count * length) / 1e6, "GB/s");
}

export const checksums: BenchCase = {
  name: "checksums",
  title: "Checksums beside the instruction of the processor",
  async run(scale) {
    const { module, note } = await optionalPeer("@node-rs/crc32", () => import("@node-rs/crc32"));
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    if (module !== undefined) {
      const crc32c: Checksum = (block) => module.crc32c(block);
      for (const column of benchColumns.filter(({ options }) => options.encoding === "PLAIN_ENCODING")) {
        const measured = await measureScans(column, crc32c, scale);
        rows.push(...measured.rows);
        goals.push(atLeast(`${column.name}, times ${PEER}`, GOAL, measured.ratio));
      }
      for (const length of LENGTHS) {
        const measured = await measureBlocks(length, crc32c, scale);
        rows.push(...measured.rows);
        if (length === BLOCK_BYTES) {
          goals.push(atLeast(`blocks of ${length} bytes, times ${PEER}`, GOAL, measured.ratio));
        }
      }
    }
    return {
      unit: "MB/s, M rows/s or GB/s",
      peer: PEER,
      rows,
      goals,
      notes: note === undefined ? [] : [note],
    };
  },
};
