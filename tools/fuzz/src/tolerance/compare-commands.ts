/** Checks that commands and library agree on damaged bytes: `cfile cat`, and `cfile recover` with its exit code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToleranceCase } from "./compare-readers.js";
import { runCommand } from "./run-command.js";

/** Exit code of `cfile recover` when rows may be lost. */
const INCOMPLETE = 3;

/** Differences between the library and the command; empty for readers without a file extension. */
export async function compareFiles({
  reader,
  bytes,
  subject,
  truth,
  strict,
  tolerated,
}: ToleranceCase): Promise<string[]> {
  if (reader.extension === undefined) {
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "cfile-tolerance-"));
  try {
    const [source, target] = ["damaged", "recovered"].map((name) =>
      join(folder, `${name}${reader.extension}`),
    ) as [string, string];
    writeFileSync(source, bytes);
    const wrong: string[] = [];
    const { code: cat } = await runCommand([...(reader.cat ?? ["cat"]), source]);
    if ((cat === 0) === "refused" in strict) {
      wrong.push(
        `cfile cat ends with ${cat}, the library: ${"refused" in strict ? strict.refused : "all rows"}`,
      );
    }
    const { code: recover } = await runCommand([
      ...["recover", source, target, "--no-sync"],
      ...(reader.recoverOptions ?? []),
    ]);
    const written = async (): Promise<string> =>
      (await reader.strict(new Uint8Array(readFileSync(target)), subject)).join("\n");
    if ("refused" in tolerated) {
      // The command also recovers Parquet files without a valid footer.
      if (recover === 0 && (await written()) !== truth.join("\n")) {
        wrong.push(`cfile recover ends with 0 and writes other rows, the library: ${tolerated.refused}`);
      }
      return wrong;
    }
    const expected = tolerated.complete ? 0 : INCOMPLETE;
    if (tolerated.rows.length === 0 && recover !== 0) {
      return wrong; // The command may refuse a file without a readable row.
    }
    if (recover !== expected) {
      wrong.push(`cfile recover ends with ${recover} instead of ${expected}`);
    } else if (reader.keepsRows) {
      if ((await written()) !== tolerated.rows.join("\n")) {
        wrong.push(`cfile recover wrote other rows than the ${tolerated.rows.length} of the library`);
      }
    }
    return wrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
