/**
 * A process that reads, verifies and recovers every golden file: `node --max-old-space-size=64 golden-set.js
 * [EVERY]`.
 */
import { memorySource } from "@cfile/io";
import { memorySink, openCFile } from "cfile";
import { recoverCFile } from "cfile/recover";
import { goldenBytes, goldenNames } from "../files/golden-data.js";

export interface GoldenSet {
  readonly files: number;
  readonly rows: number;
  readonly failing: readonly string[];
  readonly peakBytes: number;
}

if (process.argv[1]?.endsWith("golden-set.js")) {
  let rows = 0;
  const failing: string[] = [];
  const every = Number(process.argv[2] ?? 1);
  const names = goldenNames("", ".cfile").filter((_name, i) => i % every === 0);
  for (const name of names) {
    const bytes = goldenBytes(name);
    const file = await openCFile(memorySource(bytes, name));
    for await (const batch of file.scan()) {
      rows += batch.length;
    }
    const report = await file.verify();
    const sink = memorySink();
    const { ledger } = await recoverCFile(bytes, sink);
    if (!report.ok || !ledger.complete || ledger.rowsKept !== file.rowCount) {
      failing.push(name);
    }
  }
  const result: GoldenSet = {
    files: names.length,
    rows,
    failing,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
  console.log(JSON.stringify(result));
}
