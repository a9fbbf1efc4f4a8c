/** Readers of single files, each paired with the one that tolerates damage. */
import { openBloomFile } from "@cfile/bloomfile";
import { type CFileError, toHex } from "@cfile/bytes";
import { openDeltaFile } from "@cfile/deltafile/read";
import { recoverDeltaFile } from "@cfile/deltafile/recover";
import { type CellBatch, openHFile } from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import { memorySource } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { recoverParquet } from "@cfile/parquet/recover";
import { memorySink, openCFile } from "cfile";
import { recoverCFile } from "cfile/recover";
import { goldenSubjects } from "../files/golden-data.js";
import { goldenFiles } from "../files/golden-file.js";
import { smallHFiles } from "../files/small-hfile.js";
import type { Rows, TolerantReader } from "./tolerant-reader.js";

const LARGEST = 6000;

const scanColumn = async (bytes: Uint8Array): Promise<Rows> => {
  const rows: string[] = [];
  for await (const batch of (await openCFile(memorySource(bytes))).scan()) {
    rows.push(...batch.toArray().map(String));
  }
  return rows;
};

const columns: TolerantReader = {
  name: "CFile",
  extension: ".cfile",
  keepsRows: true,
  checksums: true,
  load: async () =>
    (await goldenFiles(LARGEST)).filter(({ checksums, footer }) => checksums && footer.rowCount > 0),
  strict: scanColumn,
  tolerant: async (bytes) => {
    const sink = memorySink();
    const { ledger } = await recoverCFile(memorySource(bytes), sink);
    const lost = ledger.rowsTotal === undefined ? undefined : ledger.rowsLost;
    return { rows: await scanColumn(sink.bytes()), lost, complete: ledger.complete };
  },
};

function cellLines(batch: CellBatch): string[] {
  return Array.from({ length: batch.length }, (_, i) => `${toHex(batch.row(i))} ${toHex(batch.value(i))}`);
}

const hfiles: TolerantReader = {
  name: "HFile",
  extension: ".hfile",
  keepsRows: true,
  checksums: true,
  load: async () => (await smallHFiles()).filter(({ name }) => name.startsWith("hbase")),
  strict: async (bytes) => {
    const rows: string[] = [];
    for await (const batch of (await openHFile(memorySource(bytes))).scan()) {
      rows.push(...cellLines(batch));
    }
    return rows;
  },
  tolerant: async (bytes) => {
    const file = await recoverHFile(memorySource(bytes));
    const rows: string[] = [];
    for await (const batch of file.batches()) {
      rows.push(...cellLines(batch));
    }
    return { rows, lost: undefined, complete: file.lost.length === 0 };
  },
};

const parquetFiles: TolerantReader = {
  name: "Parquet",
  extension: ".parquet",
  checksums: false,
  load: () =>
    goldenSubjects("parquet/", "-checksum.parquet", 200_000).filter(({ name }) => !name.includes("corrupt")),
  strict: async (bytes) => {
    await using file = await openParquet(memorySource(bytes));
    const lines: string[] = [];
    for (const { name } of file.columns) {
      for await (const batch of file.column(name)) {
        lines.push(...batch.toArray().map((cell, i) => `${name} ${batch.firstRow + i} ${String(cell)}`));
      }
    }
    return lines;
  },
  tolerant: async (bytes) => {
    const recovered = await recoverParquet(memorySource(bytes));
    try {
      const lines: string[] = [];
      for (const { name, lost } of recovered.columns) {
        const isLost = (row: number): boolean => lost.some(({ from, to }) => row >= from && row < to);
        for await (const batch of recovered.column(name)) {
          for (const [i, cell] of batch.toArray().entries()) {
            const row = batch.firstRow + i;
            if (!isLost(row)) {
              lines.push(`${name} ${row} ${String(cell)}`);
            }
          }
        }
      }
      const lost = recovered.columns.reduce((sum, { rowsLost }) => sum + rowsLost, 0);
      return { rows: lines, lost, complete: lost === 0 };
    } finally {
      await recovered.close();
    }
  },
};

const LARGEST_DELTAS = 30_000;

