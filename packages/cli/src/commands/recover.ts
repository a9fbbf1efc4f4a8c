/** `cfile recover`: copies undamaged data into a new file, with an account of every block. */
import { printable } from "@cfile/cell-text";
import type { BlockEntry, PartEntry } from "cfile";
import { type RecoveredFile, recoverCFile } from "cfile/recover";
import { rebuildKeyFile } from "../bloom/rebuild-key-file.js";
import { recoverDeltas } from "../delta/delta-recovery.js";
import { fileKind } from "../files/file-kind.js";
import { kindOfPart } from "../files/part-kind.js";
import { recoverHFileTo } from "../hfile/hfile-recovery.js";
import { dataTypeOfName, shortName } from "../options/names.js";
import { wholeNumber } from "../options/option-values.js";
import { CODING, JSON_OPTION, NEW_FILE, SYNC } from "../options/options.js";
import { recoverParquetFile } from "../parquet/recover-parquet.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { choice, list, required, text, toggle, value, withDefault } from "../program/option.js";
import { problemText } from "../program/output/error-text.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";

const positive = (option: string, given: string): number => wholeNumber(option, given, 1);

export const recover = command({
  about: "Reports what is lost, block by block. Exit code 3 when rows may be lost.",
  args: {
    source: required(text("FILE", "damaged CFile (of any kind), HFile or Parquet file: path or URL")),
    target: NEW_FILE,
  },
  options: {
    kind: choice(
      "kind of the CFile, required if the footer is lost and it is not a column",
      ["column", "delta", "redo", "undo", "bloom", "adhoc-index"],
      "that of the footer, else column",
    ),
    keys: list(
      "KEY_FILE",
      "rebuild a Bloom file or ad-hoc index from its key column, a CFile; repeat it in the order of the key",
    ),
    lost: withDefault(
      choice("drop lost rows, or replace them with nulls so that rows keep their numbers", ["drop", "null"]),
      "drop",
    ),
    type: value("TYPE", "type of the column, like int32; required when the footer is lost", dataTypeOfName),
    ...CODING,
    nullable: toggle("the column has nulls"),
    array: toggle("the cells are arrays"),
    checksums: toggle("the file has checksums"),
    like: text("FILE", "file with the same schema, if the footer of a Parquet file is lost: path or URL"),
    schema: text(
      "COLUMNS",
      'columns of a Parquet file, like "id:int64,note:string?" or "message t { … }", if its footer is lost',
    ),
    rowGroupRows: value("N", "rows per row group of a Parquet file, if its footer is lost", positive),
    footer: toggle("use the footer of a Parquet file, even if it is damaged", "on"),
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Recover a CFile", "cfile recover damaged.cfile saved.cfile"],
    ["Recover a file whose footer is lost", "cfile recover cut.cfile saved.cfile --type string --lost null"],
    ["Recover the changes of a delta file", "cfile recover damaged-redo.cfile saved.cfile --kind redo"],
    ["Rebuild a Bloom file from its keys", "cfile recover bloom.cfile saved.cfile --keys id.cfile"],
    ["Recover the undamaged pages of a Parquet file", "cfile recover damaged.parquet saved.parquet"],
    [
      "Recover a Parquet file whose footer is lost, like a file with the same columns",
      "cfile recover cut.parquet saved.parquet --like other.parquet",
    ],
  ],
  run: async (
    context,
    { source, target, kind: given, keys, lost, sync, json, like, schema, rowGroupRows, footer, ...column },
  ) => {
    const { io, stdout, sources } = context;
    const format = await fileKind(sources, source, io.signal);
    if (format === "hfile") {
      return recoverHFileTo(context, { source, target, sync, json });
    }
    if (format === "parquet") {
      const known = { like, schema, rowGroupRows, footer };
      return recoverParquetFile(context, { source, target, lost, sync, json, ...known });
    }
    const kind = given ?? (await kindOfPart(sources, source, keys, io.signal));
    if (kind === "bloom" || kind === "adhoc-index") {
      return rebuildKeyFile(context, { kind, source, keys, target, sync, json });
    }
    if (kind === "delta" || kind === "redo" || kind === "undo") {
      const { compression, checksums } = column;
      const order = kind === "delta" ? undefined : kind;
      return recoverDeltas(context, { source, target, kind: order, compression, checksums, sync, json });
    }
    const progress = startProgress(io, "recovering", 1);
    const recovered = await recoverCFile(source, target, {
      ...column,
      lost,
      sync,
      signal: io.signal,
      onProgress: ({ done, total }) => progress.update(done / Math.max(1, total)),
    }).finally(progress.stop);
    const lines = json
      ? [JSON.stringify(recoveryJson(target, recovered))]
      : report(source, target, recovered);
    await stdout.line(lines.join("\n"));
    context.exitCode = recovered.ledger.complete ? EXIT.ok : EXIT.corrupt;
  },
});

