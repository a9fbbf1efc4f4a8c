/** Random cells in HBase's order: rows and columns ascend, timestamps and types descend. */
import type { Random } from "../random.js";

export interface PlannedCell {
  readonly row: Uint8Array;
  readonly family: Uint8Array;
  readonly qualifier: Uint8Array;
  readonly timestamp: bigint;
  readonly type: number;
  readonly value: Uint8Array;
}

const PUT = 4;
const TYPES = [PUT, PUT, PUT, 8, 12, 14];

export function randomRows(random: Random, count: number): Uint8Array[] {
  const prefixes = ["", "row-", "a-rather-long-prefix-that-all-share/"];
  const prefix = Buffer.from(random.pick(prefixes));
  const rows = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) {
    const tail = random.once(2)
      ? random.bytes(random.between(1, 12))
      : Buffer.from(String(random.below(count * 4)));
    const row = new Uint8Array(Buffer.concat([prefix, tail]));
    rows.set(Buffer.from(row).toString("hex"), row);
  }
  return [...rows.values()].sort(Buffer.compare);
}

export function randomCells(random: Random): PlannedCell[] {
  const family = new Uint8Array(Buffer.from(random.pick(["f", "family", ""])));
  const cells: PlannedCell[] = [];
  const valueLength = random.pick([0, 3, 30, 400]);
  for (const row of randomRows(random, random.pick([1, 20, 300, 3000]))) {
    const qualifiers = random.once(3) ? ["", "a", "bb", "qualifier"].slice(0, random.between(1, 4)) : ["q"];
    for (const name of qualifiers) {
      const qualifier = new Uint8Array(Buffer.from(name));
      let timestamp = BigInt(random.pick([1, 1_700_000_000_000, random.below(2 ** 31)])) + 10n;
      for (let version = random.pick([1, 1, 1, 3]); version > 0; version--) {
        const type = random.pick(TYPES);
        const value = type === PUT ? random.bytes(random.between(0, valueLength)) : new Uint8Array(0);
        cells.push({ row, family, qualifier, timestamp, type, value });
        timestamp -= BigInt(random.between(1, 3));
      }
    }
  }
  return cells;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** In the text format of the driver. */
export function cellText({ row, family, qualifier, timestamp, type, value }: PlannedCell): string {
  return [hex(row), hex(family), hex(qualifier), timestamp, type, hex(value)].join("\t");
}
