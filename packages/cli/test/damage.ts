import { readFile, writeFile } from "node:fs/promises";

/** Copies `path` to `target` with the bits of the byte at `offset` inverted. */
export async function damagedCopy(path: string, target: string, offset: number): Promise<string> {
  const bytes = await readFile(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0xff;
  await writeFile(target, bytes);
  return target;
}