function report(source: string, target: string, recovered: RecoveredFile): string[] {
  const { ledger } = recovered;
  const { column, parts, blocks, contradicting } = ledger;
  const { knownFrom } = column;
  const flags = `${column.nullable ? "" : "not "}nullable${column.array ? ", arrays" : ""}`;
  const guessed = Object.entries(knownFrom).filter(([, from]) => from === "guessed");
  return [
    `${printable(source)}: ${column.type.toLowerCase()}, ${shortName(column.encoding)}, ${shortName(column.compression)}, ${flags}`,
    ...(guessed.length > 0 ? [`  guessed: ${guessed.map(([name]) => name).join(", ")}`] : []),
    ...(ledger.shift === 0 ? [] : [`  the start of the file is shifted by ${ledger.shift} bytes`]),
    ...parts.filter(({ problem, state }) => problem !== undefined || state !== "valid").map(partLine),
    ...tableLines([right("offset"), right("bytes"), left("rows"), left("")], blocks.map(blockCells)),
    ...contradicting.map(
      ({ block, problem }) =>
        `  not used: block at ${block?.offset} (${block?.size} bytes), ${reasonText("", problem)}`,
    ),
    summary(target, recovered),
  ];
}

function partLine({ part, state, block, problem }: PartEntry): string {
  const location = block === undefined ? "" : ` at ${block.offset} (${block.size} bytes)`;
  return `  ${part}${location} ${state === "valid" ? "found elsewhere" : state}${reasonText(": ", problem)}`;
}

function blockCells({ block, firstRow, rows, state, verified, problem, movedFrom }: BlockEntry): string[] {
  const range =
    rows === undefined ? `${firstRow ?? 0}..?` : `${firstRow ?? 0}..${(firstRow ?? 0) + rows - 1}`;
  const moved = movedFrom === undefined ? "" : `, expected at ${movedFrom}`;
  const unverified = state === "kept" && !verified ? ", unverified" : "";
  return [
    `${block?.offset ?? "-"}`,
    `${block?.size ?? "-"}`,
    range,
    `${state}${unverified}${moved}${reasonText(" ", problem)}`,
  ];
}

function reasonText(prefix: string, problem: PartEntry["problem"]): string {
  return problem === undefined ? "" : prefix + printable(problemText({ ...problem, block: undefined }));
}

function summary(target: string, { ledger, bytes, nullsForLost }: RecoveredFile): string {
  const { rowsKept, rowsLost, rowsTotal, rowsUnverified } = ledger;
  const lost = `${counted(rowsLost, "row")} lost${nullsForLost > 0 ? " (now null)" : ""}`;
  return [
    `${printable(target)}: ${counted(rowsKept, "row")} saved`,
    `${lost}${rowsTotal === undefined ? ", perhaps more after the last block" : ""}`,
    ...(rowsUnverified > 0 ? ["values unverified: no checksums"] : []),
    sizeText(bytes),
  ].join(", ");
}

function recoveryJson(
  path: string,
  { ledger, rows, bytes, dataBlocks, nullsForLost, validx }: RecoveredFile,
): object {
  return { path, rows, bytes, data_blocks: dataBlocks, nulls_for_lost: nullsForLost, validx, ledger };
}
