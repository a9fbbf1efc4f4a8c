/** Third chapter: flips one bit of the file and finds it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "@cfile/cli";
import { captured } from "./captured.js";
import { KUDU_FILE } from "./inputs.js";
import { bytes, chapter, say } from "./report.js";

const POSITION = 20_000;

export async function flippedBit(folder: string): Promise<void> {
  chapter(3, "A flipped bit");
  const damaged = await readFile(KUDU_FILE);
  damaged.writeUInt8(damaged.readUInt8(POSITION) ^ 0x10, POSITION);
  const path = join(folder, "damaged.cfile");
  await writeFile(path, damaged);
  say(`One of ${bytes(8 * damaged.length)} bits is flipped, in byte ${bytes(POSITION)}. cfile verify says:`);
  say("");
  const { exitCode, output } = await captured((io) => runCli(["verify", path], io));
  for (const line of output.replaceAll(path, "damaged.cfile").split("\n")) {
    say(`  ${line}`);
  }
  say("");
  say(`and exits with code ${exitCode}. The file as Kudu wrote it:`);
  say("");
  const intact = await captured((io) => runCli(["verify", KUDU_FILE], io));
  say(`  ${intact.output.replaceAll(KUDU_FILE, "original")}`);
}