async function deltaEntries(bytes: Uint8Array): Promise<Rows> {
  const rows: string[] = [];
  for await (const { length, rows: numbers, timestamps, types, offsets, data } of (
    await openDeltaFile(memorySource(bytes))
  ).entries()) {
    for (let i = 0; i < length; i++) {
      const changes = toHex(data.subarray(offsets[i], offsets[i + 1]));
      rows.push(`${numbers[i]} ${timestamps[i]} ${types[i]} ${changes}`);
    }
  }
  return rows;
}

const deltaFiles: TolerantReader = {
  name: "delta file",
  extension: ".cfile",
  cat: ["delta", "cat"],
  recoverOptions: ["--kind", "delta"],
  keepsRows: true,
  checksums: true,
  load: () => goldenSubjects("deltafile/", ".cfile", LARGEST_DELTAS),
  strict: deltaEntries,
  tolerant: async (bytes) => {
    const sink = memorySink();
    const { ledger } = await recoverDeltaFile(memorySource(bytes), sink);
    const lost = ledger.entriesTotal === undefined ? undefined : ledger.entriesLost;
    return { rows: await deltaEntries(sink.bytes()), lost, complete: ledger.complete };
  },
};

const PROBES = 200;
const LARGEST_BLOOM = 20_000;

/** The definite facts of a Bloom file: which keys are absent, and its blocks. */
async function bloomFacts(
  bytes: Uint8Array,
  onDamage: ((error: CFileError) => void) | undefined,
): Promise<string[]> {
  await using file = await openBloomFile(memorySource(bytes));
  const facts: string[] = [];
  const keys = Uint8Array.from({ length: 4 * PROBES }, (_, i) => Math.imul(i, 2654435761) >>> 24);
  const answers = await file.mayContainMany({ width: 4, data: keys }, { onDamage });
  for (const [i, answer] of answers.entries()) {
    const key = keys.subarray(4 * i, 4 * i + 4);
    if (((await file.mayContain(key, { onDamage })) ? 1 : 0) !== answer) {
      throw new TypeError("a key alone has another answer");
    }
    facts.push(...(answer === 0 ? [`absent ${toHex(key)}`] : []));
  }
  return facts;
}

const bloomFiles: TolerantReader = {
  name: "Bloom file",
  checksums: true,
  load: () => [
    ...goldenSubjects("bloomfile/", ".cfile", LARGEST_BLOOM),
    ...goldenSubjects("rowset-blooms/", "_bloom.cfile", LARGEST_BLOOM),
  ],
  strict: async (bytes) => bloomFacts(bytes, undefined),
  tolerant: async (bytes) => {
    let complete = true;
    const rows = await bloomFacts(bytes, () => {
      complete = false;
    });
    return { rows, lost: undefined, complete };
  },
};

const bloomBlocks: TolerantReader = {
  name: "blocks of a Bloom file",
  checksums: true,
  load: bloomFiles.load,
  strict: async (bytes) => {
    await using file = await openBloomFile(memorySource(bytes));
    const { blocks } = await file.statistics();
    const rows = await blockLines(file.blocks());
    if (blocks !== rows.length) {
      throw new TypeError("the statistics count other blocks");
    }
    return rows;
  },
  tolerant: async (bytes) => {
    await using file = await openBloomFile(memorySource(bytes));
    let lost = 0;
    const onDamage = (): void => {
      lost++;
    };
    const rows = await blockLines(file.blocks({ onDamage }));
    const { damagedBlocks } = await file.statistics({ onDamage: () => undefined });
    return { rows, lost: damagedBlocks, complete: lost === 0 };
  },
};

async function blockLines(
  blocks: ReturnType<Awaited<ReturnType<typeof openBloomFile>>["blocks"]>,
): Promise<Rows> {
  const rows: string[] = [];
  for await (const { index, offset, indexKey, ones, hashCount } of blocks) {
    rows.push(`${index} ${offset} ${toHex(indexKey)} ${ones} ${hashCount}`);
  }
  return rows;
}

/** Readers of one file. */
export const FILE_READERS: readonly TolerantReader[] = [
  columns,
  hfiles,
  parquetFiles,
  deltaFiles,
  bloomFiles,
  bloomBlocks,
];
