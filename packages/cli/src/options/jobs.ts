/** `--jobs`: how many threads share the work. */
import { availableParallelism } from "node:os";
import { wholeNumber } from "./option-values.js";
import { given } from "./options.js";

export const JOBS_FLAG = /* @__PURE__ */ Object.freeze({
  alias: "j",
  type: "string",
  requiresArg: true,
  describe: "threads at work [default: as many as there are cores]",
} as const);

/** More than so many gain nothing, unless somebody asks for them. */
const MOST_UNASKED = 8;

/** @param pieces into which the work can be cut */
export function jobsOf(stated: string | undefined, pieces: number): number {
  return (
    given(stated, (text) => wholeNumber("--jobs", text, 1)) ??
    Math.max(1, Math.min(pieces, availableParallelism(), MOST_UNASKED))
  );
}
