/**
 * The released Kudu as a peer: its servers write the tables, its tools scan, export and check them. The
 * programs come from Maven Central.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  KuduServer,
  kuduBinaries,
  kuduEnvironment,
  MissingError,
  requireJava,
} from "@cfile-tools/interop/kudu";

const MAX_OUTPUT_BYTES = 64 << 20;

/** Flags like those of an installation. The interop tests instead use tiny files and disable maintenance. */
const FLAGS = [
  "--memory_limit_hard_bytes=4294967296",
  "--flush_threshold_mb=64",
  "--flush_threshold_secs=2",
  "--enable_flush_memrowset=true",
  "--log_container_max_size=10737418240",
  "--log_segment_size_mb=8",
  "--block_cache_capacity_mb=512",
];

/** The folder of Kudu's programs; a note if they are not available here. */
export async function kuduHome(): Promise<{ home: string } | { note: string }> {
  try {
    await requireJava();
    return { home: await kuduBinaries() };
  } catch (error) {
    if (error instanceof MissingError) {
      return { note: `missing: Kudu 1.18.1 (${error.message})` };
    }
    throw error;
  }
}

export function kuduServer(home: string, folder: string): KuduServer {
  return new KuduServer({ home, folder, blockManager: "log", encrypted: false, flags: FLAGS });
}

/** The output of a run of Kudu's tool, and its milliseconds. */
export interface ToolRun {
  readonly output: string;
  readonly milliseconds: number;
}

/** Runs Kudu's tool. */
export async function runKudu(home: string, args: readonly string[]): Promise<ToolRun> {
  const start = performance.now();
  const options = { env: kuduEnvironment(home), maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout, stderr } = await promisify(execFile)(join(home, "bin", "kudu"), args, options);
  return { output: stdout + stderr, milliseconds: performance.now() - start };
}

/** Runs Kudu's tool and discards its standard output, which can be large. */
export async function timeKudu(home: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const command = [join(home, "bin", "kudu"), ...args].map((each) => `'${each}'`).join(" ");
  await promisify(execFile)("sh", ["-c", `${command} > /dev/null`], {
    env: kuduEnvironment(home),
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return performance.now() - start;
}

/** The options of Kudu's tool that name the directories of a stopped server. */
export function directoriesOf({ dataFolder }: KuduServer): string[] {
  const roots = [1, 2].map((n) => join(dataFolder, `data-${n}`));
  return [
    `--fs_wal_dir=${dataFolder}`,
    `--fs_data_dirs=${roots.join(",")}`,
    "--unlock_experimental_flags",
    "--unlock_unsafe_flags",
    "--never_fsync",
  ];
}
