/** Scans of every encoding, without a codec and with LZ4, compared with other libraries. */
import { MemoryArena } from "@cfile/bytes";
import { atLeast, type BenchCase } from "../../bench-case.js";
import { type BenchColumn, benchColumns, writerBatches, writerOptions } from "../../data/bench-columns.js";
import { machineLimits, minCheckTime } from "../../machine/machine-limits.js";
import { contender } from "../../measure.js";
import { HYPARQUET, HYPARQUET_NULLABLE } from "../../peers/hyparquet.js";
import {
  CFILE,
  CFILE_LZ4,
  checkFile,
  keepOpen,
  measureColumns,
  peerContender,
  scanBatches,
  writeBatches,
} from "./column-table.js";

/**
 * hyparquet returns a view of a plain page of numbers and verifies nothing. The goal there is equal speed
 * with verified checksums.
 */
const peerGoals = ({ options, unit }: BenchColumn) => [
  { peer: HYPARQUET_NULLABLE, times: 12 },
  { peer: HYPARQUET, times: options.encoding === "PLAIN_ENCODING" && unit === "MB/s" ? 1 : 12 },
  { peer: "parquet-wasm", times: 3 },
];
const OWN_MEMORY = "each batch in new memory, cfile";
const AS_BYTES = "as bytes, cfile";
/** Goal for dictionary strings expanded to bytes, times hyparquet. */
const GOAL_AS_BYTES = 12;

export const scanColumns: BenchCase = {
  name: "scan-columns",
  title: "Scan columns of 10 million numbers or 2 million strings from memory",
  async run(scale) {
    const result = await measureColumns(benchColumns, scale, async (column, batch, peers) => {
      const batches = writerBatches(batch);
      const plain = await writeBatches(writerOptions(column), batches);
      const lz4 = await writeBatches(writerOptions(column, "LZ4"), batches);
      await checkFile(CFILE, batch, plain);
      await checkFile(CFILE_LZ4, batch, lz4);
      await keepOpen(writerOptions(column), batches, plain);
      const rows = (count: number): number => count;
      const contenders = [
        contender(CFILE, () => scanBatches(plain, { arena: new MemoryArena() }), rows),
        contender(CFILE_LZ4, () => scanBatches(lz4, { arena: new MemoryArena() }), rows),
        contender(OWN_MEMORY, () => scanBatches(plain), rows),
        ...peers.map((peer) => peerContender(peer, "read", rows)),
      ];
      if (column.options.encoding === "DICT_ENCODING") {
        contenders.push(
          contender(
            AS_BYTES,
            () => scanBatches(plain, { arena: new MemoryArena(), expandDictionaries: true }),
            rows,
          ),
        );
      }
      const minimum = minCheckTime(plain.length, await machineLimits());
      return {
        contenders,
        expected: batch.length,
        peerGoals: peerGoals(column),
        minimum,
      };
    });
    const asBytes = result.rows.find((row) => row.contender.startsWith(AS_BYTES))?.ratio ?? Number.NaN;
    const goal = atLeast(
      `strings, dictionary, as bytes, at ${HYPARQUET_NULLABLE}'s rate, times`,
      GOAL_AS_BYTES,
      asBytes,
    );
    return { ...result, goals: [...result.goals, goal] };
  },
};
