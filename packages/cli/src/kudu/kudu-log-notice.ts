/** Reports writes that are only in the write-ahead log, and writes that may be lost. */
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { CliContext } from "../program/context.js";
import { problemText } from "../program/output/error-text.js";
import { counted } from "../records/quantity.js";

/** @param advice on how to read writes that are only in the log */
export async function reportLog(
  context: CliContext,
  tablet: KuduTablet,
  withLog: boolean,
  advice = "use --with-log to include them",
): Promise<void> {
  const log = await tablet.unflushed();
  const say = (text: string): Promise<void> => context.stderr.line(`cfile: tablet ${tablet.id}: ${text}`);
  if (log === undefined) {
    await say("no write-ahead log found: writes that were not flushed are missing");
    return;
  }
  const { operations, doubtful, transactional, problems, torn } = log;
  if (!withLog && operations.length > 0) {
    await say(`${counted(operations.length, "change")} only in the write-ahead log (${advice})`);
  }
  if (doubtful > 0) {
    await say(`${counted(doubtful, "change")} in the log may or may not have been applied`);
  }
  if (transactional > 0) {
    await say(`${counted(transactional, "change")} of transactions in the log are not included`);
  }
  if (torn !== undefined) {
    await say(`the log ends within an entry, whose writes are missing: ${printable(problemText(torn))}`);
  }
  await context.reportErrors(problems);
}
