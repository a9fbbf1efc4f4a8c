/** Writes splits, one per line, to stdout or a file. */
import { printable } from "@cfile/cell-text";
import type { Split } from "@cfile/splits";
import { toSink } from "../convert/to-sink.js";
import { JSON_OPTION } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { text, type Values, withShort } from "../program/option.js";
import { counted, sizeText, sum } from "../records/quantity.js";

export const SPLITS_OUTPUT = {
  output: withShort("o", text("FILE", "new file, like splits.ndjson", "stdout")),
  json: JSON_OPTION,
};

export async function writeSplitLines(
  { stdout }: CliContext,
  splits: readonly Split[],
  { output, json }: Values<typeof SPLITS_OUTPUT>,
): Promise<void> {
  const { splitLine } = await import("@cfile/splits");
  if (output === undefined) {
    for (const split of splits) {
      await stdout.line(splitLine(split));
    }
    return;
  }
  const encoder = new TextEncoder();
  await toSink(output, async (add) => {
    for (const split of splits) {
      await add(encoder.encode(`${splitLine(split)}\n`));
    }
  });
  await stdout.line(summary(output, splits, json));
}

function summary(path: string, splits: readonly Split[], asJson: boolean): string {
  const rows = sum(splits.map((split) => split.rows));
  const bytes = sum(splits.map((split) => split.bytes));
  return asJson
    ? JSON.stringify({ path, splits: splits.length, rows, bytes })
    : `${printable(path)}: ${counted(splits.length, "split")}, about ${counted(rows, "row")}, ${sizeText(bytes)}`;
}
