/** `cfile kudu blocks` and `cfile kudu cat-block`: the blocks of servers, and the bytes of one. */
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { BlockUse, StoredBlock } from "@cfile/kudu-dir";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { invalidValue, required, value } from "../program/option.js";
import { countText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";
import { CLUSTER_DIRS } from "./cluster/cluster-directories.js";
import { type NamedServer, SERVERS, serverName, withKuduServers } from "./kudu-servers.js";

interface Entry {
  /** `undefined` if the directories are those of one server. */
  readonly server: string | undefined;
  readonly id: bigint;
  /** `undefined` for missing blocks. */
  readonly block: StoredBlock | undefined;
  readonly size: number | undefined;
  readonly use: BlockUse | undefined;
}

export const blocks = command({
  args: { dirs: CLUSTER_DIRS },
  options: { json: JSON_OPTION, ...SERVERS },
  examples: [["List all blocks as JSON", "cfile kudu blocks backup --json"]],
  run: (context, { json, ...values }) =>
    withKuduServers(values, async (servers) => {
      const entries: Entry[] = [];
      for (const server of servers) {
        entries.push(...(await entriesOf(server)));
      }
      await context.stdout.line(
        json
          ? JSON.stringify({ blocks: entries.map(entryJson) }, undefined, 1)
          : entryLines(entries, servers.length > 1).join("\n"),
      );
      const problems = (await Promise.all(servers.map(({ dir }) => dir.blocks.problems()))).flat();
      await context.reportErrors(problems);
      const isComplete = problems.length === 0 && entries.every(({ block }) => block !== undefined);
      context.exitCode = isComplete ? EXIT.ok : EXIT.corrupt;
    }),
});

async function entriesOf({ dir, name: server }: NamedServer): Promise<Entry[]> {
  const uses = await dir.blockUses();
  const found = new Map((await dir.blocks.list()).map((block) => [block.id, block]));
  const entries: Entry[] = [];
  for (const id of [...new Set([...found.keys(), ...uses.keys()])].sort((a, b) => (a < b ? -1 : 1))) {
    const block = found.get(id);
    entries.push({ server, id, block, size: await block?.source.size(), use: uses.get(id)?.[0] });
  }
  return entries;
}

function entryJson({ server, id, block, size, use }: Entry): Readonly<Record<string, unknown>> {
  return {
    server,
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

function entryLines(entries: readonly Entry[], isCluster: boolean): string[] {
  return tableLines(
    [
      ...(isCluster ? [left("server")] : []),
      right("block"),
      right("bytes"),
      ...["table", "tablet"].map(left),
      right("DiskRowSet"),
      ...["role", "file"].map(left),
      right("offset"),
    ],
    entries.map(({ server, id, block, size, use }) => [
      ...(isCluster ? [server ?? ""] : []),
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

const PIECE = 1024 * 1024;

export const catBlock = command({
  about: "Most blocks are CFiles.",
  args: {
    id: required(value("ID", "block id: decimal, or hexadecimal with 0x", blockId)),
    dirs: CLUSTER_DIRS,
  },
  options: SERVERS,
  examples: [["Extract a column", "cfile kudu cat-block 337 backup > column.cfile"]],
  run: (context, { id, ...values }) =>
    withKuduServers(values, async (servers) => {
      const { source } = await onlyBlock(servers, id);
      const size = await source.size();
      const { signal } = context.io;
      for (let at = 0; at < size; at += PIECE) {
        await context.stdout.write(await source.read(at, Math.min(PIECE, size - at), { signal }));
      }
    }),
});

/** Each server numbers its own blocks. */
async function onlyBlock(servers: readonly NamedServer[], id: bigint): Promise<StoredBlock> {
  const all = await Promise.all(servers.map(async ({ dir }) => ({ dir, block: await dir.blocks.find(id) })));
  const found = all.filter(({ block }) => block !== undefined);
  if (found.length > 1) {
    const names = found.map(({ dir }) => serverName(dir)).join(", ");
    throw new UsageError(`several servers have a block ${id}; choose one with --server: ${names}`);
  }
  const block = found[0]?.block;
  if (block === undefined) {
    throw new CFileError("E_BLOCK_MISSING", `block ${id} is missing`, { field: "block" });
  }
  return block;
}

function blockId(name: string, text: string): bigint {
  const id = /^(?:\d{1,20}|0x[0-9a-f]{1,16})$/i.test(text) ? BigInt(text) : 0n;
  if (id === 0n || id >= 2n ** 64n) {
    throw invalidValue(name, text, "must be a 64-bit integer >= 1");
  }
  return id;
}
