/** Instants whose log blocks in the metadata table count (docs/spec/hudi-table.md#82-valid-instants). */

import type { HudiInstant } from "../timeline/instant.js";
import { rolledBackInstants } from "../timeline/instant-content.js";
import type { Timeline } from "../timeline/timeline.js";

/** Delta commits that set up the metadata table. */
const BOOTSTRAP = /^0{14}/;

/**
 * The valid instants.
 * @param data the timeline of the data table
 * @param metadata the timeline of its metadata table
 * @throws {CFileError} for damaged rollbacks
 */
export async function validInstants(data: Timeline, metadata: Timeline): Promise<Set<string>> {
  const isNew = data.properties.version >= 8;
  const completed = (timeline: Timeline, ...actions: string[]): HudiInstant[] =>
    timeline.instants.filter(
      ({ action, state }) => state === "COMPLETED" && (actions.length === 0 || actions.includes(action)),
    );
  const valid = new Set(completed(data).map(({ time }) => time));
  for (const { time } of completed(metadata, "deltacommit")) {
    if (BOOTSTRAP.test(time) || (isNew ? !data.pending.has(time) : isOwnWork(time))) {
      valid.add(time);
    }
  }
  const rollbacks = completed(data, "rollback", "restore");
  const first = [...valid].reduce((least, time) => (time < least ? time : least), "9");
  const compacted = isNew ? (completed(metadata, "commit").at(-1)?.time ?? "") : "";
  for (const rollback of rollbacks) {
    if (rollback.time > first && rollback.time > compacted) {
      const content = await data.content(rollback);
      for (const time of content === undefined ? [] : rolledBackInstants(content)) {
        valid.add(time);
      }
    }
  }
  for (const { time } of completed(metadata, "rollback", "restore")) {
    valid.add(time);
  }
  return valid;
}

/** Version 6 marks delta commits without an instant in the data table with a suffix of three digits. */
function isOwnWork(time: string): boolean {
  const suffix = time.length === 20 ? Number(time.slice(17)) : 0;
  return (suffix >= 1 && suffix <= 6) || suffix >= 10;
}
