/** Measures time and memory for rejecting each crafted file. */
import { isCFileError } from "@cfile/bytes";
import { scanDamagedCFile } from "@cfile/format/recover";
import { type ByteSource, memorySource } from "@cfile/io";
import { openCFile } from "cfile";
import { type BadFile, badFiles } from "../files/bad-files.js";
import { HARNESSES } from "../harnesses/all-harnesses.js";
import { countMemory } from "./count-memory.js";

export interface Measured {
  readonly file: string;
  readonly what: "read" | "verify" | "recover";
  /** Error code; `result` if there was no error. */
  readonly code: string;
  /** Processor time, which excludes other work of the machine: the median of three runs in a warm process. */
  readonly milliseconds: number;
  /** Total bytes allocated, including released memory. */
  readonly bytes: number;
}

export const MAX_MILLISECONDS = 50;
export const MAX_BYTES = 32 * 1024 * 1024;
const RUNS = 3;

/** The crafted files among the bad files. */
export function forgedFiles(): BadFile[] {
  return badFiles().filter(({ file }) => file.startsWith("forged-"));
}

export async function measureForgeries(files: readonly BadFile[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const bad of files) {
    if (!bad.harness.startsWith("CFile")) {
      const harness = HARNESSES.find(({ name }) => name === bad.harness);
      const ready = await harness?.ready();
      const read = async (): Promise<unknown> => ready?.replay(bad.seed, bad.subject, bad.bytes);
      measured.push(await measure(bad.file, "read", read));
    } else {
      // With the default limits.
      const source = memorySource(bad.bytes);
      measured.push(
        await measure(bad.file, "read", () => readColumn(source)),
        await measure(bad.file, "verify", async () => (await openCFile(source)).verify()),
        await measure(bad.file, "recover", () => scanDamagedCFile(source, { type: "INT32", array: false })),
      );
    }
  }
  return measured;
}

async function readColumn(source: ByteSource): Promise<void> {
  const file = await openCFile(source);
  for await (const batch of file.scan()) {
    batch.get(0);
  }
}

async function measure(
  file: string,
  what: Measured["what"],
  action: () => Promise<unknown>,
): Promise<Measured> {
  let code = "result";
  const tried = async (): Promise<void> => {
    try {
      await action();
    } catch (error) {
      code = isCFileError(error) ? error.code : `untyped: ${error}`;
    }
  };
  const bytes = await countMemory(tried);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = process.cpuUsage();
    await tried();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  times.sort((a, b) => a - b);
  return { file, what, code, bytes, milliseconds: times[RUNS >> 1] as number };
}
