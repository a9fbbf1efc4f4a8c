import { describe, expect, it } from "vitest";
import type { RaftConfig } from "../src/catalog/consensus-message.js";
import { isRead, type ReplicaLog, tabletWrites, type WriteScope } from "../src/cluster/replica-choice.js";

interface Given {
  readonly server: string;
  /**
   * `TERM.INDEX` of each operation, with `*` if it has a commit, `?` if damage may hide what replaced it, or `=abc` if it changes the
   * voters to `a`, `b` and `c`.
   */
  readonly log: string;
  /** Default `true`. */
  readonly hasWholeLog?: boolean;
  /** Voters in its consensus metadata, one letter each; default `abc`. */
  readonly voters?: string;
  readonly configIndex?: number;
  /** Default `true`. */
  readonly hasConfig?: boolean;
}

function config(voters: string, index: bigint): RaftConfig {
  return { index, peers: [...voters].map((uuid) => ({ uuid, isVoter: true, address: undefined })) };
}

function replica({
  server,
  log,
  hasWholeLog = true,
  voters = "abc",
  configIndex = -1,
  hasConfig = true,
}: Given): ReplicaLog {
  const operations = log
    .split(" ")
    .filter((text) => text !== "")
    .map((text) => {
      const [, term = "", index = "", mark = ""] = /^(\d+)\.(\d+)([*?]|=\w+)?$/.exec(text) ?? [];
      return {
        term: BigInt(term),
        index: BigInt(index),
        timestamp: BigInt(index),
        isCommitted: mark === "*",
        mayBeReplaced: mark === "?",
        config: mark.startsWith("=") ? config(mark.slice(1), BigInt(index)) : undefined,
      };
    });
  return {
    server,
    tablet: { state: "ready" },
    config: hasConfig ? config(voters, BigInt(configIndex)) : undefined,
    log: operations,
    hasWholeLog,
    lastOperation: operations.at(-1),
    problems: [],
  };
}

/** The operations of all logs that are read, in order of index. */
function read(given: readonly Given[], scope: WriteScope): string {
  const replicas = given.map(replica);
  const writes = tabletWrites(replicas);
  const all = new Map(replicas.flatMap(({ log }) => log.map((one) => [`${one.term}.${one.index}`, one])));
  const chosen = [...all].filter(([, id]) => isRead(id, writes, scope));
  return chosen
    .sort(([, left], [, right]) => Number(left.index - right.index))
    .map(([name]) => name)
    .join(" ");
}

describe("servers that may have had writes that no log here has", () => {
  const damaged = { ...replica({ server: "a", log: "1.1* 1.2" }), hasWholeLog: false };

  it.each<[string, readonly ReplicaLog[], readonly string[]]>([
    ["are those with a damaged log, if they are a majority", [damaged], ["a", "b", "c"]],
    [
      "do not exist if a majority has whole logs",
      [damaged, replica({ server: "b", log: "1.1" }), replica({ server: "c", log: "1.1" })],
      [],
    ],
    [
      "are those of half of an even number",
      [
        replica({ server: "a", log: "1.1", voters: "abcd" }),
        replica({ server: "b", log: "1.1", voters: "abcd" }),
      ],
      ["c", "d"],
    ],
    ["include those whose consensus metadata is lost", [{ ...damaged, config: undefined }], ["a"]],
  ])("%s", (_, replicas, unseen) => {
    expect(tabletWrites(replicas).unseen).toEqual(unseen);
  });
});

