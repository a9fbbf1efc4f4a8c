/**
 * A small model of Raft as Kudu uses it: elections, replication, commits, changes of one member, crashes, and logs that are cut at
 * their beginning. Every choice is a byte, so that saved bytes play the same history.
 */
import { Choices, type ModelConfig, type ModelEntry, type ModelReplica } from "./raft-replica.js";

interface Server extends ModelReplica {
  term: number;
  isUp: boolean;
  isLeader: boolean;
  /** Index up to which it knows that operations are committed. */
  known: number;
  /** Of a leader: index up to which each server has its log. */
  readonly matched: Map<string, number>;
}

const NAMES = ["a", "b", "c", "d", "e"] as const;
const MOST_CUT = 4;

/** A group of replicas with its history. */
export class RaftModel {
  readonly servers = new Map<string, Server>();
  /** The operations that leaders knew as committed, by index: their clients may have got an answer. */
  readonly committed = new Map<number, ModelEntry>();
  private readonly choices: Choices;

  constructor(bytes: Uint8Array) {
    this.choices = new Choices(bytes);
    const voters = NAMES.slice(0, 3);
    const config = { index: -1, voters, learners: [] };
    for (const name of voters) {
      this.servers.set(name, newServer(name, config));
    }
    while (!this.choices.isDone) {
      this.step();
    }
  }

  private step(): void {
    const { choices } = this;
    const up = [...this.servers.values()].filter(({ isUp, state }) => isUp && state === "ready");
    const leader = choices.of(up.filter(({ isLeader }) => isLeader));
    const kind = choices.below(16);
    if (kind < 5 && leader !== undefined) {
      this.replicate(leader);
    } else if (kind < 8 && leader !== undefined) {
      append(leader, { term: leader.term, index: leader.log.length + 1, config: undefined });
    } else if (kind < 10) {
      this.mark(choices.of(up));
    } else if (kind < 12) {
      this.elect(choices.of(up));
    } else if (kind === 12) {
      this.crashOrStart();
    } else if (kind === 13 && leader !== undefined) {
      this.changeConfig(leader);
    } else if (kind === 14) {
      const server = choices.of(up);
      if (server !== undefined) {
        server.first = Math.max(
          server.first,
          Math.min(server.known, server.log.length - choices.below(MOST_CUT)),
        );
        server.synced = server.records.length;
      }
    } else {
      this.removeStale(choices.of(up));
    }
  }

  private elect(candidate: Server | undefined): void {
    if (candidate === undefined || !activeConfig(candidate).voters.includes(candidate.name)) {
      return;
    }
    const { voters } = activeConfig(candidate);
    const term = candidate.term + 1;
    candidate.term = term;
    candidate.isLeader = false;
    let votes = 1;
    for (const voter of voters.map((name) => this.servers.get(name))) {
      const mayVote = voter !== undefined && voter !== candidate && voter.isUp && voter.state === "ready";
      if (mayVote && voter.term < term && this.choices.below(4) > 0) {
        voter.term = term;
        voter.isLeader = false;
        votes += compareLast(candidate, voter) >= 0 ? 1 : 0;
      }
    }
    if (votes >= majorityOf(voters)) {
      candidate.isLeader = true;
      candidate.matched.clear();
      append(candidate, { term, index: candidate.log.length + 1, config: undefined });
    }
  }

  /** The leader sends some of its log to another server, and counts. */
  private replicate(leader: Server): void {
    const { voters, learners } = activeConfig(leader);
    const name = this.choices.of([...voters, ...learners].filter((one) => one !== leader.name));
    const peer = this.servers.get(name ?? "");
    const most = leader.log.length - this.choices.below(3);
    if (peer?.isUp && peer.state === "ready") {
      if (peer.term > leader.term) {
        leader.term = peer.term;
        leader.isLeader = false;
        return;
      }
      peer.term = leader.term;
      peer.isLeader = false;
      let same = 0;
      while (
        same < Math.min(peer.log.length, leader.log.length) &&
        peer.log[same]?.term === leader.log[same]?.term
      ) {
        same++;
      }
      if (same + 1 < leader.first) {
        return;
      }
      const sent = leader.log.slice(same, Math.max(same, most));
      append(peer, ...sent);
      const matched = same + sent.length;
      leader.matched.set(peer.name, Math.max(matched, leader.matched.get(peer.name) ?? 0));
      this.learn(peer, Math.min(leader.known, matched));
    }
    this.advance(leader);
  }

