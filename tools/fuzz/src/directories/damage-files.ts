/** Damages one file of a Kudu server's directories, as a failing disk or a wrong copy does. */
import { parseLogSegment } from "@cfile/kudu-dir/log";
import { recordsOf, sealContainer } from "../harnesses/kudu-files.js";
import type { Random } from "../random.js";
import { olderRaftConfiguration, olderSuperblock } from "./older-metadata.js";

/** Files by path. */
export type DirectoryFiles = ReadonlyMap<string, Uint8Array>;

/** Damaged directories. */
export interface DamagedFiles {
  readonly files: DirectoryFiles;
  readonly kind: DamageKind;
  /** The damaged file. */
  readonly path: string;
  readonly what: string;
  /**
   * Whether only the last entry of a log is damaged. That is what a crash leaves, so that readers take the operations before it.
   */
  readonly isTornLog: boolean;
}

export const DAMAGE_KINDS = [
  "bit",
  "byte",
  "zeroed page",
  "cut",
  "replaced",
  "swapped",
  "repeated record",
  "repeated block",
  "older superblock",
  "older Raft configuration",
] as const;
export type DamageKind = (typeof DAMAGE_KINDS)[number];

const PAGE = 4096;
/** Added to the ID of a block, in the lowest bits: the folders have the others. */
const UNUSED = 5000n;
/** The files of damage that is not for all. */
const FILES_OF: Partial<Record<DamageKind, RegExp>> = {
  "repeated record": /\.metadata$/,
  "repeated block": /\/data\/.*\/\d{16}$/,
  "older superblock": /\/tablet-meta\//,
  "older Raft configuration": /\/consensus-meta\//,
};
/** Names without the parts that identify a tablet, block or segment. */
const sortOf = (path: string): string => path.replace(/[0-9a-f]{32}/g, "ID").replace(/\d+/g, "N");
/** Neither blocks nor journals name columns. No reader can detect that a block was exchanged for one of the same type and row count. */
const BLOCKS = /\/data\/.*(?:\.data|\.metadata|\/\d+)$/;

/** `undefined` if this kind of damage changes nothing in the file that was chosen. */
export function damageFiles(files: DirectoryFiles, random: Random): DamagedFiles | undefined {
  const kind = random.pick(DAMAGE_KINDS);
  const paths = [...files.keys()].filter((each) => FILES_OF[kind]?.test(each) ?? true);
  if (paths.length === 0) {
    return undefined;
  }
  const path = random.pick(paths);
  const bytes = files.get(path) ?? new Uint8Array(0);
  const changed = (to: Uint8Array, what: string, from = 0): DamagedFiles => ({
    files: new Map(files).set(path, to),
    kind,
    path,
    what,
    isTornLog: from >= lastEntry(path, bytes),
  });
  if (bytes.length === 0) {
    return undefined;
  }
  const at = random.below(bytes.length);
  const copy = bytes.slice();
  switch (kind) {
    case "bit":
      copy[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return changed(copy, `bit of byte ${at}`, at);
    case "byte":
      copy[at] = random.below(256);
      return changed(copy, `byte ${at} is ${copy[at]}`, at);
    case "zeroed page": {
      const start = at - (at % PAGE);
      // A log that ends with zeros, or has nothing else, looks as it did when the server had only reserved the space.
      const from = start + PAGE >= bytes.length ? Number.POSITIVE_INFINITY : start;
      return changed(copy.fill(0, start, start + PAGE), `zeros from ${start}`, from);
    }
    case "cut":
      // A log that ends early looks as it did when it was shorter.
      return changed(bytes.slice(0, at), `cut to ${at}`, Number.POSITIVE_INFINITY);
    case "older superblock": {
      const older = olderSuperblock(bytes, random);
      return older === undefined ? undefined : changed(older, "from before a flush");
    }
    case "older Raft configuration": {
      const older = olderRaftConfiguration(bytes);
      return older === undefined ? undefined : changed(older, "from before an election");
    }
    case "repeated block": {
      // A file of the file block manager, again under an ID that no block has.
      const name = path.replace(/\d{16}$/, (id) => `${BigInt(id) + UNUSED}`.padStart(16, "0"));
      return files.has(name)
        ? undefined
        : { ...changed(bytes, `again as ${name}`), files: new Map(files).set(name, bytes) };
    }
    case "repeated record":
      return changed(withRecordTwice(bytes, random), "a record twice");
    default: {
      const others = paths.filter((other) => other !== path && sortOf(other) === sortOf(path));
      if (others.length === 0 || BLOCKS.test(path)) {
        return undefined;
      }
      const other = random.pick(others);
      const result = changed(files.get(other) ?? bytes, `${kind} with ${other}`);
      return kind === "swapped" ? { ...result, files: new Map(result.files).set(other, bytes) } : result;
    }
  }
}

/** The offset of the last entry of a log segment; infinite for other files. */
function lastEntry(path: string, bytes: Uint8Array): number {
  if (!/\/wal-\d+$/.test(path)) {
    return Number.POSITIVE_INFINITY;
  }
  try {
    return parseLogSegment(bytes, path).entries.at(-1)?.offset ?? 0;
  } catch {
    // Encrypted: only the end of the file is certainly in the last entry.
    return bytes.length;
  }
}

function withRecordTwice(bytes: Uint8Array, random: Random): Uint8Array {
  try {
    const records = recordsOf(bytes);
    const [description = new Uint8Array(0), ...others] = records;
    return sealContainer([description, ...others, ...(others.length > 0 ? [random.pick(others)] : [])]);
  } catch {
    // Encrypted.
    return bytes;
  }
}
