import { basename } from "node:path";
import type { Problem } from "../files/verify-path.js";

/** `E_CHECKSUM block at 16 (48 bytes), offset 44, checksum: the checksum does not match (expected …, found …)`. */
export function problemText(problem: Problem): string {
  const { code, reason, role, path, block, offset, entry, row, timestamp, field, expected, actual } = problem;
  const file = path === undefined ? undefined : basename(path);
  const place = [
    ...(role === undefined ? [] : [role]),
    ...(file === undefined ? [] : [file]),
    ...(block === undefined ? [] : [`block at ${block.offset} (${block.size} bytes)`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
    ...(entry === undefined ? [] : [`entry ${entry}`]),
    ...(row === undefined ? [] : [`row ${row}`]),
    ...(timestamp === undefined ? [] : [`timestamp ${timestamp}`]),
    ...(field === undefined ? [] : [field]),
  ].join(", ");
  const values =
    expected === undefined || actual === undefined ? "" : ` (expected ${expected}, found ${actual})`;
  return `${code}${place === "" ? "" : ` ${place}`}: ${reason}${values}`;
}
