/** The time of short commands from start to end of the process, compared with Node running an empty program. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCFile } from "cfile";
import { atMost, type BenchCase } from "../bench-case.js";
import { cfile, node } from "../machine/split-processes.js";
import { contender, measure } from "../measure.js";
import { effortAt } from "./columns/column-table.js";

const PEER = "node -e 0";
const EFFORT = 4;

interface Start {
  readonly name: string;
  /** Maximum time, as a multiple of the peer's. */
  readonly wanted: number;
  readonly run: () => Promise<string>;
  readonly output: RegExp;
}

function startsOf(file: string, folder: string): Start[] {
  return [
    { name: "cfile --version", wanted: 1.5, run: () => cfile(["--version"]), output: /^\d+\.\d+\.\d+/ },
    {
      name: "completion of a command",
      wanted: 2,
      run: () => cfile(["--get-completions", "kudu", "ch"]),
      output: /^check\n$/,
    },
    {
      name: "completion of an option",
      wanted: 2,
      run: () => cfile(["--get-completions", "kudu", "check", "--hist"]),
      output: /^--history-max-age\n$/,
    },
    {
      name: "cfile inspect, a small file",
      wanted: 2.5,
      run: () => cfile(["inspect", file]),
      output: /INT32/,
    },
    {
      name: "cfile run-split, until it refuses a line",
      wanted: 2.5,
      run: () => cfile(["run-split", "--exit-zero", "-o", folder], "{}\n"),
      output: /"error"/,
    },
  ];
}

export const start: BenchCase = {
  name: "start",
  title: "Start of the command",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-start-"));
    try {
      const file = join(folder, "small.cfile");
      const writer = await createCFile(file, { type: "INT32", sync: false });
      await writer.append(Int32Array.from({ length: 1000 }, (_, row) => row * row));
      await writer.finish();
      const starts = startsOf(file, join(folder, "parts"));
      const timings = await measure(
        [
          contender(
            PEER,
            () => node(["-e", "0"]),
            (text) => text === "",
          ),
          ...starts.map(({ name, run, output }) => contender(name, run, (text: string) => output.test(text))),
        ],
        true,
        EFFORT * effortAt(scale),
      );
      // The fastest run, because other work on the machine can delay a process by more than its own run time.
      const fastestOf = (name: string): number =>
        timings.find((timing) => timing.contender === name)?.fastest ?? Number.NaN;
      return {
        unit: "starts/s",
        peer: PEER,
        rows: timings.map(({ contender: name, milliseconds, fastest }) => ({
          contender: name,
          milliseconds,
          fastest,
          rate: 1000 / fastest,
          ratio: fastestOf(PEER) / fastest,
        })),
        goals: starts.map(({ name, wanted }) =>
          atMost(`${name}, times ${PEER}`, wanted, fastestOf(name) / fastestOf(PEER)),
        ),
        notes: ["Rates, ratios and goals take the fastest of several turns."],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
