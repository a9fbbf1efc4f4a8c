/**
 * HFiles of a million entries: scans and lookups, compared with a JavaScript `Map` that holds all entries in
 * memory.
 */
import { type CellBatch, type HFileReader, openHFile } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { inflate } from "pako";
import { atLeast, atMost, type BenchCase, type BenchRow } from "../../bench-case.js";
import { keyText, randomNumbers } from "../../data/data.js";
import { contender, measure } from "../../measure.js";
import { effortAt } from "../columns/column-table.js";

const ENTRIES = 1_000_000;
const LOOKUPS = 100_000;
/** Every tenth key is looked up. */
const STEP = 10;
const CACHE_BYTES = 1 << 30;
/** Goals, times the map. */
const GOAL_LOOKUPS = 0.07;
const GOAL_SCAN = 0.3;
const PEER = "JavaScript Map";
const WARM = "cfile: lookups, warm";
const SCAN = "cfile: scan, reading every key and value";
const GET_MANY = "cfile: getMany of every tenth key";
const INFLATER = "pako alone: inflate all blocks";
const GZ_SCAN = "cfile: scan, GZ";
/** Size of a block header, and the offset of the size of header and stored body within it. */
const HEADER = 33;
const STORED_SIZE_AT = 29;

const valueText = (entry: number): string => `value-${(entry * 7919) % 1_000_003}`;

async function writeFile(entries: number, compression: "NONE" | "GZ"): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, { compression });
  const encoder = new TextEncoder();
  for (let from = 0; from < entries; from += 4096) {
    const count = Math.min(4096, entries - from);
    await writer.append(
      Array.from({ length: count }, (_, i) => ({
        row: encoder.encode(keyText(from + i)),
        value: encoder.encode(valueText(from + i)),
      })),
    );
  }
  await writer.finish();
  return sink.bytes();
}

/** Sums of the last bytes of keys and values, and of the lengths of values. */
class Sum {
  value = 0;

  add(key: number, value: number, length: number): void {
    this.value = (this.value + 31 * key + value + length) | 0;
  }

  addText(key: string, value: string): void {
    this.add(key.charCodeAt(key.length - 1), value.charCodeAt(value.length - 1), value.length);
  }

  addBatch({ data, rowEnds, valueStarts, valueEnds, length }: CellBatch): void {
    for (let i = 0; i < length; i++) {
      const end = valueEnds[i] as number;
      this.add(
        data[(rowEnds[i] as number) - 1] as number,
        data[end - 1] as number,
        end - (valueStarts[i] as number),
      );
    }
  }
}

async function scan(bytes: Uint8Array): Promise<number> {
  const file = await openHFile(bytes);
  const sum = new Sum();
  for await (const batch of file.scan()) {
    sum.addBatch(batch);
  }
  return sum.value;
}

async function lookUp(file: HFileReader, keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
  const found = new Array<Uint8Array | undefined>(keys.length);
  for (let i = 0; i < keys.length; i++) {
    found[i] = await file.get(keys[i] as Uint8Array);
  }
  return found;
}

/** The gzip members of all data blocks of a single-level index, and their uncompressed size. */
async function gzipMembers(bytes: Uint8Array): Promise<{ member: Uint8Array; size: number }[]> {
  const { dataIndex } = (await openHFile(bytes)).structure;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from(dataIndex.offsets, (offset) => ({
    member: bytes.subarray(offset + HEADER, offset + view.getInt32(offset + STORED_SIZE_AT)),
    size: view.getInt32(offset + 12),
  }));
}

interface Task {
  readonly unit: "lookups/s" | "M entries/s";
  readonly count: number;
  readonly contenders: Parameters<typeof measure>[0];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const areValuesOf = (wanted: readonly number[]) => (values: readonly (Uint8Array | undefined)[]) =>
  values.length === wanted.length &&
  values.every((value, i) => decoder.decode(value) === valueText(wanted[i] as number));
const areTextsOf = (wanted: readonly number[]) => (values: readonly (string | undefined)[]) =>
  values.every((value, i) => value === valueText(wanted[i] as number));

/** All entries as text in memory, as the peer has them, and their sum. */
class TextEntries {
  readonly map = new Map<string, string>();
  private readonly expected = new Sum();

  constructor(count: number) {
    for (let i = 0; i < count; i++) {
      this.map.set(keyText(i), valueText(i));
      this.expected.addText(keyText(i), valueText(i));
    }
  }

  readonly isSum = (sum: number): boolean => sum === this.expected.value;

