/** Damages golden files, and determines from the layout listed by Kudu's reader which blocks must be recovered. */
import { memorySource } from "@cfile/io";
import { type Damaged, offsetIn } from "@cfile-tools/testkit";
import { openCFile } from "../src/index.js";
import { type DamagedCFileOptions, type RecoverableFile, scanDamagedCFile } from "../src/recover.js";
import {
  type GoldenFile,
  type GoldenValue,
  goldenBytes,
  goldenCells,
  goldenFile,
  goldenValues,
} from "./golden.js";

export interface KnownBlock {
  readonly offset: number;
  readonly size: number;
  readonly firstRow: number;
  readonly rows: number;
  /** Whether its values are codes of the dictionary. */
  readonly codes: boolean;
}

/** A golden file with the rows of every block. */
export interface Subject {
  readonly golden: GoldenFile;
  readonly bytes: Uint8Array;
  readonly values: readonly GoldenValue[];
  readonly blocks: readonly KnownBlock[];
  readonly footerStart: number;
  readonly headerEnd: number;
}

export async function subject(name: string): Promise<Subject> {
  const golden = goldenFile(name);
  const bytes = goldenBytes(name);
  const file = await openCFile(memorySource(bytes));
  const places =
    golden.layout?.posidx?.entries ?? golden.layout?.validx?.entries ?? (await file.listDataBlocks());
  const blocks: KnownBlock[] = [];
  for (const { offset, size } of places) {
    const block = await file.dataBlock({ offset, size });
    const batch = block.decode(0, Math.min(1, block.rows));
    const scalars = batch.kind === "array" ? block.decode(0, block.rows) : batch;
    const inner = scalars.kind === "array" ? scalars.child : scalars;
    const codes = inner.kind === "dictionary";
    blocks.push({ offset, size, firstRow: block.firstRow, rows: block.rows, codes });
  }
  const { footerRange, headerRange } = file.structure;
  return {
    golden,
    bytes,
    values: goldenValues(golden),
    blocks,
    footerStart: footerRange.offset,
    headerEnd: headerRange.size,
  };
}

/** Recovery options with all properties from the footer. */
export function footerOptions({
  type,
  encoding,
  compression,
  nullable,
  array,
  checksums,
}: GoldenFile): DamagedCFileOptions {
  return { type, encoding, compression, nullable, array, checksums };
}

/** The blocks that must be recovered. */
export function expectedBlocks({ golden, blocks }: Subject, damaged: Damaged): readonly KnownBlock[] {
  const dictionary = golden.layout?.dict_block;
  const words = dictionary === undefined || offsetIn(damaged, dictionary) !== undefined;
  return blocks.filter((block) => offsetIn(damaged, block) !== undefined && (words || !block.codes));
}

export async function scanDamaged(damaged: Damaged, options: DamagedCFileOptions): Promise<RecoverableFile> {
  return scanDamagedCFile(memorySource(damaged.bytes), options);
}

/** Describes the errors of a recovery. */
export async function findFaults(
  { values, golden }: Subject,
  found: RecoverableFile,
  damaged: Damaged,
  expected: readonly KnownBlock[],
): Promise<string[]> {
  const faults: string[] = [];
  const { ledger } = found;
  for await (const { entry, batch } of found.entries()) {
    if (batch !== undefined) {
      const right = values.slice(batch.firstRow, batch.firstRow + batch.length);
      if (JSON.stringify(goldenCells(batch)) !== JSON.stringify(right)) {
        faults.push(`wrong values from row ${batch.firstRow}`);
      }
    } else if (entry.state === "kept") {
      faults.push("kept without rows");
    }
  }
  const kept = ledger.blocks.filter(({ state }) => state === "kept");
  const expectedKept = expected.map(
    (block) => `${offsetIn(damaged, block)}+${block.size}=${block.firstRow}:${block.rows}`,
  );
  const actualKept = kept.map(
    ({ block, firstRow, rows }) => `${block?.offset}+${block?.size}=${firstRow}:${rows}`,
  );
  if (expectedKept.join(" ") !== actualKept.join(" ")) {
    faults.push(`kept ${actualKept.join(" ")}, expected ${expectedKept.join(" ")}`);
  }
  const rows = expected.reduce((sum, block) => sum + block.rows, 0);
  if (ledger.rowsKept !== rows) {
    faults.push(`${ledger.rowsKept} rows kept, expected ${rows}`);
  }
  if (ledger.rowsTotal !== undefined && ledger.rowsLost !== golden.rows - rows) {
    faults.push(`${ledger.rowsLost} rows lost, expected ${golden.rows - rows}`);
  }
  let next = 0;
  for (const { firstRow, rows: count } of ledger.blocks) {
    if (firstRow !== next) {
      faults.push(`entry starts at row ${firstRow}, expected ${next}`);
    }
    next = (firstRow ?? 0) + (count ?? 0);
  }
  if (ledger.rowsUnverified !== (golden.checksums ? 0 : rows)) {
    faults.push(`${ledger.rowsUnverified} rows unverified`);
  }
  return faults;
}
