/** Damages one file of a Kudu server's directories, as a failing disk or a wrong copy does. */
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
   * The length to which the damage cuts a log: it then looks as after a crash, so that readers accept the entries before the cut.
   * `undefined` for other damage.
   */
  readonly cutTo: number | undefined;
}

/** Offsets of the entries of each log segment, by path. */
export type LogEntries = ReadonlyMap<string, readonly number[]>;

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
const SECTOR = 512;
/** Number of zeros at the end of a sector that was not written. */
const ZEROS = 8;
/** Added to the ID of a block, in its lowest bits; the folders encode the higher bits. */
const UNUSED = 5000n;
/** Files to which kinds of damage are restricted. */
const FILES_OF: Partial<Record<DamageKind, RegExp>> = {
  "repeated record": /\.metadata$/,
  "repeated block": /\/data\/.*\/\d{16}$/,
  "older superblock": /\/tablet-meta\//,
  "older Raft configuration": /\/consensus-meta\//,
};
/** Names without the parts that identify a tablet, block or segment. */
const sortOf = (path: string): string => path.replace(/[0-9a-f]{32}/g, "ID").replace(/\d+/g, "N");
/** Neither blocks nor journals name columns, so no reader can detect that a block was replaced by one of the same type and row count. */
const BLOCKS = /\/data\/.*(?:\.data|\.metadata|\/\d+)$/;

/** @returns `undefined` if this kind of damage does not change the chosen file */
export function damageFiles(
  { files, logEntries }: { readonly files: DirectoryFiles; readonly logEntries: LogEntries },
  random: Random,
): DamagedFiles | undefined {
  const kind = random.pick(DAMAGE_KINDS);
  const paths = [...files.keys()].filter((each) => FILES_OF[kind]?.test(each) ?? true);
  if (paths.length === 0) {
    return undefined;
  }
  const path = random.pick(paths);
  const bytes = files.get(path) ?? new Uint8Array(0);
  const entries = logEntries.get(path);
  const last = entries?.at(-1) ?? Number.POSITIVE_INFINITY;
  /** @param cut offset at which a log looks cut */
  const changed = (to: Uint8Array, what: string, cut?: number): DamagedFiles => ({
    files: new Map(files).set(path, to),
    kind,
    path,
    what,
    cutTo: cut === undefined ? undefined : entries && (entries.findLast((offset) => offset <= cut) ?? 0),
  });
  if (bytes.length === 0) {
    return undefined;
  }
  const at = random.below(bytes.length);
  const copy = bytes.slice();
  switch (kind) {
    case "bit":
      copy[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return changed(copy, `bit of byte ${at}`, at >= last && looksUnwritten(copy, last) ? at : undefined);
    case "byte":
      copy[at] = random.below(256);
      return changed(
        copy,
        `byte ${at} is ${copy[at]}`,
        at >= last && looksUnwritten(copy, last) ? at : undefined,
      );
    case "zeroed page": {
      const start = at - (at % PAGE);
      // A log that ends with zeros looks as if the server had only reserved the space.
      const isAtEnd = start + PAGE > Math.min(last, bytes.length - 1);
      return changed(copy.fill(0, start, start + PAGE), `zeros from ${start}`, isAtEnd ? start : undefined);
    }
    case "cut":
      // A log that ends early looks like an earlier version of it.
      return changed(bytes.slice(0, at), `cut to ${at}`, at);
    case "older superblock": {
      const older = olderSuperblock(bytes, random);
      return older === undefined ? undefined : changed(older, "from before a flush");
    }
    case "older Raft configuration": {
      const older = olderRaftConfiguration(bytes);
      return older === undefined ? undefined : changed(older, "from before an election");
    }
    case "repeated block": {
      // A copy of a file of the file block manager, under an unused ID.
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

/** Whether a sector of the last entry, which begins at `from`, ends with zeros. */
function looksUnwritten(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at += SECTOR - (at % SECTOR)) {
    const end = Math.min(bytes.length, at - (at % SECTOR) + SECTOR);
    if (bytes.subarray(Math.max(at, end - ZEROS), end).every((byte) => byte === 0)) {
      return true;
    }
  }
  return false;
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
