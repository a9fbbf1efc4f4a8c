/** Which instants can be read as of, by Hudi's own rules (docs/spec/hudi-table.md#5-file-slices-and-which-files-are-valid). */
import { CFileError } from "@cfile/bytes";
import { textOf } from "./content-fields.js";
import type { Timeline } from "./timeline.js";

/**
 * Requires that the table can be read as of an instant.
 *
 * @throws {CFileError} `E_HISTORY_GONE` when the cleaner has removed files that the instant needs; `E_INVALID_ARGUMENT` when it is not a
 *   time, or a write before it is still pending
 */
export async function requireReadable(timeline: Timeline, asOf: string): Promise<void> {
  const field = "asOf";
  if (!/^\d{14,20}$/.test(asOf)) {
    throw new CFileError(
      "E_INVALID_ARGUMENT",
      `invalid asOf: ${asOf} (must be an instant of 14 or 17 digits)`,
      { field },
    );
  }
  const [pending] = await timeline.pendingWrites();
  if (pending !== undefined && asOf >= pending.time) {
    const reason = `cannot read as of ${asOf}: the write requested at ${pending.time} is pending (use an earlier instant, or the latest)`;
    throw new CFileError("E_INVALID_ARGUMENT", reason, {
      field,
      expected: `before ${pending.time}`,
      actual: asOf,
    });
  }
  const earliest = await earliestReadable(timeline);
  if (earliest !== undefined && asOf < earliest) {
    const reason = `cannot read as of ${asOf}: the cleaner has removed files that it needs (earliest instant: ${earliest})`;
    throw new CFileError("E_HISTORY_GONE", reason, { field, expected: `${earliest} or later`, actual: asOf });
  }
}

/** The earliest instant that can be read as of; `undefined` when nothing has been cleaned. */
export async function earliestReadable(timeline: Timeline): Promise<string | undefined> {
  const cleans = timeline.instants.filter(({ action, state }) => action === "clean" && state === "COMPLETED");
  const last = cleans.at(-1);
  if (last === undefined) {
    return undefined;
  }
  const content = await timeline.content(last);
  const retained = textOf(content?.["earliestCommitToRetain"], "earliestCommitToRetain");
  // A cleaner that keeps a number of file versions states no instant; archived instants then count as gone.
  return retained || [...timeline.completed.keys()][0];
}
