/**
 * Bloom and delta files, HFiles, Parquet files, files of Kudu servers and manifests with impossible claims.
 */
import { crc32c } from "@cfile/bytes";
import { builtinCodecs } from "@cfile/compression/codecs";
import { CFileContainerWriter } from "@cfile/format/write";
import { memorySink } from "@cfile/io";
import { goldenBytes } from "../files/golden-data.js";
import { serverFiles, smallestSuperblocks } from "../files/server-files.js";
import { smallHFiles } from "../files/small-hfile.js";
import { sealContainer } from "../harnesses/kudu-files.js";
import { bytes, MAX } from "./forge-file.js";

export interface Forgery {
  /** The harness that reads it. */
  readonly harness: string;
  readonly subject: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
}

const BLOOM = "Bloom files";
const DELTA = "delta files";
const HFILE = "HFile: scan, lookups and verify";
const PARQUET = "Parquet: scan";
const CONTAINER = "Kudu: containers, block records and superblocks";
const LOG = "Kudu: write-ahead logs";
const MANIFEST = "row set manifests";
const ARRAY_CELL = "array cells of deltas";

/** A file like Bloom and delta files: blocks of bytes under a value index. */
async function valueIndexed(
  block: Uint8Array,
  rows: number,
  metadata: readonly [string, Uint8Array][],
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileContainerWriter(sink, {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    posidx: false,
    validx: true,
  });
  for (const [key, value] of metadata) {
    writer.addMetadata(key, value);
  }
  const key = Uint8Array.of(0);
  await writer.finish(() => {
    writer.appendRawBlock({ bytes: block, firstRow: 0, firstKey: key, lastKey: key });
    return { rows, dictionary: undefined };
  });
  return sink.bytes();
}

const STATISTICS = bytes([8, 0, 0x19], 1, 0, [0x21], 9, 0);
const deltas = (block: Uint8Array, rows = 1): Promise<Uint8Array> =>
  valueIndexed(block, rows, [["deltafilestats", STATISTICS]]);
const blooms = (block: Uint8Array): Promise<Uint8Array> => valueIndexed(block, 0, []);

/** A plain block with one value. */
function oneValue(value: Uint8Array): Uint8Array {
  return bytes(0, 1, 12 + value.length, value, [0, 12, 0, 0, 0]);
}

async function hfile(
  change: (view: DataView, trailer: number) => void,
  name = "hudi NONE",
): Promise<Uint8Array> {
  const found = (await smallHFiles()).find((each) => each.name === name);
  const copy = (found?.bytes ?? new Uint8Array(4096)).slice();
  change(new DataView(copy.buffer), copy.length - 4096);
  return copy;
}

/** Offsets of the sizes of the first block. */
const STORED = 8;
const EXPANDED = 12;

function parquet(change: (copy: Uint8Array, view: DataView) => void, name = "PARQUET-1481"): Uint8Array {
  const copy = goldenBytes(`parquet/${name}.parquet`);
  change(copy, new DataView(copy.buffer));
  return copy;
}

function log(name: RegExp): Uint8Array {
  const found = serverFiles("log").find((file) => /wal-/.test(file.name) && name.test(file.name));
  return (found?.bytes ?? new Uint8Array(200)).slice();
}

