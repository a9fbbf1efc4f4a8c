/** `cfile recover`: saves what is undamaged into a new file, with an account of every block. */
import { printable } from "@cfile/cell-text";
import type { DataType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import type { BlockEntry, PartEntry } from "cfile";
import type { RecoveredFile } from "cfile/recover";
import { recoverCFile } from "cfile/recover";
import type { Argv, CommandModule } from "yargs";
import { recoverHFileTo } from "../hfile/hfile-recovery.js";
import { compressionOfName, encodingOfName, shortName } from "../options/names.js";
import { CODING_FLAGS, FILE, given, JSON_FLAG, NEW_FILE, SYNC_FLAG } from "../options/options.js";
import { isParquetFile } from "../parquet/is-parquet.js";
import { recoverParquetFile } from "../parquet/recover-parquet.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { problemText } from "../program/problem-text.js";
import { startProgress } from "../program/progress.js";
import { counted, sizeText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";

interface RecoverArguments {
  readonly source: string;
  readonly target: string;
  readonly lost: "drop" | "null";
  readonly type?: string | undefined;
  readonly encoding?: string | undefined;
  readonly compression?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly array?: boolean | undefined;
  readonly checksums?: boolean | undefined;
  readonly sync: boolean;
  readonly json?: boolean | undefined;
}

export function recoverCommand(context: CliContext): CommandModule<object, RecoverArguments> {
  return {
    command: "recover <source> <target>",
    describe:
      "save what is undamaged into a new file, and tell what was lost; exit code 3 when rows may be lost",
    builder: (yargs: Argv) =>
      yargs
        .positional("source", FILE)
        .positional("target", NEW_FILE)
        .option("lost", {
          choices: ["drop", "null"] as const,
          default: "drop" as const,
          describe: "leave lost rows out, or make them nulls, so that rows keep their numbers",
        })
        .option("type", {
          type: "string",
          requiresArg: true,
          describe: "the column's type, like int32; needed when the footer is lost",
        })
        .options(CODING_FLAGS)
        .option("nullable", { type: "boolean", describe: "the column has nulls, or --no-nullable" })
        .option("array", { type: "boolean", describe: "the cells are arrays, or --no-array" })
        .option("checksums", { type: "boolean", describe: "the file has checksums, or --no-checksums" })
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 recover damaged.cfile saved.cfile", "what is wrong, block by block, and what was saved")
        .example("$0 recover damaged.parquet saved.parquet", "the same for the pages of a Parquet file")
        .example("$0 recover cut.cfile saved.cfile --type string --lost null", "the footer is gone"),
    handler: async (args) => {
      if (await context.isHFile(args.source)) {
        const { source, target, sync, json } = args;
        await recoverHFileTo(context, { source, target, sync, json: json ?? false });
        return;
      }
      if (await isParquetFile(context, args.source)) {
        const { source, target, lost, sync, json } = args;
        await recoverParquetFile(context, { source, target, lost, sync, json: json ?? false });
        return;
      }
      const recovered = await recover(context, args);
      const lines = args.json
        ? [JSON.stringify(recoveryJson(args.target, recovered))]
        : report(args, recovered);
      for (const line of lines) {
        await context.stdout.line(line);
      }
      context.exitCode = recovered.ledger.complete ? EXIT.ok : EXIT.corrupt;
    },
  };
}

async function recover({ io }: CliContext, args: RecoverArguments): Promise<RecoveredFile> {
  const { source, target, lost, nullable, array, checksums, sync } = args;
  const type = given(args.type, typeOfName);
  const encoding = given(args.encoding, encodingOfName);
  const compression = given(args.compression, compressionOfName);
  const progress = startProgress(io, "recovering", 1);
  try {
    return await recoverCFile(source, target, {
      lost,
      sync,
      type,
      encoding,
      compression,
      nullable,
      array,
      checksums,
      signal: io.signal,
      onProgress: ({ done, total }) => progress.update(done / Math.max(1, total)),
    });
  } finally {
    progress.stop();
  }
}

function typeOfName(name: string): DataType {
  const types = Object.keys(DATA_TYPES) as DataType[];
  const found = types.find((type) => type.toLowerCase() === name.toLowerCase());
  if (found === undefined) {
    throw new UsageError(`"${name}" is no type; there are ${types.join(", ").toLowerCase()}`);
  }
  return found;
}

function report({ source, target }: RecoverArguments, recovered: RecoveredFile): string[] {
  const { ledger } = recovered;
  const { column, parts, blocks, contradicting } = ledger;
  const { knownFrom } = column;
  const flags = `${column.nullable ? "" : "not "}nullable${column.array ? ", arrays" : ""}`;
  const guessed = Object.entries(knownFrom).filter(([, from]) => from === "guessed");
  return [
    `${printable(source)}: ${column.type.toLowerCase()}, ${shortName(column.encoding)}, ${shortName(column.compression)}, ${flags}`,
    ...(guessed.length > 0 ? [`  guessed: ${guessed.map(([name]) => name).join(", ")}`] : []),
    ...(ledger.shift === 0 ? [] : [`  the file begins ${ledger.shift} bytes from where it should`]),
    ...parts.filter(({ problem, state }) => problem !== undefined || state !== "valid").map(partLine),
    ...tableLines(
      [
        { title: "offset", align: "right" },
        { title: "bytes", align: "right" },
        { title: "rows" },
        { title: "" },
      ],
      blocks.map(blockCells),
    ),
    ...contradicting.map(
      ({ block, problem }) =>
        `  not used: block at ${block?.offset} (${block?.size} bytes), ${problem === undefined ? "" : printable(problemText({ ...problem, block: undefined }))}`,
    ),
    summary(target, recovered),
  ];
}

function partLine({ part, state, block, problem }: PartEntry): string {
  const place = block === undefined ? "" : ` at ${block.offset} (${block.size} bytes)`;
  const reason = problem === undefined ? "" : `: ${printable(problemText({ ...problem, block: undefined }))}`;
  return `  ${part}${place} ${state === "valid" ? "found elsewhere" : state}${reason}`;
}

function blockCells({ block, firstRow, rows, state, verified, problem, movedFrom }: BlockEntry): string[] {
  const range =
    rows === undefined ? `${firstRow ?? 0}..?` : `${firstRow ?? 0}..${(firstRow ?? 0) + rows - 1}`;
  const reason = problem === undefined ? "" : ` ${printable(problemText({ ...problem, block: undefined }))}`;
  const moved = movedFrom === undefined ? "" : `, was to be at ${movedFrom}`;
  const unverified = state === "kept" && !verified ? ", unverified" : "";
  return [
    `${block?.offset ?? "-"}`,
    `${block?.size ?? "-"}`,
    range,
    `${state}${unverified}${moved}${reason}`,
  ];
}

function summary(target: string, { ledger, bytes, nullsForLost }: RecoveredFile): string {
  const { rowsKept, rowsLost, rowsTotal, rowsUnverified } = ledger;
  const lost = `${counted(rowsLost, "row")} lost${nullsForLost > 0 ? " and now null" : ""}`;
  return [
    `${printable(target)}: ${counted(rowsKept, "row")} saved`,
    `${lost}${rowsTotal === undefined ? ", perhaps more behind the last block" : ""}`,
    ...(rowsUnverified > 0 ? ["no checksums: the values are unverified"] : []),
    sizeText(bytes),
  ].join(", ");
}

function recoveryJson(
  path: string,
  { ledger, rows, bytes, dataBlocks, nullsForLost, validx }: RecoveredFile,
): object {
  return { path, rows, bytes, data_blocks: dataBlocks, nulls_for_lost: nullsForLost, validx, ledger };
}
