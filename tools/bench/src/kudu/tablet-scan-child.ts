/** Scans a tablet several times in this process. Prints the number of rows and the times of each scan as JSON. */
import { MemoryArena } from "@cfile/bytes";
import { openKuduDir } from "@cfile/kudu-dir";
import type { ScanTime } from "./tablet-scans.js";

const CACHE_BYTES = 512 << 20;

async function scanTablet([path = "", id = "", order = "any", scans = "1", cache = ""]: readonly string[]) {
  await using dir = await openKuduDir(path, { cacheBytes: CACHE_BYTES });
  const tablet = await dir.tablet(id);
  // Kudu's tool also opens the tablet before its first scan: journals of blocks, footers of keys.
  await Promise.all(tablet.rowSets.map((rowSet) => rowSet.open()));
  const rows: number[] = [];
  const times: ScanTime[] = [];
  const arena = new MemoryArena();
  for (let scan = 0; scan < Number(scans); scan++) {
    const before = process.cpuUsage();
    const start = performance.now();
    let count = 0;
    for await (const { length } of tablet.scan({
      order: order === "key" ? "key" : "any",
      arena,
      cacheBlocks: cache === "cache",
    })) {
      count += length;
    }
    const clock = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    rows.push(count);
    times.push({ clock, processor: (user + system) / 1000 });
  }
  return { rows, times };
}

void scanTablet(process.argv.slice(2)).then((report) => process.stdout.write(JSON.stringify(report)));
