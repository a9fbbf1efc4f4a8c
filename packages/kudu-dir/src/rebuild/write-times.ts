/**
 * Separates tablets by the timestamps of their writes. Each write of a tablet has a timestamp of its own, so files that share one
 * belong to one tablet. This is used only if no two tablets share one: clocks of several leaders are independent.
 */
import { openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../blocks/problems.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** Files of one tablet, and the tablets that this may be. */
export interface PossibleTablets {
  readonly files: readonly SurveyedBlock[];
  readonly tablets: ReadonlySet<string>;
}

/** Files with more entries are not compared. */
const MAX_ENTRIES = 200_000;
const MAX_TIMESTAMPS = 2_000_000;

/**
 * The tablets that are left for each of the uncertain files; at least one if there was one.
 *
 * @param certain files with their only tablet
 */
export async function narrowTablets(
  certain: readonly PossibleTablets[],
  uncertain: readonly PossibleTablets[],
): Promise<readonly ReadonlySet<string>[]> {
  const times: ReadonlySet<bigint>[] = [];
  const left: ReadonlySet<string>[] = [];
  /** The tablets that each timestamp of uncertain files may belong to. */
  const tabletsAt = new Map<bigint, ReadonlySet<string> | undefined>();
  for (const { files, tablets } of uncertain) {
    const found =
      tablets.size > 0 && tabletsAt.size < MAX_TIMESTAMPS ? await timesOf(files) : new Set<bigint>();
    times.push(found);
    left.push(tablets);
    for (const time of found) {
      tabletsAt.set(time, undefined);
    }
  }
  for (const { files, tablets } of certain) {
    for (const time of await timesOf(files, tabletsAt)) {
      const known = tabletsAt.get(time);
      if (known !== undefined && [...tablets].some((tablet) => !known.has(tablet))) {
        return uncertain.map((one) => one.tablets);
      }
      tabletsAt.set(time, tablets);
    }
  }
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const [i, found] of times.entries()) {
      for (const time of found) {
        const there = tabletsAt.get(time);
        const here = left[i] ?? new Set();
        const both = there === undefined ? here : new Set([...here].filter((one) => there.has(one)));
        if (both.size === 0) {
          // Two tablets share this timestamp after all.
          return uncertain.map(({ tablets }) => tablets);
        }
        hasChanged ||= both.size < here.size || both.size < (there?.size ?? Number.POSITIVE_INFINITY);
        left[i] = both;
        tabletsAt.set(time, both);
      }
    }
  }
  return left;
}

/** The timestamps of files; only those in `wanted` if it is given. Those behind damage are left out. */
async function timesOf(
  files: readonly SurveyedBlock[],
  wanted?: ReadonlyMap<bigint, unknown>,
): Promise<ReadonlySet<bigint>> {
  const found = new Set<bigint>();
  for (const { source } of files) {
    const reader = await openDeltaFile(source, { cacheBytes: 0 });
    if (wanted === undefined && reader.entryCount > MAX_ENTRIES) {
      continue;
    }
    await unlessDamaged(async () => {
      for await (const { timestamps } of reader.entries()) {
        for (const timestamp of timestamps) {
          if (wanted === undefined || wanted.has(timestamp)) {
            found.add(timestamp);
          }
        }
      }
    });
  }
  return found;
}
