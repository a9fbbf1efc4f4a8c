/**
 * `cfile kudu log`: the entries of tablets' write-ahead logs.
 *
 * | format | form |
 * | --- | --- |
 * | NDJSON | an entry per line, with its tablet |
 * | JSON | `{"tablets":[{"tablet":…,"table":…,"entries":[…]}]}`; of several servers also `server` |
 * | text | an entry per line, the rows of a write below it |
 */
import { type CFileError, isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import { parseLogEntries } from "@cfile/kudu-dir/log";
import { formatOf, RECORD_FORMATS, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { choice, toggle } from "../program/option.js";
import { counted } from "../records/quantity.js";
import { CLUSTER_DIRS } from "./cluster/cluster-directories.js";
import { type LoggedEntry, loggedCommit, loggedReplicate, logLines } from "./kudu-log-entry.js";
import { SERVERS, tabletsOnServers, withKuduServers } from "./kudu-servers.js";

const LOG_OPTIONS = {
  ...TABLETS,
  format: choice("output format", ["text", "json", "ndjson"], "text"),
  json: { ...RECORD_FORMATS.json, summary: "same as --format json: entries by tablet; errors are JSON, too" },
  ndjson: RECORD_FORMATS.ndjson,
  decode: toggle("print cells as readable text", "on for text"),
  ...SERVERS,
};

interface Found {
  entries: number;
  segments: number;
  exitCode: number;
}

export const log = command({
  about: "Writes are listed with their rows, and commits with the stores they went to.",
  args: { dirs: CLUSTER_DIRS },
  options: LOG_OPTIONS,
  examples: [["List all writes of a table", "cfile kudu log backup --table t --format ndjson"]],
  run: (context, values) =>
    withKuduServers(values, async (servers) => {
      const format = formatOf(values, "text");
      const { decode = format === "text" } = values;
      const { stdout } = context;
      let separator = '{"tablets":[\n';
      for (const { name: server, tablet } of await tabletsOnServers(servers, values)) {
        const { id, tableName } = tablet;
        const found: Found = { entries: 0, segments: 0, exitCode: EXIT.ok };
        if (format === "json") {
          const head = JSON.stringify({ server, tablet: id, table: tableName }).slice(0, -1);
          await stdout.write(`${separator}${head},"entries":[`);
          separator = ",\n";
        } else if (format === "text") {
          const place = server === undefined ? "" : ` on server ${server}`;
          await stdout.line(`${printable(tableName)}, tablet ${id}${place}`);
        }
        for await (const entry of entriesOf(context, tablet, decode, found)) {
          const { tablet: _, ...rest } = entry;
          const json = `${found.entries === 0 ? "" : ","}\n${JSON.stringify(rest)}`;
          const line =
            format === "ndjson" ? JSON.stringify({ server, ...entry }) : logLines(entry).join("\n");
          await stdout.write(format === "json" ? json : `${line}\n`);
          found.entries++;
        }
        if (format === "json") {
          await stdout.write("]}");
        } else if (format === "text") {
          const { entries, segments } = found;
          const count = `${counted(entries, "entry")} in ${counted(segments, "segment")}`;
          await stdout.line(`  ${segments === 0 ? "no log" : count}`);
        }
        context.exitCode = Math.max(context.exitCode, found.exitCode);
      }
      if (format === "json") {
        await stdout.line(separator.startsWith("{") ? '{"tablets":[]}' : "]}");
      }
    }),
});

/** The entries of a tablet; errors are reported and recorded in `found`. */
async function* entriesOf(
  context: CliContext,
  tablet: KuduTablet,
  decode: boolean,
  found: Found,
): AsyncGenerator<LoggedEntry, void, void> {
  const report = async (error: CFileError): Promise<void> => {
    await context.reportError(error);
    found.exitCode = Math.max(found.exitCode, exitCodeOf(error));
  };
  const { id } = tablet;
  for await (const segment of tablet.logSegments()) {
    context.io.signal?.throwIfAborted();
    found.segments++;
    if (isCFileError(segment)) {
      await report(segment);
      continue;
    }
    const { sequence, entries, torn, damage } = segment;
    for (const { offset, data } of entries) {
      const place = { tablet: id, segment: sequence, offset };
      try {
        for (const { replicate, commit } of parseLogEntries(data)) {
          if (replicate !== undefined) {
            yield loggedReplicate(place, replicate, decode);
          }
          if (commit !== undefined) {
            yield loggedCommit(place, commit);
          }
        }
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        await report(error.within({ path: `${id} segment ${sequence} at ${offset}` }));
      }
    }
    if (torn !== undefined) {
      const place = `segment ${sequence} of tablet ${id}`;
      await context.stderr.line(`cfile: ${place} ends within an entry at offset ${torn.offset}`);
    }
    if (damage !== undefined) {
      await report(damage);
    }
  }
}
