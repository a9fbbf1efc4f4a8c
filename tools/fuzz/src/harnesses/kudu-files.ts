/**
 * Files of a Kudu server: containers, superblocks, write-ahead logs, and a directory with one damaged file.
 */
import { crc32c } from "@cfile/bytes";
import { memoryTree } from "@cfile/io";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import { parseBlockRecord, parseContainerFile, parseSuperblock } from "@cfile/kudu-dir/catalog";
import { parseLogEntries, parseLogSegment } from "@cfile/kudu-dir/log";
import { defineHarness } from "../define-harness.js";
import { serverFiles, smallestSuperblocks, smallestTablet } from "../files/server-files.js";
import type { Harness, Mutation, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import type { Random } from "../random.js";

const LARGEST = 4000;
const HEAD = 16;

/** A container with other messages in its records, and matching checksums. */
export function sealContainer(records: readonly Uint8Array[]): Uint8Array {
  const size = records.reduce((sum, { length }) => sum + length + 12, HEAD);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  out.set(new TextEncoder().encode("kuducntr"));
  view.setUint32(8, 2, true);
  view.setUint32(12, crc32c(out, 0, 12), true);
  let at = HEAD;
  for (const record of records) {
    view.setUint32(at, record.length, true);
    view.setUint32(at + 4, crc32c(out, at, at + 4), true);
    out.set(record, at + 8);
    view.setUint32(at + 8 + record.length, crc32c(record), true);
    at += record.length + 12;
  }
  return out;
}

/** The records, preceded by the description. */
export function recordsOf(bytes: Uint8Array): Uint8Array[] {
  const { offsets, records } = parseContainerFile(bytes, "golden");
  const first = bytes.subarray(HEAD + 8, (offsets[0] ?? bytes.length) - 4);
  return [first, ...records].map((record) => record.slice());
}

export function mutateContainer({ bytes }: Subject, random: Random): Mutation {
  if (random.below(4) === 0) {
    return mutateFields(bytes, random);
  }
  const records = recordsOf(bytes);
  const which = random.below(records.length);
  const { bytes: changed, steps } = mutateFields(records[which] as Uint8Array, random);
  records[which] = changed;
  if (random.below(8) === 0) {
    records.splice(random.below(records.length), 0, records[random.below(records.length)] as Uint8Array);
  }
  return { bytes: sealContainer(records), steps: steps.map((step) => `record ${which}: ${step}`) };
}

const containers = defineHarness({
  name: "Kudu: containers, block records and superblocks",
  share: 200,
  load: () => {
    const small = serverFiles("log").filter(
      ({ name, bytes }) => bytes.length <= LARGEST && /metadata$|instance$/.test(name),
    );
    const superblocks = smallestSuperblocks();
    return [...small, ...small.flatMap((_, i) => superblocks.slice(i % 4, (i % 4) + 1))];
  },
  mutate: mutateContainer,
  act: (bytes, { name }) => {
    const { records, damage } = parseContainerFile(bytes, name);
    for (const record of records) {
      if (name.endsWith("metadata")) {
        parseBlockRecord(record);
      } else if (name.includes("tablet-meta")) {
        parseSuperblock(record);
      }
    }
    if (damage !== undefined) {
      throw damage;
    }
  },
});

/** Entries with valid checksums: the header of each entry determines the offset of the next one. */
function mutateLog({ bytes }: Subject, random: Random): Mutation {
  const changed = mutateFields(bytes, random);
  const out = changed.bytes;
  if (random.below(4) === 0 || out.length < HEAD) {
    return changed;
  }
  const view = new DataView(out.buffer, out.byteOffset, out.length);
  let at = 12 + view.getUint32(8, true);
  while (at + 16 <= out.length) {
    const length = view.getUint32(at, true);
    if (at + 16 + length > out.length) {
      break;
    }
    view.setUint32(at + 8, crc32c(out, at + 16, at + 16 + length), true);
    view.setUint32(at + 12, crc32c(out, at, at + 12), true);
    at += 16 + length;
  }
  return { bytes: out, steps: [...changed.steps, "checksums corrected"] };
}

const logs = defineHarness({
  name: "Kudu: write-ahead logs",
  share: 80,
  load: () => serverFiles("log").filter(({ name, bytes }) => bytes.length <= LARGEST && /wal-/.test(name)),
  mutate: mutateLog,
  act: (bytes, { name }) => {
    const { entries, damage } = parseLogSegment(bytes, name);
    for (const { data } of entries) {
      parseLogEntries(data);
    }
    if (damage !== undefined) {
      throw damage;
    }
  },
});

const directories = defineHarness({
  name: "Kudu: directories",
  share: 4,
  load: smallestTablet,
  mutate: (subject, random) =>
    /metadata$|tablet-meta|instance$/.test(subject.name)
      ? mutateContainer(subject, random)
      : /wal-/.test(subject.name)
        ? mutateLog(subject, random)
        : mutateFields(subject.bytes, random),
  act: async (bytes, { name, files }) => {
    const dir = await openKuduDir(memoryTree(new Map(files).set(name, bytes), "server"));
    await checkKuduDir(dir);
    for (const tablet of await dir.tablets()) {
      let rows = 0;
      for await (const batch of tablet.scan()) {
        rows += batch.length;
        if (rows > 20_000) {
          break;
        }
      }
    }
  },
});

export const KUDU_FILES: readonly Harness[] = [containers, logs, directories];
