/** `cfile commit-splits`: creates an Iceberg table from the data files of splits. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { createIcebergTable, type IcebergFile, openIcebergTable } from "@cfile/iceberg";
import { JsonFields } from "@cfile/rowset/store";
import { parseSplit, type Split } from "@cfile/splits";
import { ICEBERG_KEYS, icebergFolders, requireOwnFolder } from "../kudu/export/iceberg-target.js";
import { JSON_OPTION, output } from "../options/options.js";
import { command } from "../program/command.js";
import { list, required, text } from "../program/option.js";
import { packageVersion } from "../program/package-version.js";
import { counted, sum } from "../records/quantity.js";
import { commonTable, dataFolder, icebergTableOf, reportedFile } from "./iceberg-splits.js";
import { inputLines } from "./input-lines.js";

export const commitSplits = command({
  about:
    "Creates an Iceberg table of the data files that cfile run-split --to iceberg has written, in one step. Every split must have a result without lost rows.",
  args: {
    splits: required(text("SPLITS", "output of cfile splits")),
    results: required(list("RESULTS", "output of cfile run-split; of several workers, several files")),
  },
  options: {
    output: output("DIR", "folder of the table, as in cfile run-split"),
    location: text("URL", "path or URL of the table in its metadata", "its absolute path"),
    json: JSON_OPTION,
  },
  examples: [
    [
      "Create a table of two workers' files",
      "cfile commit-splits splits.ndjson a.ndjson b.ndjson -o warehouse/t",
    ],
  ],
  run: async (context, { splits: splitsPath, results, output: path, location, json }) => {
    const splits = await splitsAt(splitsPath);
    const { schema, sortedBy } = icebergTableOf(commonTable(splits));
    const files = await filesOf(splits, results, path);
    await requireOwnFolder(path);
    const folders = await icebergFolders(path, location, true);
    const existing = await openIcebergTable(folders);
    const id = createHash("sha256")
      .update(splits.map((split) => split.id).join("\n"))
      .digest("hex")
      .slice(0, 32);
    const rows = sum(files.map((file) => file.rows));
    const done = `${printable(path)}: ${counted(rows, "row")}, ${counted(schema.fields.length, "column")}`;
    if (existing === undefined) {
      const ids = sortedBy.flatMap((name) => schema.fields.find((field) => field.name === name)?.id ?? []);
      const properties = { [ICEBERG_KEYS.version]: packageVersion() };
      const summary = { [ICEBERG_KEYS.export]: id };
      await createIcebergTable(folders, { schema, sortedBy: ids, properties }, { dataFiles: files, summary });
    } else if (existing.metadata.current?.summary[ICEBERG_KEYS.export] !== id) {
      throw new CFileError("E_IO", "the folder holds another table", { path });
    }
    await context.stdout.line(json ? JSON.stringify({ path, rows, files: files.length }) : done);
  },
});

async function splitsAt(path: string): Promise<Split[]> {
  const splits: Split[] = [];
  for await (const { number, text: line } of inputLines(createReadStream(path))) {
    if (typeof line !== "string") {
      throw line;
    }
    splits.push(await parseSplit(line, `${path}, line ${number}`));
  }
  return splits;
}

/**
 * The data file of each split. A split that ran several times has written the same file each time.
 *
 * @throws {CFileError} `E_NOT_FOUND` for a split without a result or a file; `E_CORRUPT` for lost rows, and for a file of a different size
 */
async function filesOf(
  splits: readonly Split[],
  results: readonly string[],
  table: string,
): Promise<IcebergFile[]> {
  const byId = new Map(splits.map((split) => [split.id, split]));
  const files = new Map<string, IcebergFile>();
  for (const path of results) {
    for await (const { number, text: line } of inputLines(createReadStream(path))) {
      const json = fieldsOf(line, `${path}, line ${number}`);
      const split = json.has("iceberg") ? byId.get(json.string("id")) : undefined;
      if (split !== undefined) {
        if (json.integer("rowsLost") > 0) {
          throw json.wrong("rowsLost", "rows of the split are missing");
        }
        if (!json.boolean("complete")) {
          throw json.wrong("complete", "rows of the split may be missing");
        }
        files.set(split.id, reportedFile(json.object("iceberg"), split));
      }
    }
  }
  return Promise.all(
    splits.map(async ({ id }) => {
      const file = files.get(id);
      if (file === undefined) {
        throw new CFileError("E_NOT_FOUND", `split ${id} has no result of run-split --to iceberg`, {
          path: table,
        });
      }
      const path = join(dataFolder(table), file.name);
      const size = await stat(path)
        .then((found) => found.size)
        .catch(() => undefined);
      if (size !== file.bytes) {
        const reason =
          size === undefined ? "the data file is missing" : `${size} bytes (expected ${file.bytes})`;
        throw new CFileError(size === undefined ? "E_NOT_FOUND" : "E_CORRUPT", reason, { path });
      }
      return file;
    }),
  );
}

function fieldsOf(line: string | CFileError, place: string): JsonFields {
  if (typeof line !== "string") {
    throw line;
  }
  try {
    return new JsonFields(JSON.parse(line), place);
  } catch (cause) {
    throw new CFileError("E_CORRUPT", "not a result of run-split", { path: place, cause });
  }
}