describe("the operations that are read", () => {
  it.each<[string, readonly Given[], string, string]>([
    [
      "are those that a majority has",
      [
        { server: "a", log: "1.1* 1.2 1.3" },
        { server: "b", log: "1.1 1.2" },
        { server: "c", log: "1.1" },
      ],
      "1.1 1.2",
      "1.1 1.2",
    ],
    [
      "may be those that a majority has with the missing server",
      [
        { server: "a", log: "1.1* 1.2" },
        { server: "b", log: "1.1" },
      ],
      "1.1",
      "1.1 1.2",
    ],
    [
      "may be those that voters of a proposed configuration have, if a voter without them can lead by the one before",
      [
        { server: "a", log: "1.1* 1.2*" },
        { server: "b", log: "" },
        { server: "c", log: "1.1 1.2 1.3 1.4=abcd" },
        { server: "d", log: "1.1 1.2 1.3 1.4=abcd" },
      ],
      "1.1 1.2",
      "1.1 1.2 1.3 1.4",
    ],
    [
      "are those that most voters have, if another one has lost its configuration, and so cannot lead",
      [
        { server: "a", log: "1.1* 1.2" },
        { server: "b", log: "1.1", hasConfig: false },
        { server: "c", log: "1.1 1.2" },
      ],
      "1.1 1.2",
      "1.1 1.2",
    ],
    [
      "are not those that a new leader overwrote",
      [
        { server: "a", log: "1.1* 1.2 1.3" },
        { server: "b", log: "1.1 2.2" },
        { server: "c", log: "1.1 2.2" },
      ],
      "1.1 2.2",
      "1.1 2.2",
    ],
    [
      "include those that another replica has flushed, and no longer in its log",
      [
        { server: "a", log: "" },
        { server: "b", log: "1.4 1.5 1.6" },
        { server: "c", log: "1.6 1.7" },
      ],
      "1.4 1.5 1.6",
      "1.4 1.5 1.6",
    ],
    [
      "include those whose commit only a replica has that is not a voter yet",
      [
        { server: "b", log: "1.1" },
        { server: "d", log: "1.1 2.2* 2.3" },
      ],
      "1.1 2.2",
      "1.1 2.2 2.3",
    ],
    [
      "follow a commit, not a later term that nobody else has",
      [
        { server: "b", log: "1.1 5.2" },
        { server: "d", log: "1.1 3.2*" },
      ],
      "1.1 3.2",
      "1.1 3.2",
    ],
    [
      "count by voters that were proposed after them, as their leader does",
      [
        { server: "a", log: "1.1*", voters: "abcd" },
        { server: "b", log: "1.1* 1.2 1.3=bcd", voters: "abcd" },
        { server: "c", log: "1.1* 1.2", voters: "abcd" },
        { server: "d", log: "1.1*", voters: "abcd" },
      ],
      "1.1 1.2",
      "1.1 1.2",
    ],
    [
      "count by voters that were proposed and overwritten",
      [
        { server: "a", log: "1.1*", voters: "abcd" },
        { server: "b", log: "1.1* 1.2 2.3", voters: "abcd" },
        { server: "c", log: "1.1* 1.2 1.3=bcd", voters: "abcd" },
        { server: "d", log: "1.1*", voters: "abcd" },
      ],
      "1.1 1.2",
      "1.1 1.2",
    ],
    [
      "are those that half of an even number of voters has: their leader may have counted by voters that no log has any more",
      [
        { server: "a", log: "1.1*", voters: "abcd" },
        { server: "b", log: "1.1* 1.2 2.3", voters: "abcd" },
        { server: "c", log: "1.1* 1.2 2.3", voters: "abcd" },
        { server: "d", log: "1.1*", voters: "abcd" },
      ],
      "1.1 1.2 2.3",
      "1.1 1.2 2.3",
    ],
    [
      "may be those that a missing leader counted by voters that only it knows",
      [
        { server: "a", log: "1.1* 1.2", voters: "abcd" },
        { server: "c", log: "1.1*", voters: "abcd" },
        { server: "d", log: "1.1*", voters: "abcd" },
      ],
      "1.1",
      "1.1 1.2",
    ],
    [
      "are those that a damaged log had before a later one of the same term",
      [
        { server: "a", log: "1.1" },
        { server: "b", log: "1.2", hasWholeLog: false },
      ],
      "1.1",
      "1.1 1.2",
    ],
    [
      "may be those behind damage that hides a committed operation, if their term is later",
      [
        { server: "a", log: "1.1 1.2 1.3*" },
        { server: "b", log: "1.1 2.5", hasWholeLog: false },
      ],
      "1.1 1.2 1.3",
      "1.1 1.2 1.3 2.5",
    ],
    [
      "are not those that others may have replaced where a log is damaged",
      [
        { server: "a", log: "1.1? 2.2", hasWholeLog: false },
        { server: "b", log: "2.1 2.2" },
      ],
      "",
      "2.1 2.2",
    ],
    [
      "may be those of a log that ends before the configuration in its consensus metadata",
      [
        { server: "a", log: "1.1 1.2 1.3" },
        { server: "b", log: "1.1", configIndex: 3 },
        { server: "c", log: "1.1" },
      ],
      "1.1",
      "1.1 1.2 1.3",
    ],
  ])("%s", (_, given, confirmed, possible) => {
    expect(read(given, "confirmed")).toBe(confirmed);
    expect(read(given, "possible")).toBe(possible);
  });
});

describe("the replica that is read first", () => {
  const ahead = { server: "a", log: "1.1* 1.2*" };
  const long = { server: "b", log: "1.1* 1.2* 1.3*" };
  const short = { server: "c", log: "1.3*" };

  it.each<[string, string | undefined, string]>([
    ["has the newest operation and the shortest log", undefined, "cba"],
    ["is that of the leader, if it has the newest operation", "b", "bca"],
    ["is not that of a leader that is behind", "a", "cba"],
  ])("%s", (_, leader, expected) => {
    const { readable } = tabletWrites([ahead, long, short].map(replica), leader);
    expect(readable.map(({ server }) => server).join("")).toBe(expected);
  });
});
