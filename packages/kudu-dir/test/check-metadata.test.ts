import { memoryTree } from "@cfile/io";
import { expect, test } from "vitest";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { filesOfServer, type ServerFiles } from "./cluster.js";

/** The first path that contains all parts. */
function pathWith(files: ServerFiles, ...parts: readonly string[]): string {
  const path = [...files.keys()].sort().find((name) => parts.every((part) => name.includes(part)));
  if (path === undefined) {
    throw new Error(`no file with ${parts.join(", ")}`);
  }
  return path;
}

function flip(files: ServerFiles, path: string): void {
  const bytes = files.get(path) ?? new Uint8Array(1);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
}

/** Roles and reasons of the problems after a change of a server's files. */
async function problemsAfter(server: string, change: (files: ServerFiles) => void): Promise<string[]> {
  const files = filesOfServer(server);
  change(files);
  await using dir = await openKuduDir([memoryTree(files, server)]);
  const problems: string[] = [];
  const { ok } = await checkKuduDir(dir, {
    onProblem: ({ role = "", reason }) => problems.push(`${role}: ${reason}`),
  });
  expect(ok).toBe(problems.length === 0);
  return problems;
}

const SERVERS = ["master", "ts1"];

test.each(SERVERS)("every small file of %s is there and whole", async (server) => {
  expect(await problemsAfter(server, () => {})).toEqual([]);
});

test.each(
  SERVERS.flatMap(
    (server) =>
      [
        [server, "consensus-meta/", /^consensus: /],
        [server, "tablet-meta/", /CRC|checksum/i],
        [server, "instance", /CRC|checksum/i],
      ] as const,
  ),
)("%s: a changed byte in %s is a problem", async (server, part, problem) => {
  const problems = await problemsAfter(server, (files) => flip(files, pathWith(files, part)));
  expect(problems).toContainEqual(expect.stringMatching(problem));
});

test.each([
  ["consensus-meta/", ["consensus: the tablet has no Raft configuration"]],
  ["wals/", ["log: the tablet has no write-ahead log; writes that were not flushed may be lost"]],
  ["tablet-meta/", ["superblock: the tablet has a log or Raft configuration, but no superblock"]],
  ["wal/instance", ["instance: the directory has no instance file"]],
])("a missing file in %s is a problem", async (part, expected) => {
  expect(await problemsAfter("ts1", (files) => void files.delete(pathWith(files, part)))).toEqual(expected);
});

test("a catalog entry that cannot be read is a problem of the master", async () => {
  const problems = await problemsAfter("master", (files) => flip(files, pathWith(files, "wals/")));
  expect(problems).toContainEqual(expect.stringMatching(/^catalog: /));
});
