/** The remains of unsynced writes after a power cut, on disks that write in any order. */
import type { Random } from "../random.js";
import { type DiskRemains, joined } from "./simulated-disk.js";

/** Sizes in which disks and file systems write. */
const GRANULES = [512, 4096];

type Keep = (pieces: readonly Uint8Array[], synced: number) => Uint8Array;

/** Keeps the first writes, any of the writes, or any state of each sector or page. */
export function randomRemains(random: Random): DiskRemains {
  const ways: readonly Keep[] = [
    (pieces, synced) => firstBytes(pieces, synced, random),
    (pieces, synced) => anyWrites(pieces, synced, random),
    (pieces, synced) => anyGranules(pieces, synced, random),
  ];
  return {
    names: random.below(2) === 0,
    bytes: (pieces, synced) => (synced < pieces.length ? random.pick(ways)(pieces, synced) : joined(pieces)),
  };
}

function firstBytes(pieces: readonly Uint8Array[], synced: number, random: Random): Uint8Array {
  const kept = lengthOf(pieces.slice(0, synced));
  const all = joined(pieces);
  return ended(all.subarray(0, kept + random.below(all.length - kept + 1)), all.length, random);
}

function anyWrites(pieces: readonly Uint8Array[], synced: number, random: Random): Uint8Array {
  const odds = random.below(4);
  const left = pieces.map((piece, i) =>
    i < synced || random.below(4) > odds ? piece : new Uint8Array(piece.length),
  );
  return ended(withoutZeros(joined(left), lengthOf(pieces.slice(0, synced))), lengthOf(pieces), random);
}

/** Each granule has the content from a random moment. */
function anyGranules(pieces: readonly Uint8Array[], synced: number, random: Random): Uint8Array {
  const size = random.pick(GRANULES);
  const all = joined(pieces);
  const left = new Uint8Array(all.length);
  for (let at = 0; at < all.length; at += size) {
    const moment = lengthOf(pieces.slice(0, synced + random.below(pieces.length - synced + 1)));
    left.set(all.subarray(at, Math.max(at, Math.min(at + size, moment))), at);
  }
  return ended(withoutZeros(left, lengthOf(pieces.slice(0, synced))), all.length, random);
}

/** File systems may have recorded the new length although the last bytes are missing. */
function ended(bytes: Uint8Array, length: number, random: Random): Uint8Array {
  const isLong = random.below(2) === 0;
  return isLong ? joined([bytes, new Uint8Array(length - bytes.length)]) : bytes.slice();
}

/** @param from minimum length to keep */
function withoutZeros(bytes: Uint8Array, from: number): Uint8Array {
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return bytes.subarray(0, Math.max(from, last + 1));
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
