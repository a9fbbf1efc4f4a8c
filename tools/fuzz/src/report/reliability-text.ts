/** Writes RELIABILITY.md from the results of the parts. */
import type { PartResult } from "./reliability-parts.js";

export interface DonePart extends PartResult {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly seconds: number;
}

export interface DoneRun {
  readonly command: string;
  readonly node: string;
  /** Names of all parts of a full run. */
  readonly all: readonly string[];
  readonly parts: readonly DonePart[];
}

export function reliabilityText({ command, node, all, parts }: DoneRun): string {
  const missing = all.filter((name) => !parts.some((part) => part.name === name));
  const commits = [...new Set(parts.map(({ commit }) => commit))];
  const dates = [...new Set(parts.map(({ date }) => date))];
  const faults = parts.flatMap((part) => part.faults);
  const lines = [
    "# Reliability",
    "",
    "## Method",
    "",
    `Written by \`${command}\` on ${dates.join(" and ")} at commit ${commits.map((commit) => `\`${commit}\``).join(" and ")}, with Node ${node}.`,
    "The same seed gives the same mutated inputs in the same order. `npm test` runs a short version of each line.",
    "",
    "## Results",
    "",
    "| test | cases | result |",
    "| --- | ---: | --- |",
    ...parts.flatMap(({ tried }) =>
      tried.map(({ what, often, found }) => `| ${what} | ${often} | ${found} |`),
    ),
    "",
    ...(missing.length > 0 ? [`Not run, or not finished: ${missing.join(", ")}.`, ""] : []),
    ...(commits.length > 1
      ? [
          `Parts ran at different commits: ${parts.map(({ name, commit }) => `${name} at \`${commit}\``).join(", ")}.`,
          "",
        ]
      : []),
    ...parts.flatMap(({ sections = [] }) => sections.flatMap((section) => [section, ""])),
    "## Faults",
    "",
    ...(faults.length > 0 ? faults.map((fault) => `- ${fault}`) : ["None in this run."]),
    "",
    "Bytes that broke something, or were crafted to, are in `fixtures/bad/`, each with a description.",
    "",
    "## Limits",
    "",
    "- A flipped bit in a file without checksums can change a value, and no reader can detect it.",
    "- Power cuts and failing disks are simulated. A disk that lies about synced data is not part of the simulation.",
    "- Mutations cover what the harnesses reach; the numbers count inputs, not branches.",
    "",
  ];
  return lines.join("\n");
}
