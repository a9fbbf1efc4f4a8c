/** The instants of a Hudi table as bars on one axis. */
import type { HudiTable } from "@cfile/hudi";
import type { TimelineView } from "../../../protocol.js";

type Instant = HudiTable["instants"][number];

/** Active instants, and archived writes before them. @throws {CFileError} for a damaged archive */
export async function timelineView(timeline: HudiTable["timeline"]): Promise<TimelineView> {
  const archived = [...(await timeline.archived()).completed.values()].filter(
    ({ time }) => !timeline.completed.has(time),
  );
  const all = [...archived, ...timeline.instants];
  const times = all.flatMap(({ time, completionTime }) => [millisOf(time), millisOf(completionTime ?? time)]);
  const first = Math.min(...times);
  const length = Math.max(1, Math.max(...times) - first);
  const position = (time: string): number => Math.max(0, (millisOf(time) - first) / length);
  const view = (instant: Instant, isArchived: boolean): TimelineView["instants"][number] => {
    const { time, action, state, completionTime } = instant;
    return {
      requested: timeText(time),
      action,
      state: isArchived ? "archived" : state === "COMPLETED" ? "completed" : pendingState(state),
      completed: completionTime === undefined ? "" : timeText(completionTime),
      start: position(time),
      end: state === "COMPLETED" ? position(completionTime ?? time) : 1,
    };
  };
  return { instants: all.map((instant, i) => view(instant, i < archived.length)) };
}

function pendingState(state: Instant["state"]): "requested" | "inflight" {
  return state === "REQUESTED" ? "requested" : "inflight";
}

/** Milliseconds since 1970 of the digits of an instant. */
function millisOf(time: string): number {
  const digit = (start: number, end: number): number => Number(time.slice(start, end));
  return Date.UTC(
    digit(0, 4),
    digit(4, 6) - 1,
    digit(6, 8),
    digit(8, 10),
    digit(10, 12),
    digit(12, 14),
    digit(14, 17),
  );
}

function timeText(time: string): string {
  return time
    .replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d*)$/, "$1-$2-$3 $4:$5:$6.$7")
    .replace(/\.$/, "");
}
