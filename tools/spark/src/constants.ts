/** The constants of the model: from the last recorded benchmark, or, without one, from single runs. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Constants } from "./model.js";

interface Measured {
  readonly value: number;
  /** The command that measures it. */
  readonly source: string;
}

export type MeasuredConstants = Readonly<Record<keyof Constants, Measured>>;

interface ResultFile {
  readonly command: string;
  readonly results: readonly {
    readonly rows: readonly {
      readonly contender: string;
      readonly rate?: number;
      readonly unit?: string;
      readonly milliseconds?: number;
    }[];
  }[];
}

const RESULTS = fileURLToPath(new URL("../../bench/results/splits.json", import.meta.url));
const SINGLE = "a single run on a busy machine, in processor time:";

/** For the table of `loadgen`: 3 million rows, 59 MB stored, 39 MB of Parquet. */
const PRELIMINARY: MeasuredConstants = {
  bytesPerCore: { value: 40e6, source: `${SINGLE} \`cfile run-split\` of 57 MiB` },
  startSeconds: { value: 1, source: `${SINGLE} \`cfile run-split\` of 4 MiB` },
  plannedBlocks: { value: 88_000, source: `${SINGLE} \`cfile splits\` of 64,000 blocks` },
  written: { value: 0.66, source: `${SINGLE} \`cfile run-split\` of 57 MiB` },
};

export async function measuredConstants(path = RESULTS): Promise<MeasuredConstants> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) {
    return PRELIMINARY;
  }
  const { command, results }: ResultFile = JSON.parse(text);
  const rows = results.flatMap((result) => result.rows);
  const of = (contender: string) => rows.find((row) => row.contender === contender);
  const source = `\`${command}\``;
  const worker = of("run-split: one worker")?.rate;
  const start = of("start of a worker")?.milliseconds;
  const plan = of("plan: 100,000 blocks")?.milliseconds;
  const written = of("Parquet for a stored byte")?.rate;
  const or = (name: keyof Constants, value: number | undefined): Measured =>
    value === undefined ? PRELIMINARY[name] : { value, source };
  return {
    bytesPerCore: or("bytesPerCore", worker && worker * 1e6),
    startSeconds: or("startSeconds", start && start / 1000),
    plannedBlocks: or("plannedBlocks", plan && 100_000 / (plan / 1000)),
    written: or("written", written),
  };
}