  private advance(leader: Server): void {
    const { voters } = activeConfig(leader);
    for (let index = leader.log.length; index > leader.known; index--) {
      const holders = voters.filter(
        (name) => name === leader.name || (leader.matched.get(name) ?? 0) >= index,
      ).length;
      if (leader.log[index - 1]?.term === leader.term && holders >= majorityOf(voters)) {
        for (const entry of leader.log.slice(leader.known, index)) {
          const known = this.committed.get(entry.index);
          if (known !== undefined && known.term !== entry.term) {
            throw new RangeError(`the model is wrong: two operations are committed at index ${entry.index}`);
          }
          this.committed.set(entry.index, entry);
        }
        this.learn(leader, index);
        return;
      }
    }
  }

  /** The server learns that operations are committed; a configuration goes into its consensus metadata. */
  private learn(server: Server, index: number): void {
    server.known = Math.max(server.known, index);
    const config = server.log.findLast(
      (entry) => entry.index <= server.known && entry.config !== undefined,
    )?.config;
    if (config !== undefined && config.index > server.config.index) {
      server.config = config;
      server.configs.push(config);
    }
  }

  private mark(server: Server | undefined): void {
    if (server !== undefined && server.known > 0) {
      const index = Math.max(server.first, server.known - this.choices.below(MOST_CUT));
      const entry = server.log[index - 1];
      server.marks.add(index);
      server.records.push(...(entry === undefined ? [] : [{ entry, isCommit: true }]));
    }
  }

  private crashOrStart(): void {
    const server = this.choices.of([...this.servers.values()]);
    if (server !== undefined) {
      server.isUp = !server.isUp;
      server.isLeader = false;
      server.known = Math.max(
        server.first - 1,
        ...[...server.marks].filter((index) => index <= server.log.length),
      );
    }
  }

  /** Adds a server as a copy of the leader, promotes it, or removes one. */
  private changeConfig(leader: Server): void {
    const { index, voters, learners } = activeConfig(leader);
    const isPending = index > leader.known;
    const hasCommitted = leader.log[leader.known - 1]?.term === leader.term;
    if (isPending || !hasCommitted) {
      return;
    }
    const at = leader.log.length + 1;
    const others = voters.filter((name) => name !== leader.name);
    const removed = this.choices.of(others);
    const added = NAMES.find((name) => !this.servers.has(name));
    let config: ModelConfig | undefined;
    const [learner] = learners;
    if (learner !== undefined) {
      config = { index: at, voters: [...voters, learner], learners: [] };
    } else if (voters.length > 3 && removed !== undefined) {
      config = { index: at, voters: voters.filter((name) => name !== removed), learners };
    } else if (added !== undefined) {
      config = { index: at, voters, learners: [added] };
      const copy = newServer(added, leader.config);
      append(copy, ...leader.log);
      copy.synced = copy.records.length;
      copy.first = leader.first;
      copy.known = leader.known;
      copy.term = leader.term;
      this.servers.set(added, copy);
    }
    if (config !== undefined) {
      append(leader, { term: leader.term, index: at, config });
    }
  }

  /** A server that the committed configuration of another lacks is deleted; its tombstone remains. */
  private removeStale(server: Server | undefined): void {
    for (const stale of this.servers.values()) {
      const isMember = [...(server?.config.voters ?? []), ...(server?.config.learners ?? [])].includes(
        stale.name,
      );
      const isOld =
        server !== undefined && stale.config.index < server.config.index && stale.name !== server.name;
      if (isOld && !isMember && !activeConfig(server).learners.includes(stale.name)) {
        stale.state = "tombstoned";
        stale.isLeader = false;
      }
    }
  }
}

function newServer(name: string, config: ModelConfig): Server {
  return {
    name,
    config,
    log: [],
    first: 1,
    marks: new Set(),
    records: [],
    synced: 0,
    configs: [config],
    state: "ready",
    term: 0,
    isUp: true,
    isLeader: false,
    known: 0,
    matched: new Map(),
  };
}

/** Writes operations to the log, which replace those from the index of the first one on. */
function append(server: Server, ...entries: readonly ModelEntry[]): void {
  const [first] = entries;
  if (first !== undefined) {
    server.log = [...server.log.slice(0, first.index - 1), ...entries];
    server.records.push(...entries.map((entry) => ({ entry, isCommit: false })));
  }
}

/** The last configuration in the log counts, committed or not. */
function activeConfig({ log, config }: ModelReplica): ModelConfig {
  return log.findLast((entry) => entry.config !== undefined)?.config ?? config;
}

function majorityOf(voters: readonly string[]): number {
  return Math.floor(voters.length / 2) + 1;
}

function compareLast({ log: left }: ModelReplica, { log: right }: ModelReplica): number {
  return (left.at(-1)?.term ?? 0) - (right.at(-1)?.term ?? 0) || left.length - right.length;
}
