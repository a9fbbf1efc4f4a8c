#!/usr/bin/env node
import { processIo } from "./program/io.js";
import { runCli } from "./program/run-cli.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort());
}
process.exitCode = await runCli(process.argv.slice(2), processIo(stop.signal));
