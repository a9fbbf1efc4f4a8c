/** Whether the commands for tables say what the library says: by their exit codes, and by how many rows they print or write. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToleranceCase } from "./compare-readers.js";
import { runCommand } from "./run-command.js";
import type { Rows, TableCommands } from "./tolerant-reader.js";

/** What a command did. */
interface Answer {
  readonly code: number;
  readonly rows: number;
}

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
  const folder = mkdtempSync(join(tmpdir(), "cfile-tolerance-"));
  const table = join(folder, "table");
  try {
    for (const [path, content] of await files(bytes, subject)) {
      mkdirSync(dirname(join(table, path)), { recursive: true });
      writeFileSync(join(table, path), content);
    }
    const wrong: string[] = [];
    const compare = async (
      args: readonly string[],
      recover: boolean,
      rows: Rows | undefined,
      complete: boolean,
    ): Promise<void> => {
      const { code, rows: found } = await ask(commands, args, { output: join(folder, "parts"), recover });
      const command = `cfile ${args.join(" ")}${recover ? " (tolerant)" : ""}`;
      if ((code === 0) !== complete) {
        wrong.push(`${command} ends with ${code}`);
      } else if (rows !== undefined && commands.countsRows !== false && found !== rows.length) {
        wrong.push(`${command} has ${found} rows, the library ${rows.length}`);
      }
    };
    const isWhole = !("refused" in strict);
    await compare(commands.strict(table, subject), false, isWhole ? strict : undefined, isWhole);
    if (commands.tolerant !== undefined) {
      const read = "refused" in tolerated ? undefined : tolerated;
      await compare(commands.tolerant(table, subject), true, read?.rows, read?.complete === true);
    }
    return wrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function ask(
  { arePlanned = false }: TableCommands,
  args: readonly string[],
  { output, recover }: { readonly output: string; readonly recover: boolean },
): Promise<Answer> {
  const { code, stdout } = await runCommand(args);
  const lines = linesIn(stdout);
  if (!arePlanned || code !== 0 || lines.length === 0) {
    return { code, rows: arePlanned ? 0 : lines.length };
  }
  const run = await runCommand(["run-split", "-o", output, ...(recover ? ["--recover"] : [])], stdout);
  const results = linesIn(run.stdout).map((line) => JSON.parse(line) as { readonly rows?: number });
  return { code: run.code, rows: results.reduce((sum, { rows = 0 }) => sum + rows, 0) };
}

function linesIn(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
