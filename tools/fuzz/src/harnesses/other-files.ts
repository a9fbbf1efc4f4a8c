/**
 * Other file formats: HFiles and Parquet. Half of them are read without verifying checksums, so that readers reach
 * the damage.
 */
import type { CellValue } from "@cfile/encodings";
import type { Condition } from "@cfile/encodings/conditions";
import { openHFile } from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import { memorySource } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { fieldsOf, type ParquetField, refusalOf, scanNested } from "@cfile/parquet/nested";
import { recoverParquet } from "@cfile/parquet/recover";
import { defineHarness } from "../define-harness.js";
import { goldenSubjects } from "../files/golden-data.js";
import { smallHFiles } from "../files/small-hfile.js";
import type { Harness, Mutation, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import type { Random } from "../random.js";

const LARGEST_HFILE = 20_000;
const LARGEST_PARQUET = 5000;
const LARGEST_ENCRYPTED = 60_000;
const MAX_CELLS = 20_000;
const MAX_ROWS = 20_000;
const TRAILER = 4096;

/** The ends of the file, which contain all offsets, or its middle. */
function mutateEnds({ bytes }: Subject, random: Random): Mutation {
  const tail = Math.min(bytes.length, random.pick([64, 300, TRAILER + 600]));
  switch (random.below(4)) {
    case 0:
      return mutateFields(bytes, random);
    case 1:
      return mutateFields(bytes, random, 0, Math.min(bytes.length, 600));
    default:
      return mutateFields(bytes, random, bytes.length - tail);
  }
}

/** Mostly small files, because files of the servers take ten times as long. */
const hfiles = async (): Promise<Subject[]> => {
  const small = await smallHFiles();
  const large = goldenSubjects("hfile/", ".hfile", LARGEST_HFILE);
  return [...large, ...large.flatMap(() => small)];
};

const readHFile = defineHarness({
  name: "HFile: scan, lookups and verify",
  share: 40,
  load: hfiles,
  mutate: mutateEnds,
  act: async (bytes, _subject, random) => {
    const checksums = random.below(2) === 0;
    const file = await openHFile(memorySource(bytes), { checksums });
    if (random.below(3) === 0) {
      await file.verify();
    }
    const row = await file.last();
    if (row !== undefined) {
      await file.get(row.row);
    }
    await file.seek("key-00000050");
    await file.hudiBloomFilter();
    let cells = 0;
    for await (const batch of file.scan()) {
      cells += batch.length;
      if (cells > MAX_CELLS) {
        break;
      }
    }
  },
});

const salvageHFile = defineHarness({
  name: "HFile: recover",
  share: 60,
  load: hfiles,
  mutate: mutateEnds,
  act: async (bytes, _subject, random) => {
    const salvage = await recoverHFile(memorySource(bytes), { checksums: random.below(2) === 0 });
    let cells = 0;
    for await (const batch of salvage.batches()) {
      cells += batch.length;
      if (cells > MAX_CELLS) {
        break;
      }
    }
  },
});

const parquetFiles = (): Subject[] => goldenSubjects("parquet/", ".parquet", LARGEST_PARQUET);

const readParquet = defineHarness({
  name: "Parquet: scan",
  share: 100,
  load: parquetFiles,
  mutate: mutateEnds,
  act: async (bytes, _subject, random) => {
    const verifyChecksums = random.below(2) === 0;
    await using file = await openParquet(memorySource(bytes), { verifyChecksums, maxPageBytes: 1 << 22 });
    for (const { name } of file.columns) {
      let rows = 0;
      for await (const batch of file.column(name)) {
        batch.toArray();
        rows += batch.length;
        if (rows > MAX_ROWS) {
          break;
        }
      }
    }
  },
});

/** A value of each type, for Bloom filters and bounds. */
const OPERANDS: Readonly<Record<string, CellValue>> = {
  INT32: 7,
  INT64: 7n,
  FLOAT: 1.5,
  DOUBLE: 1.5,
  STRING: "Hello",
  BINARY: new Uint8Array(3),
};

function conditionOn(field: ParquetField, random: Random): Condition | undefined {
  if (field.kind !== "leaf" || "refused" in field.values) {
    return undefined;
  }
  const value = OPERANDS[field.values.type];
  const op = random.pick(["isNull", "isNotNull", "=", "<", ">="] as const);
  return op === "isNull" || op === "isNotNull"
    ? { column: field.name, op }
    : value === undefined
      ? undefined
      : { column: field.name, op, value };
}

const readNested = defineHarness({
  name: "Parquet: nested columns, and conditions with page indexes and Bloom filters",
  share: 100,
  load: () => [...parquetFiles(), ...goldenSubjects("parquet-testing/data/", ".parquet", LARGEST_PARQUET)],
  mutate: mutateEnds,
  act: async (bytes, _subject, random) => {
    const options = { verifyChecksums: random.below(2) === 0, maxPageBytes: 1 << 22 };
    await using file = await openParquet(memorySource(bytes), options);
    for (const field of fieldsOf(file).filter((column) => refusalOf(column) === undefined)) {
      const where = random.below(2) === 0 ? conditionOn(field, random) : undefined;
      let rows = 0;
      for await (const batch of scanNested(file, { columns: [field.name], where })) {
        batch.columns[0]?.toArray();
        rows += batch.length;
        if (rows > MAX_ROWS) {
          break;
        }
      }
    }
  },
});

const ENCRYPTED_KEY = new TextEncoder().encode("0123456789012345");

const readEncrypted = defineHarness({
  name: "Parquet: encrypted files",
  share: 40,
  load: () => goldenSubjects("parquet-encrypted/", ".parquet", LARGEST_ENCRYPTED),
  mutate: mutateEnds,
  act: async (bytes) => {
    const keys = { footerKey: ENCRYPTED_KEY };
    await using file = await openParquet(memorySource(bytes), { keys, maxPageBytes: 1 << 22 });
    for await (const batch of scanNested(file, { limit: MAX_ROWS })) {
      batch.columns[0]?.toArray();
    }
  },
});

const recoverPages = defineHarness({
  name: "Parquet: verify and recover",
  share: 60,
  load: parquetFiles,
  mutate: mutateEnds,
  act: async (bytes, _subject, random) => {
    const options = { verifyChecksums: random.below(2) === 0, maxPageBytes: 1 << 22 };
    if (random.below(2) === 0) {
      await openParquet(memorySource(bytes), options).then((file) => file.verify());
      return;
    }
    const recovered = await recoverParquet(memorySource(bytes), options);
    try {
      for (const { name } of recovered.columns) {
        let rows = 0;
        for await (const batch of recovered.column(name)) {
          rows += batch.length;
          if (rows > MAX_ROWS) {
            break;
          }
        }
      }
    } finally {
      await recovered.close();
    }
  },
});

export const OTHER_FILES: readonly Harness[] = [
  readHFile,
  salvageHFile,
  readParquet,
  readNested,
  readEncrypted,
  recoverPages,
];
