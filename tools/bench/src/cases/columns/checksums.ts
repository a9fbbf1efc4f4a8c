/** Plain columns with the checksum of `@node-rs/crc32` and with that of the WebAssembly kernels. */
import { MemoryArena } from "@cfile/bytes";
import { chooseDecoders } from "@cfile/kernels/decode";
import { type KernelChoice, openCFile } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { benchColumns, millionsIn, writerBatches, writerOptions } from "../../data/bench-columns.js";
import { contender, measure } from "../../measure.js";
import { optionalPeer } from "../../optional-peer.js";
import { effortAt, writeBatches } from "./column-table.js";

const PEER = "cfile, WebAssembly alone";
const CFILE = "cfile";
const GOAL = 1.5;
const EFFORT = 3;
/** Block sizes, to find the length above which the native call pays off. */
const LENGTHS = [1024, 2048, 4096, 8192, 262_144];
const BYTES = 1 << 24;

async function scan(bytes: Uint8Array, kernels: KernelChoice): Promise<number> {
  const file = await openCFile(bytes, { kernels });
  let rows = 0;
  for await (const batch of file.scan({ arena: new MemoryArena() })) {
    rows += batch.length;
  }
  return rows;
}

/** Checksums of blocks of one length: rates in GB/s. */
async function measureBlocks(length: number, crc32c: (block: Uint8Array) => number, scale: number) {
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
        often(() => simd.crc32c(block, 0, length)),
        (sum) => sum,
      ),
      contender(
        `@node-rs/crc32: blocks of ${length} bytes`,
        often(() => crc32c(block.subarray(0, length))),
        (sum) => sum,
      ),
    ],
    crc32c(block),
    effortAt(scale),
  );
  const [first] = timings;
  return timings.map(
    ({ contender: name, milliseconds, fastest }): BenchRow => ({
      contender: name,
      milliseconds,
      fastest,
      rate: (count * length) / milliseconds / 1e6,
      unit: "GB/s",
      ratio: (first?.milliseconds ?? Number.NaN) / milliseconds,
    }),
  );
}

export const checksums: BenchCase = {
  name: "checksums",
  title: "Scans of plain columns with the native checksum",
  async run(scale) {
    const { module, note } = await optionalPeer("@node-rs/crc32", () => import("@node-rs/crc32"));
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of benchColumns.filter(({ options }) => options.encoding === "PLAIN_ENCODING")) {
      const batch = column.make(Math.floor(column.rows * scale));
      const bytes = await writeBatches(writerOptions(column), writerBatches(batch));
      const timings = await measure(
        [
          contender(
            `${PEER}: ${column.name}`,
            () => scan(bytes, "simd"),
            (count) => count,
          ),
          contender(
            `${CFILE}: ${column.name}`,
            () => scan(bytes, "auto"),
            (count) => count,
          ),
        ],
        batch.length,
        EFFORT * effortAt(scale),
      );
      const [without = Number.NaN, auto = Number.NaN] = timings.map(({ milliseconds }) => milliseconds);
      for (const { contender: name, milliseconds, fastest } of timings) {
        rows.push({
          contender: name,
          milliseconds,
          fastest,
          rate: (1000 * millionsIn(column, batch)) / milliseconds,
          unit: column.unit,
          ratio: without / milliseconds,
        });
      }
      if (module !== undefined) {
        goals.push(atLeast(`${column.name}, times ${PEER}`, GOAL, without / auto));
      }
    }
    for (const length of module === undefined ? [] : LENGTHS) {
      rows.push(...(await measureBlocks(length, (block) => module?.crc32c(block) ?? 0, scale)));
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
