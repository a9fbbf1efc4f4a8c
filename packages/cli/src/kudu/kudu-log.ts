/**
 * `cfile kudu log`: the entries of tablets' write-ahead logs.
 *
 * | format | form |
 * | --- | --- |
 * | NDJSON | an entry a line, with its tablet |
 * | JSON | `{"tablets":[{"tablet":…,"table":…,"entries":[…]}]}` |
 * | text | an entry a line, the rows of a write below it |
 */
import { isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { LogSegment } from "@cfile/kudu-dir/log";
import { parseLogEntries } from "@cfile/kudu-dir/log";
import type { Argv, CommandModule } from "yargs";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { counted, countText } from "../records/quantity.js";
import {
  chosenTablets,
  DIRS,
  KUDU_FLAGS,
  TABLET_FLAGS,
  type TabletArguments,
  withKuduDir,
} from "./kudu-directory.js";
import { type LoggedEntry, loggedCommit, loggedReplicate, logLines } from "./kudu-log-entry.js";

interface LogArguments extends TabletArguments {
  readonly json: boolean | undefined;
  readonly ndjson: boolean | undefined;
  readonly decode: boolean | undefined;
}

export function logCommand(context: CliContext): CommandModule<object, LogArguments> {
  return {
    command: "log <dirs..>",
    describe: "list the entries of write-ahead logs: writes with their rows, and what became of them",
    builder: (yargs: Argv) =>
      yargs
        .positional("dirs", DIRS)
        .options(TABLET_FLAGS)
        .option("json", JSON_FLAG)
        .option("ndjson", { type: "boolean", describe: "one JSON object an entry" })
        .option("decode", {
          type: "boolean",
          describe: "cells as readable text [default: not in JSON and NDJSON]",
        })
        .options(KUDU_FLAGS)
        .conflicts({ json: "ndjson" })
        .example("$0 kudu log backup --table t --ndjson", "every write, and which stores it went to"),
    handler: async (args) => {
      await withKuduDir(args, async (dir) => {
        const tablets = await chosenTablets(dir, args);
        const writer = new EntryWriter(context, args);
        await writer.begin();
        for (const tablet of tablets) {
          await writer.tablet(tablet);
        }
        await writer.end();
        context.exitCode = writer.exitCode;
      });
    },
  };
}

class EntryWriter {
  exitCode: number = EXIT.ok;
  private readonly context: CliContext;
  private readonly args: LogArguments;
  private tablets = 0;

  constructor(context: CliContext, args: LogArguments) {
    this.context = context;
    this.args = args;
  }

  async begin(): Promise<void> {
    if (this.args.json) {
      await this.context.stdout.write('{"tablets":[');
    }
  }

  async tablet(tablet: KuduTablet): Promise<void> {
    const { stdout, stderr } = this.context;
    const { json, ndjson } = this.args;
    const { id, tableName } = tablet;
    if (json) {
      const head = JSON.stringify({ tablet: id, table: tableName }).slice(0, -1);
      await stdout.write(`${this.tablets++ === 0 ? "" : ","}\n${head},"entries":[`);
    } else if (!ndjson) {
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
          `cfile: segment ${segment.sequence} of tablet ${id} ends inside an entry at ${segment.torn.offset}`,
        );
      }
      if (segment.damage !== undefined) {
        await this.report(segment.damage);
      }
    }
    if (json) {
      await stdout.write("]}");
    } else if (!ndjson) {
      const found =
        segments === 0
          ? "no log"
          : `${entries === 1 ? "1 entry" : `${countText(entries)} entries`} in ${counted(segments, "segment")}`;
      await stdout.line(`  ${found}`);
    }
  }

  async end(): Promise<void> {
    if (this.args.json) {
      await this.context.stdout.line("]}");
    }
  }

  private async *entriesOf(
    segment: LogSegment,
    { id: tablet }: KuduTablet,
  ): AsyncGenerator<LoggedEntry, void, void> {
    const decode = this.args.decode ?? !(this.args.json || this.args.ndjson);
    for (const { offset, data } of segment.entries) {
      const place = { tablet, segment: segment.sequence, offset };
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
        await this.report(error.within({ path: `${tablet} segment ${segment.sequence} at ${offset}` }));
      }
    }
  }

  private async entry(entry: LoggedEntry, index: number): Promise<void> {
    const { stdout } = this.context;
    const { json, ndjson } = this.args;
    if (ndjson) {
      await stdout.line(JSON.stringify(entry));
    } else if (json) {
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
