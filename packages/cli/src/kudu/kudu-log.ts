/**
 * `cfile kudu log`: the entries of tablets' write-ahead logs.
 *
 * | format | form |
 * | --- | --- |
 * | NDJSON | an entry per line, with its tablet |
 * | JSON | `{"tablets":[{"tablet":…,"table":…,"entries":[…]}]}` |
 * | text | an entry per line, the rows of a write below it |
 */
import { isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { LogSegment } from "@cfile/kudu-dir/log";
import { parseLogEntries } from "@cfile/kudu-dir/log";
import { formatOf, RECORD_FORMATS, SERVER, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { choice, toggle } from "../program/option.js";
import { counted } from "../records/quantity.js";
import { DIRS, selectedTablets, withKuduDir } from "./kudu-directory.js";
import { type LoggedEntry, loggedCommit, loggedReplicate, logLines } from "./kudu-log-entry.js";

const { format: _format, csv: _csv, ...FORMATS } = RECORD_FORMATS;

const LOG_OPTIONS = {
  ...TABLETS,
  format: choice("output format", ["text", "json", "ndjson"], "text"),
  json: { ...FORMATS.json, summary: "same as --format json: entries by tablet; errors are JSON, too" },
  ndjson: FORMATS.ndjson,
  decode: toggle("print cells as readable text", "on for text"),
  ...SERVER,
};

type LogFormat = "text" | "json" | "ndjson";

export const logCommand = command({
  about: "Writes are listed with their rows, and commits with the stores they went to.",
  args: { dirs: DIRS },
  options: LOG_OPTIONS,
  examples: [["List all writes of a table", "cfile kudu log backup --table t --format ndjson"]],
  run: (context, { decode, ...values }) =>
    withKuduDir(values, async (dir) => {
      const format = formatOf<LogFormat>(values, "text") as LogFormat;
      const writer = new EntryWriter(context, format, decode ?? format === "text");
      await writer.begin();
      for (const tablet of await selectedTablets(dir, values)) {
        await writer.tablet(tablet);
      }
      await writer.end();
      context.exitCode = writer.exitCode;
    }),
});

class EntryWriter {
  exitCode: number = EXIT.ok;
  private readonly context: CliContext;
  private readonly format: LogFormat;
  private readonly decode: boolean;
  private tablets = 0;

  constructor(context: CliContext, format: LogFormat, decode: boolean) {
    this.context = context;
    this.format = format;
    this.decode = decode;
  }

  async begin(): Promise<void> {
    if (this.format === "json") {
      await this.context.stdout.write('{"tablets":[');
    }
  }

  async tablet(tablet: KuduTablet): Promise<void> {
    const { stdout, stderr } = this.context;
    const { format } = this;
    const { id, tableName } = tablet;
    if (format === "json") {
      const head = JSON.stringify({ tablet: id, table: tableName }).slice(0, -1);
      await stdout.write(`${this.tablets++ === 0 ? "" : ","}\n${head},"entries":[`);
    } else if (format === "text") {
      await stdout.line(`${printable(tableName)}, tablet ${id}`);
    }
    let entries = 0;
    let segments = 0;
    for await (const segment of tablet.logSegments()) {
      this.context.io.signal?.throwIfAborted();
      segments++;
      if (isCFileError(segment)) {
        await this.report(segment);
        continue;
      }
      for await (const entry of this.entriesOf(segment, tablet)) {
        await this.entry(entry, entries++);
      }
      if (segment.torn !== undefined) {
        await stderr.line(
          `cfile: segment ${segment.sequence} of tablet ${id} ends within an entry at offset ${segment.torn.offset}`,
        );
      }
      if (segment.damage !== undefined) {
        await this.report(segment.damage);
      }
    }
    if (format === "json") {
      await stdout.write("]}");
    } else if (format === "text") {
      const found =
        segments === 0 ? "no log" : `${counted(entries, "entry")} in ${counted(segments, "segment")}`;
      await stdout.line(`  ${found}`);
    }
  }

  async end(): Promise<void> {
    if (this.format === "json") {
      await this.context.stdout.line("]}");
    }
  }

  private async *entriesOf(
    segment: LogSegment,
    { id: tablet }: KuduTablet,
  ): AsyncGenerator<LoggedEntry, void, void> {
    for (const { offset, data } of segment.entries) {
      const place = { tablet, segment: segment.sequence, offset };
      try {
        for (const { replicate, commit } of parseLogEntries(data)) {
          if (replicate !== undefined) {
            yield loggedReplicate(place, replicate, this.decode);
          }
          if (commit !== undefined) {
            yield loggedCommit(place, commit);
          }
        }
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        await this.report(error.within({ path: `${tablet} segment ${segment.sequence} at ${offset}` }));
      }
    }
  }

  private async entry(entry: LoggedEntry, index: number): Promise<void> {
    const { stdout } = this.context;
    const { format } = this;
    if (format === "ndjson") {
      await stdout.line(JSON.stringify(entry));
    } else if (format === "json") {
      const { tablet: _, ...rest } = entry;
      await stdout.write(`${index === 0 ? "" : ","}\n${JSON.stringify(rest)}`);
    } else {
      await stdout.line(logLines(entry).join("\n"));
    }
  }

  private async report(error: unknown): Promise<void> {
    await this.context.reportError(error);
    this.exitCode = Math.max(this.exitCode, exitCodeOf(error));
  }
}
