/** The tarballs of all packages, built once for all test files of this process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackedPackage, pack } from "../src/published-packages.mjs";

let packed: PackedPackage[] | undefined;

export function packedPackages(): readonly PackedPackage[] {
  if (packed === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "cfile-packed-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    packed = pack(folder);
  }
  return packed;
}

export function packedPackage(name: string): PackedPackage {
  const found = packedPackages().find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw new Error(`${name} was not packed`);
  }
  return found;
}