  walk(): number {
    const sum = new Sum();
    for (const [key, value] of this.map) {
      sum.addText(key, value);
    }
    return sum.value;
  }
}

async function lookUpTask(plain: Uint8Array, { map }: TextEntries, scale: number): Promise<Task> {
  const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
  const next = randomNumbers(99);
  const targets = Array.from({ length: lookups }, () => next() % map.size);
  const texts = targets.map(keyText);
  const keys = texts.map((text) => encoder.encode(text));
  const warm = await openHFile(plain, { cacheBytes: CACHE_BYTES });
  return {
    unit: "lookups/s",
    count: lookups,
    contenders: [
      contender(`${PEER}: lookups`, () => texts.map((key) => map.get(key)), areTextsOf(targets)),
      contender(WARM, () => lookUp(warm, keys), areValuesOf(targets)),
    ],
  };
}

function scanTask(plain: Uint8Array, entries: TextEntries): Task {
  return {
    unit: "M entries/s",
    count: entries.map.size,
    contenders: [
      contender(`${PEER}: walk`, () => entries.walk(), entries.isSum),
      contender(SCAN, () => scan(plain), entries.isSum),
      contender(
        "cfile: scan, keys and values packed",
        async () => {
          let bytes = 0;
          for await (const batch of (await openHFile(plain)).scan()) {
            bytes += batch.packRows().data.length + batch.packValues().data.length;
          }
          return bytes;
        },
        (bytes: number) => bytes > 0,
      ),
    ],
  };
}

function everyTenthTask(plain: Uint8Array, { map }: TextEntries): Task {
  const tenths = Array.from({ length: Math.ceil(map.size / STEP) }, (_, i) => i * STEP);
  const texts = tenths.map(keyText);
  const keys = texts.map((text) => encoder.encode(text));
  const packed = {
    offsets: Uint32Array.from({ length: tenths.length + 1 }, (_, i) => i * (texts[0] ?? "").length),
    data: encoder.encode(texts.join("")),
  };
  return {
    unit: "lookups/s",
    count: tenths.length,
    contenders: [
      contender(`${PEER}: every tenth key`, () => texts.map((key) => map.get(key)), areTextsOf(tenths)),
      contender(
        `${GET_MANY}, packed`,
        async () => (await openHFile(plain)).getManyPacked(packed),
        ({ data, present }: { data: Uint8Array; present: Uint8Array }) =>
          decoder.decode(data) === tenths.map(valueText).join("") && !present.includes(0),
      ),
      contender(
        `${GET_MANY}, one object each`,
        async () => (await openHFile(plain)).getMany(keys),
        areValuesOf(tenths),
      ),
    ],
  };
}

async function gzTask(gz: Uint8Array, { map, isSum }: TextEntries): Promise<Task> {
  const members = await gzipMembers(gz);
  const inflateAll = (): number =>
    members.reduce((bytes, { member, size }) => bytes + inflate(member, { chunkSize: size }).length, 0);
  return {
    unit: "M entries/s",
    count: map.size,
    contenders: [
      contender(
        INFLATER,
        inflateAll,
        (bytes: number) => bytes === members.reduce((sum, { size }) => sum + size, 0),
      ),
      contender(GZ_SCAN, () => scan(gz), isSum),
    ],
  };
}

/** Measures tasks alternately, because their times are compared with each other. */
async function measureTasks(tasks: readonly Task[], scale: number): Promise<BenchRow[]> {
  const timings = await measure(
    tasks.flatMap(({ contenders }) => contenders),
    true,
    effortAt(scale),
  );
  return tasks.flatMap(({ unit, count, contenders }) => {
    const rateOf = (milliseconds: number): number =>
      unit === "lookups/s" ? (1000 * count) / milliseconds : count / milliseconds / 1000;
    const own = timings.filter((timing) => contenders.some(({ name }) => name === timing.contender));
    const peer = own.find(({ contender: name }) => name.startsWith(PEER));
    return own.map(({ contender: name, milliseconds, fastest }): BenchRow => {
      const rate = rateOf(milliseconds);
      return {
        contender: name,
        milliseconds,
        fastest,
        rate,
        unit,
        ratio: peer && rate / rateOf(peer.milliseconds),
      };
    });
  });
}

export const hfile: BenchCase = {
  name: "hfile",
  title: "An HFile of a million entries: scans and lookups",
  async run(scale) {
    const count = Math.ceil(ENTRIES * scale);
    const plain = await writeFile(count, "NONE");
    const gz = await writeFile(count, "GZ");
    const entries = new TextEntries(count);
    const rows = [
      ...(await measureTasks([await lookUpTask(plain, entries, scale)], scale)),
      ...(await measureTasks([scanTask(plain, entries), everyTenthTask(plain, entries)], scale)),
      ...(await measureTasks([await gzTask(gz, entries)], scale)),
    ];
    const found = (name: string): Partial<BenchRow> => rows.find((row) => row.contender === name) ?? {};
    const time = (name: string): number => found(name).milliseconds ?? Number.NaN;
    const ofInflater = time(GZ_SCAN) / time(INFLATER);
    return {
      unit: "lookups/s or M entries/s",
      peer: PEER,
      rows,
      goals: [
        atLeast(`lookups, warm, at ${PEER}'s rate, times`, GOAL_LOOKUPS, found(WARM).ratio ?? Number.NaN),
        atLeast(
          `scan, at the rate of a walk over ${PEER}, times`,
          GOAL_SCAN,
          found(SCAN).ratio ?? Number.NaN,
        ),
        atMost(`${GET_MANY}, packed, times the scan`, 1, time(`${GET_MANY}, packed`) / time(SCAN)),
      ],
      notes: [
        "npm has no other reader of HFiles: the peer holds all entries as text in memory.",
        `The scan of the GZ file takes ${ofInflater.toFixed(2)} times the inflater alone.`,
      ],
    };
  },
};
