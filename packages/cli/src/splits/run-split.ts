/** `cfile run-split`: executes splits. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PARQUET_COMPRESSION, parquetCodec } from "../convert/parquet-codec.js";
import { output, SERVER } from "../options/options.js";
import { command } from "../program/command.js";
import { combineExitCodes, EXIT } from "../program/exit-code.js";
import { choice, flag, list } from "../program/option.js";
import { allowedRoots } from "./allowed-roots.js";
import { inputLines } from "./input-lines.js";

export const runSplits = command({
  about: "Reads splits from stdin, one per line, and reports each result in a line of JSON.",
  args: {},
  options: {
    output: output("DIR", "directory for the files part-ID.parquet; created if missing"),
    to: choice(
      "format of the output; for an Iceberg table, DIR is its folder",
      ["parquet", "iceberg"],
      "parquet",
    ),
    compression: PARQUET_COMPRESSION,
    allowRoot: list("PATH", "read only below this directory or URL; may be repeated"),
    recover: flag("recover undamaged rows and report what was lost"),
    exitZero: flag("exit with 0 even if splits fail"),
    serverKey: SERVER.serverKey,
  },
  examples: [
    ["Run all splits of a file", "cfile run-split -o parts < splits.ndjson"],
    [
      "Write the data files of an Iceberg table",
      "cfile run-split --to iceberg -o warehouse/t < splits.ndjson > results.ndjson",
    ],
  ],
  run: async (
    context,
    { output, to: form = "parquet", compression, allowRoot, recover, exitZero, serverKey },
  ) => {
    const requireAllowed = allowRoot.length > 0 ? await allowedRoots(allowRoot) : undefined;
    const folder = form === "iceberg" ? join(output, "data") : output;
    await mkdir(folder, { recursive: true });
    const { splitWorker } = await import("./split-worker.js");
    const worker = splitWorker(context, {
      codec: parquetCodec(form, compression),
      ...{ folder, form, requireAllowed, recover, serverKey },
    });
    const codes: number[] = [];
    try {
      for await (const line of inputLines(context.io.stdin)) {
        context.io.signal?.throwIfAborted();
        const { json, exitCode } = await worker.run(line);
        codes.push(exitCode);
        await context.stdout.line(JSON.stringify(json));
        await context.stdout.flush();
      }
    } finally {
      await worker.close();
    }
    context.exitCode = exitZero ? EXIT.ok : combineExitCodes(codes);
  },
});
