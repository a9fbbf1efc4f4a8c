import type { VerifyProblem } from "cfile";

/** `E_CHECKSUM block at 16 (48 bytes), offset 44, checksum: the checksum does not match (expected …, found …)`. */
export function problemText({ code, reason, block, offset, field, expected, actual }: VerifyProblem): string {
  const place = [
    ...(block === undefined ? [] : [`block at ${block.offset} (${block.size} bytes)`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
    ...(field === undefined ? [] : [field]),
  ].join(", ");
  const values =
    expected === undefined || actual === undefined ? "" : ` (expected ${expected}, found ${actual})`;
  return `${code}${place === "" ? "" : ` ${place}`}: ${reason}${values}`;
}
