/**
 * HFiles with few cells in both profiles. The servers' own files are too large to be mutated a hundred thousand
 * times.
 */
import { HFileWriter, type HFileWriterOptions } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import type { Subject } from "../harness.js";

const KINDS: readonly HFileWriterOptions[] = [
  { profile: "hudi", blockSize: 512 },
  { profile: "hbase", blockSize: 512 },
  { profile: "hbase", blockSize: 512, compression: "GZ" },
];

let made: Promise<Subject[]> | undefined;

export function smallHFiles(): Promise<Subject[]> {
  made ??= Promise.all(KINDS.map(makeHFile));
  return made;
}

async function makeHFile(options: HFileWriterOptions): Promise<Subject> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, options);
  const text = new TextEncoder();
  const cells = Array.from({ length: 60 }, (_, i) => ({
    row: text.encode(`key-${String(i).padStart(8, "0")}`),
    value: text.encode(`value ${i * 7919}`),
  }));
  writer.addMetaBlock("meta", text.encode("a block of its own"));
  await writer.append(cells);
  await writer.finish();
  return { name: `${options.profile} ${options.compression ?? "NONE"}`, bytes: sink.bytes() };
}
