/** A process that scans one large file and prints its peak memory: `large-scan.js PATH`. */
import { openCFile } from "cfile";

export interface LargeScan {
  readonly rows: number;
  readonly fileBytes: number;
  readonly sum: number;
  readonly peakBytes: number;
  readonly seconds: number;
}

const [, , path] = process.argv;
if (path !== undefined) {
  const start = performance.now();
  await using file = await openCFile(path);
  let rows = 0;
  let sum = 0;
  for await (const batch of file.scan()) {
    rows += batch.length;
    const last = batch.get(batch.length - 1);
    sum = (sum + (last instanceof Uint8Array ? last.length : Number(last))) % 1_000_000_007;
  }
  const result: LargeScan = {
    rows,
    fileBytes: file.structure.fileSize,
    sum,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    seconds: (performance.now() - start) / 1000,
  };
  console.log(JSON.stringify(result));
}
