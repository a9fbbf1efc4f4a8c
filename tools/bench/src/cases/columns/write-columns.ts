/** Writes of every encoding, without a codec and with LZ4, compared with other libraries. */
import type { MemorySink } from "@cfile/io";
import type { BenchCase } from "../../bench-case.js";
import { benchColumns, writerBatches, writerOptions } from "../../data/bench-columns.js";
import { machineLimits, minWriteTime } from "../../machine/machine-limits.js";
import { contender } from "../../measure.js";
import { HYPARQUET, HYPARQUET_NULLABLE } from "../../peers/hyparquet.js";
import {
  CFILE,
  CFILE_LZ4,
  checkFile,
  keepOpen,
  measureColumns,
  peerContender,
  writeToMemory,
} from "./column-table.js";

const PEER_GOALS = [
  { peer: HYPARQUET_NULLABLE, times: 10 },
  { peer: HYPARQUET, times: 10 },
];

export const writeColumns: BenchCase = {
  name: "write-columns",
  title: "Write columns of 10 million numbers or 2 million strings to memory, in batches of 1,024",
  async run(scale) {
    return measureColumns(benchColumns, scale, async (column, batch, peers) => {
      const batches = writerBatches(batch);
      const write = (compression: "LZ4" | "NO_COMPRESSION"): Promise<MemorySink> =>
        writeToMemory(writerOptions(column, compression), batches);
      const sizes = new Map<string, number>();
      for (const [name, codec] of [
        [CFILE, "NO_COMPRESSION"],
        [CFILE_LZ4, "LZ4"],
      ] as const) {
        const bytes = (await write(codec)).bytes();
        await checkFile(name, batch, bytes);
        sizes.set(name, bytes.length);
        await keepOpen(writerOptions(column), batches, bytes);
      }
      const contenders = [
        contender(
          CFILE,
          () => write("NO_COMPRESSION"),
          (sink) => sink.bytes().length === sizes.get(CFILE),
        ),
        contender(
          CFILE_LZ4,
          () => write("LZ4"),
          (sink) => sink.bytes().length === sizes.get(CFILE_LZ4),
        ),
        ...peers.map((peer) => peerContender(peer, "write", (size) => size > 0)),
      ];
      const minimum = minWriteTime(sizes.get(CFILE) ?? Number.NaN, await machineLimits());
      return { contenders, expected: true, peerGoals: PEER_GOALS, minimum };
    });
  },
};
