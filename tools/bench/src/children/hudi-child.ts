/** Scans a Hudi table in a separate process. Prints the number of rows, the time and the peak of resident memory as JSON. */
import { openHudiTable, scanRows } from "@cfile/hudi";
import { peakResidentMiB } from "../machine/peak-memory.js";

/** The output of the process. */
export interface HudiScanReport {
  readonly rows: number;
  readonly milliseconds: number;
  readonly maxRssMiB: number;
}

const start = performance.now();
await using table = await openHudiTable(process.argv[2] ?? "");
let rows = 0;
for await (const { length } of scanRows(table)) {
  rows += length;
}
const milliseconds = performance.now() - start;
const report: HudiScanReport = { rows, milliseconds, maxRssMiB: await peakResidentMiB() };
process.stdout.write(JSON.stringify(report));
