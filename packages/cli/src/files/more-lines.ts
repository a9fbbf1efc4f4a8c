/** The line below a list that `--blocks` cuts. */
import { counted } from "../records/quantity.js";

/** How many of `total` are not shown; no line if all are. */
export function moreLines(total: number, shown: number, noun: string): string[] {
  return total > shown ? [`  ${counted(total - shown, `more ${noun}`)} (use --blocks all)`] : [];
}
