/** Commands of Kudu and cfile on one table: export and check, and Spark's own read of the table. */
import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atLeast, type BenchGoal, type BenchRow } from "../bench-case.js";
import { WrongAnswer } from "../measure.js";
import { median, medianRatio, takeTurns } from "../turns.js";
import { directoriesOf, runKudu, timeKudu } from "./kudu-peer.js";
import { sparkExport } from "./spark-peer.js";
import { type ScannedTablet, scanRow } from "./tablet-scans.js";

const cli = join(dirname(fileURLToPath(import.meta.resolve("@cfile/cli"))), "bundle", "cfile.js");

async function timeCfile(args: readonly string[], expected: string): Promise<number> {
  const start = performance.now();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, ...args]);
  const milliseconds = performance.now() - start;
  if (!(stdout + stderr).includes(expected)) {
    throw new WrongAnswer(`cfile ${args.join(" ")}: no ${expected} in ${stdout}${stderr}`);
  }
  return milliseconds;
}

/** @param folder exists; gets the exported files */
export async function tableCommands(
  { server, rows }: ScannedTablet,
  folder: string,
  turns: number,
): Promise<{ rows: BenchRow[]; goals: BenchGoal[]; notes: string[] }> {
  const { home } = server.options;
  const target = join(folder, "table.parquet");
  // The table was just written: the system would write it to the disk while exports wait for their own files.
  await promisify(execFile)("sync");
  await server.start();
  try {
    const { masterAddress, dataFolder } = server;
    const tables = await runKudu(home, ["table", "list", masterAddress]);
    const table = tables.output.trim().split("\n").at(-1)?.trim() ?? "";
    const exportWith = async (compression: string): Promise<number> => {
      await rm(target, { force: true });
      const options = ["--table", table, "--compression", compression, "-o", target, "--json"];
      return timeCfile(["kudu", "export", dataFolder, ...options], `"rows":${rows},`);
    };
    const exported = await takeTurns(turns, {
      kudu: () => timeKudu(home, ["table", "scan", masterAddress, table]),
      snappy: () => exportWith("snappy"),
      zstd: () => exportWith("zstd"),
      checksums: async () =>
        (await runKudu(home, ["cluster", "ksck", masterAddress, "--checksum_scan"])).milliseconds,
    });
    const sparkFolder = join(folder, "spark");
    await mkdir(sparkFolder, { recursive: true });
    const spark = await sparkExport({ masterAddress, table, rows, folder: sparkFolder });
    await server.stop();
    const checked = await takeTurns(turns, {
      kudu: async () => (await runKudu(home, ["fs", "check", ...directoriesOf(server)])).milliseconds,
      cfile: () => timeCfile(["kudu", "check", dataFolder, "--json"], `"live_rows": ${rows},`),
    });
    const check = checked.kudu.map((time, turn) => time + (exported.checksums[turn] ?? Number.NaN));
    const times = (own: readonly number[]) => medianRatio(exported.kudu, own);
    const snappy = median(exported.snappy);
    return {
      rows: [
        scanRow("kudu table scan of a running server, to text", rows, median(exported.kudu), 1),
        ...(typeof spark === "number"
          ? [scanRow("Spark of a running server, to Parquet", rows, spark, median(exported.kudu) / spark)]
          : []),
        scanRow("cfile kudu export to Parquet with Snappy, as Spark's", rows, snappy, times(exported.snappy)),
        scanRow(
          "cfile kudu export to Parquet with Zstandard",
          rows,
          median(exported.zstd),
          times(exported.zstd),
        ),
        scanRow("kudu fs check, and ksck --checksum_scan", rows, median(check), 1),
        scanRow("cfile kudu check", rows, median(checked.cfile), medianRatio(check, checked.cfile)),
      ],
      goals: [
        atLeast("export to Parquet, times the rate of kudu table scan", 4, times(exported.snappy)),
        ...(typeof spark === "number"
          ? [atLeast("export to Parquet, times Spark's rate", 2, spark / snappy)]
          : []),
        atLeast("check, times the rate of fs check and checksum scan", 1, medianRatio(check, checked.cfile)),
      ],
      notes: [
        "Exports and checks are those of a larger table: the medians of the turns, and of the ratios within a turn. Commands are timed from start to end, Spark in a session that has been started.",
        ...(typeof spark === "number" ? [] : [spark.note]),
      ],
    };
  } finally {
    await server.stop();
  }
}
