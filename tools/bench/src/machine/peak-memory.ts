import { readFile } from "node:fs/promises";

/** Peak resident memory of this process. On Linux, `maxRSS` is inherited from the parent process, whereas `VmHWM` starts with this one. */
export async function peakResidentMiB(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return (peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) / 1024;
}
