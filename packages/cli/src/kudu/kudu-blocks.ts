/** `cfile kudu blocks` and `cfile kudu cat-block`: what blocks there are, and the bytes of one. */
import { printable } from "@cfile/cell-text";
import type { BlockUse, StoredBlock } from "@cfile/kudu-dir";
import type { Argv, CommandModule } from "yargs";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { countText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";
import { DIRS, KUDU_FLAGS, type KuduArguments, withKuduDir } from "./kudu-directory.js";

interface BlocksArguments extends KuduArguments {
  readonly json: boolean | undefined;
}

interface Entry {
  readonly id: bigint;
  /** `undefined` for blocks that are in none of the directories. */
  readonly block: StoredBlock | undefined;
  readonly size: number | undefined;
  readonly use: BlockUse | undefined;
}

export function blocksCommand(context: CliContext): CommandModule<object, BlocksArguments> {
  return {
    command: "blocks <dirs..>",
    describe: "list all blocks: where they are, and what they are for",
    builder: (yargs: Argv) =>
      yargs
        .positional("dirs", DIRS)
        .option("json", JSON_FLAG)
        .options(KUDU_FLAGS)
        .example("$0 kudu blocks backup --json", "all blocks as JSON"),
    handler: async (args) => {
      await withKuduDir(args, async (dir) => {
        const uses = await dir.blockUses();
        const found = new Map((await dir.blocks.list()).map((block) => [block.id, block]));
        const entries: Entry[] = [];
        for (const id of [...new Set([...found.keys(), ...uses.keys()])].sort((a, b) => (a < b ? -1 : 1))) {
          const block = found.get(id);
          entries.push({ id, block, size: await block?.source.size(), use: uses.get(id)?.[0] });
        }
        await context.stdout.line(
          args.json
            ? JSON.stringify({ blocks: entries.map(entryJson) }, undefined, 1)
            : entryLines(entries).join("\n"),
        );
        const problems = await dir.blocks.problems();
        for (const problem of problems) {
          await context.reportError(problem);
        }
        const isWhole = problems.length === 0 && entries.every(({ block }) => block !== undefined);
        context.exitCode = isWhole ? EXIT.ok : EXIT.corrupt;
      });
    },
  };
}

function entryJson({ id, block, size, use }: Entry): Readonly<Record<string, unknown>> {
  return {
    id: String(id),
    path: block?.path,
    offset: block?.offset,
    length: size,
    created_us: block?.createdAt === undefined ? undefined : String(block.createdAt),
    missing: block === undefined ? true : undefined,
    table: use?.table,
    tablet: use?.tablet,
    row_set: use && String(use.rowSet),
    role: use?.role,
  };
}

function entryLines(entries: readonly Entry[]): string[] {
  return tableLines(
    [
      { title: "block", align: "right" },
      { title: "bytes", align: "right" },
      { title: "table" },
      { title: "tablet" },
      { title: "row set", align: "right" },
      { title: "role" },
      { title: "file" },
      { title: "offset", align: "right" },
    ],
    entries.map(({ id, block, size, use }) => [
      String(id),
      size === undefined ? "" : countText(size),
      use === undefined ? "(none)" : printable(use.table),
      use?.tablet ?? "",
      use === undefined ? "" : String(use.rowSet),
      use?.role ?? "",
      block === undefined ? "missing" : printable(block.path),
      block === undefined ? "" : String(block.offset),
    ]),
    "",
  );
}

interface CatBlockArguments extends KuduArguments {
  readonly id: string;
}

const PIECE = 1024 * 1024;

export function catBlockCommand(context: CliContext): CommandModule<object, CatBlockArguments> {
  return {
    command: "cat-block <id> <dirs..>",
    describe: "write the bytes of a block: a CFile, mostly",
    builder: (yargs: Argv) =>
      yargs
        .positional("id", {
          type: "string",
          demandOption: true,
          describe: "the block's id, decimal, or hexadecimal with 0x",
        })
        .positional("dirs", DIRS)
        .options(KUDU_FLAGS)
        .example("$0 kudu cat-block 337 backup > column.cfile", "take a column out"),
    handler: async (args) => {
      const id = blockId(args.id);
      await withKuduDir(args, async (dir) => {
        const { source } = await dir.block(id);
        const size = await source.size();
        for (let at = 0; at < size; at += PIECE) {
          await context.stdout.bytes(
            await source.read(at, Math.min(PIECE, size - at), { signal: context.io.signal }),
          );
        }
      });
    },
  };
}

function blockId(text: string): bigint {
  const id = /^(?:\d{1,20}|0x[0-9a-f]{1,16})$/i.test(text) ? BigInt(text) : 0n;
  if (id === 0n || id >= 2n ** 64n) {
    throw new UsageError(`a block's id is a number of 64 bits; "${text}" is none`);
  }
  return id;
}
