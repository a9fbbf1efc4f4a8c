/** Writes a file on the simulated disk of the fuzz tests, and reads the file after each power cut. */
import { findingOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { memorySink, memorySource } from "@cfile/io";
import { fileSink } from "@cfile/io/file";
import { afterPowerCut, DISKS, type DiskKind, type Operation, SimulatedDisk } from "@cfile-tools/fuzz/disk";
import { createCFile } from "cfile";

export interface PowerCuts {
  readonly operations: readonly string[];
  /** For each number of operations before the cut, the file of each disk. */
  readonly outcomes: readonly (readonly Outcome[])[];
}

interface Outcome {
  readonly disk: DiskKind;
  readonly text: string;
  /** Whether the whole old or the whole new file is left. */
  readonly isWhole: boolean;
}

const TARGET = "/data/column.cfile";
const OLD_ROWS = 100;
const NEW_ROWS = 2000;
const BLOCK_BYTES = 1024;

/** @param sync whether the writer waits for the disk, which is the default */
export async function cutPower(sync: boolean): Promise<PowerCuts> {
  const old = memorySink();
  await writeRows(old, OLD_ROWS);
  const before = new Map([[TARGET, old.bytes()]]);
  const disk = new SimulatedDisk({ exists: true });
  await disk.use(async () =>
    writeRows(await fileSink(TARGET, { sync, temporaryName: ".column.tmp" }), NEW_ROWS),
  );
  const { operations } = disk;
  const outcomes: Outcome[][] = [];
  for (let cut = 0; cut <= operations.length; cut++) {
    const left = (Object.keys(DISKS) as DiskKind[]).map(async (kind): Promise<Outcome> => {
      const bytes = afterPowerCut(operations.slice(0, cut), before, kind).get(TARGET);
      return { disk: kind, ...(await stateOf(bytes)) };
    });
    outcomes.push(await Promise.all(left));
  }
  return { operations: operations.map(operationText), outcomes };
}

async function writeRows(sink: Parameters<typeof createCFile>[0], rows: number): Promise<void> {
  const writer = await createCFile(sink, {
    type: "INT32",
    encoding: "PLAIN_ENCODING",
    blockSize: BLOCK_BYTES,
  });
  await writer.append(Array.from({ length: rows }, (_, i) => i));
  await writer.finish();
}

async function stateOf(bytes: Uint8Array | undefined): Promise<Omit<Outcome, "disk">> {
  if (bytes === undefined) {
    return { text: "no file", isWhole: false };
  }
  try {
    const file = await openCFile(memorySource(bytes, "column.cfile"));
    const { problems } = await file.verify();
    const [problem] = problems;
    if (problem !== undefined) {
      return { text: `damaged: ${problem.code}`, isWhole: false };
    }
    const name = file.rowCount === OLD_ROWS ? "the old file" : "the new file";
    return { text: `${name}, ${file.rowCount.toLocaleString("en-US")} rows`, isWhole: true };
  } catch (error) {
    const size = `${bytes.length.toLocaleString("en-US")} bytes`;
    return { text: `${size}, ${findingOf(error).code}`, isWhole: false };
  }
}

function operationText(operation: Operation): string {
  switch (operation.kind) {
    case "write":
      return `write ${operation.bytes.length} bytes to ${operation.path}`;
    case "rename":
    case "link":
      return `${operation.kind} ${operation.path} to ${operation.to}`;
    case "sync directory":
      return "sync the directory";
    default:
      return `${operation.kind} ${operation.path}`;
  }
}
