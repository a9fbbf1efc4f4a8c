/**
 * Checks that the commands for tables agree with the library: their exit codes, the number of rows that they print or write, and the
 * printed rows, which must also be printed for the undamaged table.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToleranceCase } from "./compare-readers.js";
import { runCommand } from "./run-command.js";
import { type Files, type Rows, type TableCommands, undamagedOf } from "./tolerant-reader.js";

/** The result of a command. */
interface Answer {
  readonly code: number;
  /** Printed rows. */
  readonly lines: readonly string[];
  /** Printed or written rows. */
  readonly rows: number;
}

/** Answers of the strict command for the undamaged table, by reader and file. They are the same in all cases. */
const answers = new Map<string, Answer>();

/** Differences between the library and the commands; none for readers without a command. */
export async function compareTables({
  reader,
  bytes,
  subject,
  strict,
  tolerated,
}: ToleranceCase): Promise<string[]> {
  const { commands, files } = reader;
  if (commands === undefined || files === undefined) {
    return [];
  }
  const { compares = false, countOf = ({ length }: Rows) => length } = commands;
  const folder = mkdtempSync(join(tmpdir(), "cfile-tolerance-"));
  const table = join(folder, "table");
  try {
    writeFiles(table, await files(bytes, subject));
    const name = `${reader.name} ${subject.name}`;
    const known = compares ? { code: 0, lines: [], rows: 0 } : answers.get(name);
    if (known === undefined || compares) {
      writeFiles(undamagedOf(table), await files(subject.bytes, subject));
    }
    const undamaged =
      known ??
      (await ask(commands, commands.strict(undamagedOf(table), subject), {
        output: join(folder, "undamaged"),
        recover: false,
      }));
    answers.set(name, undamaged);
    const wrong =
      undamaged.code === 0 ? [] : [`the command of the undamaged table ends with ${undamaged.code}`];
    const compare = async (args: readonly string[], recover: boolean, found: Found): Promise<void> => {
      const { code, rows, lines } = await ask(commands, args, { output: join(folder, "parts"), recover });
      const command = `cfile ${args.join(" ")}${recover ? " (tolerant)" : ""}`;
      if ((code === 0) !== found.complete) {
        wrong.push(`${command} ends with ${code}`);
      } else if (compares) {
        wrong.push(...(code === DIFFERENT ? [`${command} reads other rows without an error`] : []));
      } else if (found.rows !== undefined && rows !== countOf(found.rows)) {
        wrong.push(`${command} has ${rows} rows, the library ${countOf(found.rows)}`);
      } else if (reader.stored === undefined && !isPartOf(lines, undamaged.lines)) {
        wrong.push(`${command} prints rows that it does not print for the undamaged table`);
      }
    };
    const isWhole = !("refused" in strict);
    await compare(commands.strict(table, subject), false, {
      rows: isWhole ? strict : undefined,
      complete: isWhole,
    });
    if (commands.tolerant !== undefined) {
      const read = "refused" in tolerated ? undefined : tolerated;
      await compare(commands.tolerant(table, subject), true, {
        rows: read?.rows,
        complete: read?.complete === true,
      });
    }
    return wrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The result of the library. */
interface Found {
  readonly rows: Rows | undefined;
  readonly complete: boolean;
}

/** The exit code of `cfile compare` for tables that it could read, and that differ. */
const DIFFERENT = 1;

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Whether the lines are a subset of all lines, counting duplicates; some commands print rows in any order. */
function isPartOf(lines: readonly string[], all: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const line of all) {
    left.set(line, (left.get(line) ?? 0) + 1);
  }
  return lines.every((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
}

async function ask(
  { arePlanned = false }: TableCommands,
  args: readonly string[],
  { output, recover }: { readonly output: string; readonly recover: boolean },
): Promise<Answer> {
  const { code, stdout } = await runCommand(args);
  const lines = linesIn(stdout);
  if (!arePlanned || code !== 0 || lines.length === 0) {
    return { code, lines: arePlanned ? [] : lines, rows: arePlanned ? 0 : lines.length };
  }
  const run = await runCommand(["run-split", "-o", output, ...(recover ? ["--recover"] : [])], stdout);
  const results = linesIn(run.stdout).map((line) => JSON.parse(line) as { readonly rows?: number });
  return { code: run.code, lines: [], rows: results.reduce((sum, { rows = 0 }) => sum + rows, 0) };
}

function linesIn(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
