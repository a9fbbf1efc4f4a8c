/** Write-ahead logs of a server without superblocks, with writes described by tests. */
import type { LogEntryPB } from "../src/generated/decode.js";
import { TABLET } from "./single-table.js";
import { SERVER_IDENTITY } from "./written-blocks.js";
import { batch, commit, INSERT, type Step, type Target, write } from "./written-log.js";

export const OTHER_TABLET = "00000000000000000000000000000def";

/** Writes with their commits; `undefined` for a write without one. */
export interface Logged {
  readonly steps: readonly Step[];
  readonly target?: Target | undefined;
}

export function entriesOf(writes: readonly Logged[], first = 1): Uint8Array[] {
  return writes.flatMap(({ steps, target }, i) => {
    const entry: LogEntryPB = write(first + i, steps);
    const done =
      target &&
      commit(
        first + i,
        steps.map(() => target),
      );
    return [batch(entry), ...(done === undefined ? [] : [batch(done)])];
  });
}

export function filesWith(
  segments: readonly Uint8Array[],
  identity: ReadonlyMap<string, Uint8Array> = SERVER_IDENTITY,
): Map<string, Uint8Array> {
  const files = new Map(identity);
  segments.forEach((bytes, i) => {
    files.set(`ts/wal/wals/${TABLET}/wal-${String(i + 1).padStart(9, "0")}`, bytes);
  });
  return files;
}

export const inserted: Logged = {
  steps: [1, 2, 3].map((id) => [INSERT, id, 0] as const),
  target: { mrsId: 0n },
};
