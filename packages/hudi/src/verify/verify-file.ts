/** Verifies one file of a table: every page of a Parquet file, every block of an HFile or log file. */
import { CFileError } from "@cfile/bytes";
import { openHFile } from "@cfile/hfile";
import { type ByteSource, sizeOf } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { avroRows, SchemaCache } from "../log/avro-rows.js";
import { deletedRecords } from "../log/delete-block.js";
import { type LogBlock, readLogFile, requireInstant } from "../log/log-block.js";
import { requireParquet } from "../rows/file-types.js";
import { parseFileName } from "../slices/file-names.js";
import type { HudiTable } from "../table/hudi-table.js";
import { lastName } from "../table/table-files.js";
import type { Findings } from "./findings.js";

/** Verifies a file. @throws {CFileError} for damage that ends the verification of the file; other damage is added to the findings */
export async function verifyFile(table: HudiTable, path: string, findings: Findings): Promise<void> {
  const source = await table.files.open(path);
  try {
    findings.files++;
    findings.bytes += await sizeOf(source);
    const name = parseFileName(lastName(path));
    if (name?.kind === "log") {
      await verifyLog(source, table, findings);
    } else if (path.endsWith(".hfile")) {
      await verifyHFile(source, findings);
    } else {
      requireParquet(path, source.name);
      const { losses } = await (await openParquet(source)).verify();
      for (const { error } of losses) {
        findings.add(error.within({ path: source.name }));
      }
    }
  } finally {
    await source.close?.();
  }
}

async function verifyHFile(source: ByteSource | Uint8Array, findings: Findings): Promise<void> {
  const { problems } = await (await openHFile(source)).verify();
  for (const problem of problems) {
    findings.add(new CFileError(problem.code, problem.reason, problem));
  }
}

async function verifyLog(
  source: ByteSource,
  { properties, timeline }: HudiTable,
  findings: Findings,
): Promise<void> {
  const schemas = new SchemaCache();
  for (const block of await readLogFile(source)) {
    const path = source.name;
    if (block.kind === "damage") {
      // Killed writers of version 6 leave incomplete blocks behind.
      const isUncommitted = block.instant !== undefined && !timeline.isCompletedWrite(block.instant);
      if (!(isUncommitted && properties.version < 8)) {
        findings.add(block.error);
      }
      continue;
    }
    await findings.attempt(`${path}, block at ${block.offset}`, async () => {
      requireInstant(block, path);
      await verifyBlock(block, schemas, findings);
    });
  }
}

async function verifyBlock(block: LogBlock, schemas: SchemaCache, findings: Findings): Promise<void> {
  switch (block.kind) {
    case "avro":
      for (const _ of avroRows(block, schemas, "array")) {
        // Decoding checks the row.
      }
      return;
    case "delete":
      deletedRecords(block.content);
      return;
    case "hfile":
      return verifyHFile(block.content, findings);
    case "parquet": {
      const { losses } = await (await openParquet(block.content)).verify();
      for (const { error } of losses) {
        findings.add(error);
      }
      return;
    }
    default:
      return;
  }
}