/** A segment whose first entry makes these claims and has valid checksums. */
function logEntry(stored: Uint8Array, expanded: number): Uint8Array {
  const segment = log(/wal-/);
  const start = 12 + new DataView(segment.buffer).getUint32(8, true);
  const head = bytes(stored.length, expanded, crc32c(stored));
  return bytes(segment.subarray(0, start), head, crc32c(head), stored);
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

export const FORGED_OTHERS: Readonly<Record<string, Forgery>> = {
  "Bloom block: a header of 2^32 - 1 bytes": {
    harness: BLOOM,
    subject: "",
    make: () => blooms(bytes(MAX, [8, 3])),
  },
  "Bloom block: 2^31 - 1 hashes": {
    harness: BLOOM,
    subject: "",
    make: () => blooms(bytes(6, [8, 255, 255, 255, 255, 7], new Uint8Array(32))),
  },
  "Bloom block: no bits": { harness: BLOOM, subject: "", make: () => blooms(bytes(2, [8, 3])) },
  "delta: a mutation of 2^32 - 1 bytes": {
    harness: DELTA,
    subject: "",
    make: () => deltas(oneValue(bytes([0, 5, 1, 11, 255, 255, 255, 255, 15]))),
  },
  "delta: a key that ends nowhere": {
    harness: DELTA,
    subject: "",
    make: () => deltas(oneValue(bytes([255]))),
  },
  "delta: 2^32 - 1 entries": {
    harness: DELTA,
    subject: "",
    make: () => deltas(bytes(0, MAX, 13, [1], [0, 12, 0, 0, 0]), MAX - 1),
  },
  "array cell: a vector that begins before the buffer": {
    harness: ARRAY_CELL,
    subject: "STRING",
    make: () => bytes(12, 0x000a0008, 0x00040007, MAX, 0x0b000000, MAX, MAX),
  },
  "array cell: 2^32 - 1 strings": {
    harness: ARRAY_CELL,
    subject: "STRING",
    make: () => bytes(16, 0x00080000, 0x0004000c, 0x0008000b, 8, 11, 4, MAX),
  },
  "HFile: a block of 2^31 - 1 bytes": {
    harness: HFILE,
    subject: "",
    make: () => hfile((view) => view.setUint32(STORED, 0x7fffffff)),
  },
  "HFile: a block that expands to 2^31 - 1 bytes": {
    harness: HFILE,
    subject: "",
    make: () => hfile((view) => view.setUint32(EXPANDED, 0x7fffffff), "hbase GZ"),
  },
  "HFile: a block of a negative size": {
    harness: HFILE,
    subject: "",
    make: () => hfile((view) => view.setInt32(STORED, -1)),
  },
  "HFile: a gzip stream of 30 MiB in a block of 512 bytes": {
    harness: HFILE,
    subject: "",
    make: () => hfile((view) => view.setUint32(EXPANDED, 30 << 20), "hbase GZ"),
  },
  "HFile: a trailer whose message is longer than it": {
    harness: HFILE,
    subject: "",
    make: () =>
      hfile((view, trailer) => {
        view.setUint32(trailer + 8, 0xffffff7f);
      }),
  },
  "Parquet: a footer longer than the file": {
    harness: PARQUET,
    subject: "",
    make: () => parquet((copy, view) => view.setUint32(copy.length - 8, 0x7fffffff, true)),
  },
  "Parquet: a footer of nothing but nested structures": {
    harness: PARQUET,
    subject: "",
    make: () => {
      const footer = new Uint8Array(60_000).fill(0x1c);
      return bytes([...text("PAR1")], footer, footer.length, [...text("PAR1")]);
    },
  },
  "Parquet: a list of 2^31 - 1 columns": {
    harness: PARQUET,
    subject: "",
    make: () => {
      const footer = bytes([0x15, 2, 0x19, 0xfc, 255, 255, 255, 255, 7, 0x15, 2]);
      return bytes([...text("PAR1")], footer, footer.length, [...text("PAR1")]);
    },
  },
  "Parquet: a page of 2^31 - 1 bytes": {
    harness: PARQUET,
    subject: "",
    make: () =>
      parquet((copy) => {
        copy.set([0x15, 0, 0x15, 0xfe, 255, 255, 255, 15, 0x15, 0xfe, 255, 255, 255, 15], 4);
      }, "int32_decimal"),
  },
  "Kudu container: a record of 2^32 - 1 bytes": {
    harness: CONTAINER,
    subject: "",
    make: () => {
      const file = sealContainer([Uint8Array.of(1), Uint8Array.of(2)]);
      const view = new DataView(file.buffer);
      view.setUint32(29, MAX, true);
      view.setUint32(33, crc32c(file, 29, 33), true);
      return file;
    },
  },
  "Kudu superblock: messages in messages in messages": {
    harness: CONTAINER,
    subject: smallestSuperblocks()[0]?.name ?? "",
    make: () => {
      let message: Uint8Array = Uint8Array.of(8, 1);
      for (let level = 0; level < 2000; level++) {
        const { length } = message;
        message = bytes([0x32, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14], message);
      }
      return sealContainer([Uint8Array.of(8, 1), message]);
    },
  },
  "Kudu log: an entry that expands to 2^32 - 1 bytes": {
    harness: LOG,
    subject: "",
    make: () => logEntry(Uint8Array.of(0, 1, 2, 3), MAX),
  },
  "Kudu log: an entry that expands to 60 MiB out of 4 bytes": {
    harness: LOG,
    subject: "",
    make: () => logEntry(Uint8Array.of(0x1f, 1, 0, 255), 60 << 20),
  },
  "Kudu log: 8 MiB of zeros that are not a message": {
    harness: LOG,
    subject: "",
    make: () => logEntry(builtinCodecs.LZ4.compress(new Uint8Array(8 << 20)).slice(), 8 << 20),
  },
  "manifest: brackets that are never closed": {
    harness: MANIFEST,
    subject: "",
    make: () => text("[".repeat(60_000)),
  },
  "manifest: numbers without end": {
    harness: MANIFEST,
    subject: "",
    make: () => text(`{"format":"cfile-rowset","version":1,"nextFile":${"9".repeat(60_000)}}`),
  },
};
