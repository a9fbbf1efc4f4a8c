/**
 * The cells of a column as JavaScript values. They exist only while the peer that writes them runs.
 */
import type { ScalarBatch } from "@cfile/encodings";
import { cellsOf } from "../data/bench-columns.js";
import type { Setting } from "../measure.js";

export interface CellsInTurn {
  readonly cells: () => ArrayLike<unknown>;
  readonly writing: Setting;
}

export function cellsInTurn(batch: ScalarBatch): CellsInTurn {
  let held: ArrayLike<unknown> | undefined;
  return {
    cells: () => held ?? cellsOf(batch),
    writing: {
      before: () => {
        held = cellsOf(batch);
      },
      after: () => {
        held = undefined;
      },
    },
  };
}
