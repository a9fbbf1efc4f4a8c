/** Contents of timeline files: Avro object containers, or JSON in layout 1 (docs/spec/hudi-table.md#41-contents). */

import { type AvroObject, type AvroValue, isAvroContainer, readAvroContainer } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";
import { requireInside } from "../table/table-files.js";
import { countOf, entriesOf, itemsOf, recordOf, textOf } from "./content-fields.js";

/** A file that a commit wrote. */
interface WriteStat {
  readonly partition: string;
  readonly fileId: string;
  /** Path relative to the table. */
  readonly path: string;
  readonly size: number;
}

/** The content of a completed write. */
export interface CommitContent {
  readonly stats: readonly WriteStat[];
  /** File groups that the write replaced, by partition. */
  readonly replaced: ReadonlyMap<string, readonly string[]>;
  /** The writer's Avro schema as text. */
  readonly schema: string | undefined;
  readonly operation: string | undefined;
  /** The schema with a number per column, from writers that use Hudi's schema evolution. */
  readonly latestSchema: string | undefined;
}

/**
 * The record of a timeline file; `undefined` when the file is empty.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_LIMIT` when it is malformed
 */
export async function parseContent(bytes: Uint8Array): Promise<AvroObject | undefined> {
  if (bytes.length === 0) {
    return undefined;
  }
  if (isAvroContainer(bytes)) {
    const [record] = await readAvroContainer(bytes);
    return recordOf(record, "timeline record");
  }
  let json: AvroValue;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw corrupt("timeline file is neither an Avro container nor JSON", {
      offset: 0,
      field: "content",
      cause,
    });
  }
  return recordOf(json, "timeline record");
}

/** Reads the content of a completed write. @throws {CFileError} `E_CORRUPT` for missing fields, and for paths out of the table */
export function commitContent(content: AvroObject): CommitContent {
  const stats: WriteStat[] = [];
  for (const [partition, list] of entriesOf(content["partitionToWriteStats"], "partitionToWriteStats")) {
    requireInside(partition, "partitionToWriteStats");
    for (const item of itemsOf(list, "partitionToWriteStats")) {
      const stat = recordOf(item, "write stat");
      const path = textOf(stat["path"], "path");
      const fileId = textOf(stat["fileId"], "fileId");
      if (path === undefined || fileId === undefined) {
        continue;
      }
      const size = countOf(stat["fileSizeInBytes"], "fileSizeInBytes");
      stats.push({ partition, fileId, path: requireInside(path, "path"), size });
    }
  }
  const extra = new Map(entriesOf(content["extraMetadata"], "extraMetadata"));
  return {
    stats,
    replaced: new Map(
      entriesOf(content["partitionToReplaceFileIds"], "partitionToReplaceFileIds").map(([partition, ids]) => [
        partition,
        itemsOf(ids, "partitionToReplaceFileIds").flatMap((id) => textOf(id, "file id") ?? []),
      ]),
    ),
    schema: textOf(extra.get("schema"), "schema") || undefined,
    operation: textOf(content["operationType"], "operationType"),
    latestSchema: textOf(extra.get("latest_schema"), "latest_schema") || undefined,
  };
}

/** A file group in a partition. */
export interface GroupName {
  readonly partition: string;
  readonly fileId: string;
}

/** The file groups of a compaction plan. @throws {CFileError} `E_CORRUPT` for an operation without file ID */
export function compactionGroups(content: AvroObject): GroupName[] {
  return itemsOf(content["operations"], "operations").map((item) => {
    const operation = recordOf(item, "operation");
    const fileId = textOf(operation["fileId"], "fileId");
    const partition = textOf(operation["partitionPath"], "partitionPath") ?? "";
    if (fileId === undefined) {
      throw corrupt("an operation of a compaction plan has no file ID", { field: "fileId" });
    }
    return { partition, fileId };
  });
}

/** Whether the request of a pending replacement in layout 1 is a clustering plan. */
export function isClusteringRequest(content: AvroObject | undefined): boolean {
  const plan = content?.["clusteringPlan"];
  return plan !== undefined && plan !== null;
}

/** Instants that a rollback or restore rolled back. */
export function rolledBackInstants(content: AvroObject): string[] {
  const listed = itemsOf(content["commitsRollback"], "commitsRollback");
  const restored = itemsOf(content["instantsToRollback"], "instantsToRollback");
  return [...listed, ...restored].flatMap((time) => textOf(time, "commitsRollback") ?? []);
}
