/** Everything that takes bytes of strangers. Each may give a result or throw a `CFileError`, and nothing else. */

import { builtinCodecs } from "@cfile/compression";
import { DATA_TYPES, type DataType, encodingsOf, openBlock, openDictionaryWords } from "@cfile/encodings";
import { surveyCFile } from "@cfile/format";
import { IndexBlock } from "@cfile/index-btree";
import { memorySource } from "@cfile/io";
import { memorySink, openCFile, recoverCFile } from "cfile";
import type { GoldenFile } from "./golden-file.js";
import type { Random } from "./random.js";

export interface Subject {
  readonly bytes: Uint8Array;
  readonly golden: GoldenFile;
  readonly random: Random;
}

const limits = { maxBlockRows: 1 << 20, maxBlockElements: 1 << 20, maxBlockSize: 1 << 22 };
/** Rows read of one file: a few bytes may stand for very many. */
const MAX_ROWS = 1 << 20;

export const HARNESSES: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  scan: async ({ bytes }) => {
    const file = await openCFile(memorySource(bytes), { limits });
    let rows = 0;
    for await (const batch of file.scan({ batchRows: 4096 })) {
      batch.toArray();
      rows += batch.length;
      if (rows > MAX_ROWS) {
        return;
      }
    }
  },
  "look-ups": async ({ bytes, random }) => {
    const file = await openCFile(memorySource(bytes), { limits });
    await file.get(random.below(file.rowCount + 1));
    const cell = await file.last();
    if (typeof cell === "number" || typeof cell === "bigint" || typeof cell === "string") {
      await file.find(cell);
    }
  },
  verify: async ({ bytes }) => {
    const file = await openCFile(memorySource(bytes), { limits });
    await file.verify();
    await file.layout();
  },
  recover: async ({ bytes, golden, random }) => {
    const { dataType, encoding, compression, nullable, array } = golden.footer;
    const byHand = { type: dataType, encoding, compression, nullable, array };
    const options = { ...(random.below(2) === 0 ? byHand : { type: dataType }), limits };
    await surveyCFile(memorySource(bytes), options);
    const lost = random.below(2) === 0 ? "drop" : "null";
    const sink = memorySink();
    const { ledger, rows } = await recoverCFile(memorySource(bytes), sink, { ...options, lost });
    if (rows <= MAX_ROWS) {
      const report = await (await openCFile(sink.bytes())).verify();
      if (!report.ok || report.rows !== rows || ledger.rowsKept > rows) {
        throw new RangeError(`what was recovered is not sound: ${JSON.stringify(report.problems[0])}`);
      }
    }
  },
  decoders: async ({ bytes, golden, random }) => {
    const block = random.pick(golden.blocks.length > 0 ? golden.blocks : [{ offset: 0, size: bytes.length }]);
    const content = bytes.subarray(
      block.offset + random.below(6),
      block.offset + block.size - random.below(6),
    );
    const type = random.pick(Object.keys(DATA_TYPES) as DataType[]);
    const decoder = openBlock(type, random.pick(encodingsOf(DATA_TYPES[type].physical)), content, {
      maxDecodedBytes: 1 << 24,
    });
    decoder.decode(0, Math.min(decoder.count, MAX_ROWS));
    decoder.check();
  },
  "index and dictionary blocks": async ({ bytes, golden, random }) => {
    const block = random.pick(golden.blocks.length > 0 ? golden.blocks : [{ offset: 0, size: bytes.length }]);
    const content = bytes.subarray(block.offset, block.offset + block.size - (golden.checksums ? 4 : 0));
    if (random.below(2) === 0) {
      IndexBlock.parse(content).search(content.subarray(0, 4));
    } else {
      openDictionaryWords(content);
    }
  },
  codecs: async ({ bytes, random }) => {
    const codec = random.pick(Object.values(builtinCodecs));
    const content = bytes.subarray(random.below(bytes.length + 1));
    const stream = codec.compress(content).slice();
    for (let left = random.below(3); left > 0 && stream.length > 0; left--) {
      stream[random.below(stream.length)] = random.pick([0, 1, 15, 127, 128, 240, 255]);
    }
    const claimed = content.length + random.pick([0, 0, 0, 1, -1, 65536]);
    codec.decompress(stream, new Uint8Array(Math.max(0, claimed)));
  },
};
