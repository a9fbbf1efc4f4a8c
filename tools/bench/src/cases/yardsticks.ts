/** Two rates that show how fast this machine is. Kudu's figures are scaled by the first. */
import type { BenchCase, BenchRow } from "../bench-case.js";
import { int32Column, millionsIn } from "../bench-columns.js";
import { machineLimits } from "../machine-limits.js";
import { contender, measure } from "../measure.js";
import { hyparquetColumn, hyparquetObjects } from "../peers/hyparquet.js";
import { REFERENCE_CRC, REFERENCE_HYPARQUET, yardstick } from "../yardstick.js";
import { checkCells, effortAt } from "./column-table.js";

const KUDU_MACHINE = "Kudu's machine";

export const yardsticks: BenchCase = {
  name: "yardsticks",
  title: "This machine compared with the one on which Kudu was measured",
  async run(scale) {
    const { crc, note } = await yardstick();
    const rows: BenchRow[] = [];
    const add = (name: string, reference: number, unit: string, millions: number, rate: number): void => {
      const line = (contenderName: string, value: number): BenchRow => ({
        contender: `${contenderName}: ${name}`,
        milliseconds: (1000 * millions) / (unit === "GB/s" ? 1000 * value : value),
        rate: value,
        unit,
        ratio: value / reference,
      });
      if (rows.every((row) => row.contender !== `${KUDU_MACHINE}: ${name}`)) {
        rows.push(line(KUDU_MACHINE, reference));
      }
      rows.push(line("here", rate));
    };
    if (crc !== undefined) {
      add("@node-rs/crc32, CRC-32C of 256 KiB", REFERENCE_CRC, "GB/s", 0.262144, crc);
    }
    const batch = int32Column.make(Math.floor(int32Column.rows * scale));
    const peers = [hyparquetColumn(batch, true), hyparquetColumn(batch), hyparquetObjects(batch)];
    for (const peer of peers) {
      await checkCells(peer.name, batch, peer.read);
    }
    const timings = await measure(
      peers.map((peer) =>
        contender(
          peer.name,
          () => peer.read(),
          (count) => count,
        ),
      ),
      batch.length,
      effortAt(scale),
    );
    const millions = millionsIn(int32Column, batch);
    for (const { contender: name, milliseconds } of timings) {
      const rate = (1000 * millions) / milliseconds;
      add(`${name}, strided int32`, REFERENCE_HYPARQUET, "MB/s", millions, rate);
    }
    const limits = await machineLimits();
    return { unit: "GB/s or MB/s", peer: KUDU_MACHINE, rows, goals: [], notes: [note, limits.note] };
  },
};
