/**
 * Whether the changes of each row make sense from one delta file to the next: nothing happens to a row that is dead but a
 * REINSERT, and none to one that is alive. Within a file `DeltaFileReader.verify` tells.
 */

import { changeTypeName, DELETE, REINSERT } from "@cfile/deltafile";
import type { DeltaBatch, DeltaProblem } from "@cfile/deltafile/read";
import type { DeltaPart } from "../read/row-set-parts.js";
import { DeltaCursor } from "./delta-cursor.js";

const BATCH_ROWS = 65536;

export class ChainCheck {
  private readonly parts: readonly DeltaPart[];
  private readonly rows: number;
  private readonly signal: AbortSignal | undefined;
  /** 1 for rows that are dead so far. The base data have all rows. */
  private readonly dead = new Uint8Array(BATCH_ROWS);

  /** @param parts all of one kind, in the order in which they are applied */
  constructor(parts: readonly DeltaPart[], rows: number, signal: AbortSignal | undefined) {
    this.parts = parts;
    this.rows = rows;
    this.signal = signal;
  }

  async run(report: (part: DeltaPart, problem: DeltaProblem) => void): Promise<void> {
    const { rows, signal } = this;
    const cursors = this.parts.map(
      (part) => new DeltaCursor(part, { rows: { from: 0, to: rows }, trustStatistics: false, signal }),
    );
    try {
      for (let from = 0; from < rows; from += BATCH_ROWS) {
        this.dead.fill(0);
        for (const cursor of cursors) {
          await this.checkRows(cursor, from, Math.min(rows, from + BATCH_ROWS), report);
        }
      }
    } finally {
      await Promise.all(cursors.map((cursor) => cursor.close()));
    }
  }

  private async checkRows(
    cursor: DeltaCursor,
    from: number,
    to: number,
    report: (part: DeltaPart, problem: DeltaProblem) => void,
  ): Promise<void> {
    const { dead } = this;
    let last = -1;
    await cursor.takeRows(from, to, (batch, index) => {
      const row = batch.rows[index] as number;
      const type = batch.types[index] as number;
      const wasDead = dead[row - from] === 1;
      if (row !== last && wasDead === (type !== REINSERT)) {
        report(cursor.part, chainProblem(batch, index, wasDead));
      }
      last = row;
      dead[row - from] = type === DELETE ? 1 : 0;
    });
  }
}

function chainProblem(
  { rows, timestamps, types }: DeltaBatch,
  index: number,
  wasDead: boolean,
): DeltaProblem {
  const name = changeTypeName(types[index] as number);
  return {
    code: "E_CORRUPT",
    reason: `${name} of a row that the file before it leaves ${wasDead ? "dead" : "alive"}`,
    field: "change type",
    actual: name,
    row: rows[index],
    timestamp: timestamps[index],
  };
}
