/** What is only in the write-ahead log, and what may be in no file at all: told beside the rows. */
import type { KuduTablet } from "@cfile/kudu-dir";
import type { CliContext } from "../program/context.js";
import { counted } from "../records/quantity.js";

/** @param advice on what is only in the log */
export async function tellOfLog(
  context: CliContext,
  tablet: KuduTablet,
  withLog: boolean,
  advice = "--with-log applies them",
): Promise<void> {
  const log = await tablet.unflushed();
  const say = (text: string): Promise<void> => context.stderr.line(`cfile: tablet ${tablet.id}: ${text}`);
  if (log === undefined) {
    await say("its write-ahead log is not here; what the server had only in memory is missing");
    return;
  }
  const { operations, doubtful, transactional, problems } = log;
  if (!withLog && operations.length > 0) {
    await say(`${counted(operations.length, "change")} only in the write-ahead log; ${advice}`);
  }
  if (doubtful > 0) {
    await say(`${counted(doubtful, "change")} in the log of which it is not known whether they were applied`);
  }
  if (transactional > 0) {
    await say(`${counted(transactional, "change")} of transactions in the log, which are not applied`);
  }
  for (const problem of problems) {
    await context.reportError(problem);
  }
}
