/** All checks of the disks of a killed cluster. They need no server, so that a failed round can be compared again. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import type { ClusterTruth } from "./cluster-truth.js";
import { compareCluster } from "./compare/compare-cluster.js";
import { compareCommands } from "./compare/compare-commands.js";
import { compareRebuilt } from "./compare/compare-rebuilt.js";
import { compareRecovered } from "./compare/compare-recovered.js";
import { copiedDisks, deleteDirectory, flipBytes } from "./damage-disks.js";

const DAMAGED = 3;

export async function checkDisks(folder: string, truth: ClusterTruth): Promise<CheckResult[]> {
  const random = new Random(truth.seed ^ 0x3c6ef372);
  const servers = Object.keys(truth.servers).sort();
  const all = [...truth.masters, ...servers];
  const roots = all.map((name) => join(folder, name));
  const whole = { roots, isIncomplete: false, isDamaged: false } as const;
  const results = [
    await compareCluster(truth, { ...whole, what: "all disks" }),
    await compareCluster(truth, { ...whole, what: "all disks, confirmed writes", writes: "confirmed" }),
    await compareCluster(truth, { ...whole, what: "all disks, unconfirmed writes", writes: "unconfirmed" }),
    await compareCluster(truth, {
      ...whole,
      roots: servers.map((name) => join(folder, name)),
      what: "without the masters",
    }),
  ];
  results.push(await compareCommands(truth, roots), await compareRebuilt(folder, truth));
  for (const absent of servers) {
    results.push(
      await compareCluster(truth, {
        what: "without one tablet server",
        roots: roots.filter((root) => !root.endsWith(`/${absent}`)),
        isIncomplete: true,
        isDamaged: false,
      }),
    );
  }
  const copy = join(folder, "damaged");
  for (let i = 0; i < DAMAGED; i++) {
    const copied = await copiedDisks(folder, all, copy);
    const [first = "", second = ""] = random.shuffled(copied.slice(truth.masters.length));
    await deleteDirectory(random, first);
    const deleted = { roots: copied, isIncomplete: true, isDamaged: false };
    results.push(await compareCluster(truth, { ...deleted, what: "a deleted directory" }));
    const again = await copiedDisks(folder, all, copy);
    const damaged = random.once(2) ? [first, second] : [first];
    const flips: string[] = [];
    for (const root of damaged) {
      flips.push(...(await flipBytes(random, root)));
    }
    const detail = `; flipped: ${flips.join(", ")}`;
    const flipped = { what: "flipped bytes", detail, roots: again, isIncomplete: true, isDamaged: true };
    results.push(await compareCluster(truth, flipped));
    const undamaged = again.filter((root) => !damaged.includes(root));
    results.push(await compareRecovered(truth, { before: roots, after: again, undamaged, detail }));
  }
  await rm(copy, { recursive: true, force: true });
  return results;
}
