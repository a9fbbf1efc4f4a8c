/** Kudu's programs as child processes, and the flags of servers that leave maintenance to the rounds. */
import type { ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runProcess, startProcess } from "../processes.js";

export type KuduProgram = "kudu-master" | "kudu-tserver";

/** Maintenance operations of the server, one kind at a time. */
export type Maintenance = "flush" | "flush-deltas" | "minor" | "major" | "merge";

export const SWITCHES: Readonly<Record<Maintenance, string>> = {
  flush: "enable_flush_memrowset",
  "flush-deltas": "enable_flush_deltamemstores",
  minor: "enable_minor_delta_compaction",
  major: "enable_major_delta_compaction",
  merge: "enable_rowset_compaction",
};

export const COMMON_FLAGS = [
  "--time_source=system_unsync",
  "--unlock_experimental_flags",
  "--unlock_unsafe_flags",
  "--never_fsync",
  "--rpc_encryption=disabled",
  "--rpc_authentication=disabled",
  "--log_preallocate_segments=false",
  "--log_async_preallocate_segments=false",
  "--log_segment_size_mb=1",
  "--webserver_interface=127.0.0.1",
  "--webserver_port=0",
  "--redact=none",
  "--memory_limit_hard_bytes=1073741824",
];

export const TABLET_SERVER_FLAGS = [
  "--flush_threshold_secs=1",
  "--flush_threshold_mb=1",
  "--flush_upper_bound_ms=1000",
  "--maintenance_manager_polling_interval_ms=50",
  "--maintenance_manager_num_threads=1",
  "--tablet_history_max_age_sec=8640000",
  "--tablet_delta_store_major_compact_min_ratio=0.00001",
  "--compaction_minimum_improvement=-100",
  "--compaction_force_small_rowset_tradeoff=true",
  "--compaction_small_rowset_tradeoff=1",
  "--log_container_preallocate_bytes=0",
  "--log_container_max_size=4194304",
  "--block_cache_capacity_mb=64",
  ...Object.values(SWITCHES).map((flag) => `--${flag}=false`),
];

/** How to launch a server. */
export interface Launch {
  /** Folder of its logs: `NAME.log` and `NAME-logs`. */
  readonly folder: string;
  readonly name: string;
  readonly flags: readonly string[];
}

/** @param home Kudu's programs, unpacked */
export async function launchKudu(
  home: string,
  program: KuduProgram,
  { folder, name, flags }: Launch,
): Promise<ChildProcess> {
  const logs = join(folder, `${name}-logs`);
  await mkdir(join(folder, name), { recursive: true });
  await mkdir(logs, { recursive: true });
  const child = startProcess(join(home, "bin", program), [`--log_dir=${logs}`, ...flags], {
    env: kuduEnvironment(home),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  return child;
}

/** Kudu's command-line tool. */
export function runKuduTool(home: string, args: readonly string[]): Promise<string> {
  return runProcess(join(home, "bin", "kudu"), args, { env: kuduEnvironment(home) });
}

/** The names of the flags that a program has. */
export async function flagNames(home: string, program: KuduProgram): Promise<ReadonlySet<string>> {
  // The program prints its flags and exits with an error.
  const text = await runProcess("sh", ["-c", `"$0" --helpxml || true`, join(home, "bin", program)], {
    env: kuduEnvironment(home),
  });
  return new Set([...text.matchAll(/<name>(\w+)<\/name>/g)].map(([, name = ""]) => name));
}

export function kuduEnvironment(home: string): NodeJS.ProcessEnv {
  const lib = join(home, "lib");
  return { ...process.env, LD_LIBRARY_PATH: lib, SASL_PATH: join(lib, "sasl2") };
}
