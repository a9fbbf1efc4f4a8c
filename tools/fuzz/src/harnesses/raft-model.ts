/**
 * A small model of Raft as Kudu uses it: elections, replication, commits, changes of one member, crashes, and logs that are cut at
 * their beginning. Every choice is a byte, so that saved bytes replay the same history.
 */
import {
  Choices,
  type ModelConfig,
  type ModelEntry,
  type ModelReplica,
  type ReplicaDisk,
  ServerStop,
} from "./raft-replica.js";
import {
  activeConfig,
  append,
  commit,
  compareLast,
  flush,
  lastMarked,
  learn,
  majorityOf,
  newServer,
  type Server,
  stop,
} from "./raft-server.js";

/** @param source the server whose replica a new one copies */
type NewDisk = (server: ModelReplica, source: string | undefined) => ReplicaDisk;

const NAMES = ["a", "b", "c", "d", "e"] as const;
const MOST_CUT = 4;

/** A group of replicas with its history. */
export class RaftModel {
  readonly servers = new Map<string, Server>();
  /** The operations that leaders knew to be committed, by index: their clients may have received an answer. */
  readonly committed = new Map<number, ModelEntry>();
  /** Committed operations that disks have lost, so that leaders without them committed others. */
  readonly overruled: ModelEntry[] = [];
  /** All operations of leaders. */
  readonly proposed: ModelEntry[] = [];
  /** Number of times that a server stopped during a disk operation. */
  stops = 0;
  /** Whether a server has lost operations that it had confirmed. */
  hasLost = false;
  private readonly choices: Choices;
  private readonly newDisk: NewDisk | undefined;

  /** @param newDisk simulates disks. Default: none; then nothing is lost. */
  constructor(bytes: Uint8Array, newDisk?: NewDisk) {
    this.choices = new Choices(bytes);
    this.newDisk = newDisk;
    const voters = NAMES.slice(0, 3);
    const config = { index: -1, voters, learners: [] };
    for (const name of voters) {
      this.add(name, config, undefined);
    }
  }

  get isDone(): boolean {
    return this.choices.isDone;
  }

  /** Plays the whole history. */
  play(): this {
    while (!this.isDone) {
      this.step();
    }
    return this;
  }

  step(): void {
    try {
      this.act();
    } catch (error) {
      const server = error instanceof ServerStop ? this.servers.get(error.server) : undefined;
      if (server === undefined) {
        throw error;
      }
      this.stops++;
      stop(server);
    }
  }

  /** The servers that may become leaders if all start, by the logs and configurations they have. */
  electable(): readonly ModelReplica[] {
    const able = [...this.servers.values()].filter(({ state }) => state === "ready");
    return able.filter((one) => {
      const { voters } = activeConfig(one);
      const votes = able.filter((other) => voters.includes(other.name) && compareLast(one, other) >= 0);
      return voters.includes(one.name) && votes.length >= majorityOf(voters);
    });
  }

  private add(name: string, config: ModelConfig, source: Server | undefined): Server {
    const server = newServer(name, config, (replica) => this.newDisk?.(replica, source?.name));
    this.servers.set(name, server);
    return server;
  }

  private propose(leader: Server, config?: ModelConfig): void {
    const previous = leader.log.at(-1);
    const entry = { term: leader.term, index: leader.log.length + 1, config, previous };
    this.proposed.push(entry);
    append(leader, entry);
  }

  private act(): void {
    const { choices } = this;
    const up = [...this.servers.values()].filter(({ isUp, state }) => isUp && state === "ready");
    const leader = choices.of(up.filter(({ isLeader }) => isLeader));
    const kind = choices.below(16);
    if (kind < 5 && leader !== undefined) {
      this.replicate(leader);
    } else if (kind < 8 && leader !== undefined) {
      this.propose(leader);
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
        flush(
          server,
          Math.max(server.first, Math.min(server.known, server.log.length - choices.below(MOST_CUT))),
        );
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
      this.propose(candidate);
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
      if (this.hasLost && same < peer.known) {
        // A server stops rather than replace operations that it knows to be committed.
        peer.isBroken = true;
        throw new ServerStop(peer.name);
      }
      const sent = leader.log.slice(same, Math.max(same, most));
      append(peer, ...sent);
      const matched = same + sent.length;
      leader.matched.set(peer.name, matched);
      learn(peer, Math.min(leader.known, matched));
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
            if (!this.hasLost) {
              throw new RangeError(
                `the model is wrong: two operations are committed at index ${entry.index}`,
              );
            }
            this.overruled.push(known);
          }
          this.committed.set(entry.index, entry);
        }
        learn(leader, index);
        return;
      }
    }
  }

  private mark(server: Server | undefined): void {
    if (server !== undefined && server.known > 0) {
      const index = Math.max(server.first, server.known - this.choices.below(MOST_CUT));
      if (server.disk === undefined || !server.marks.has(index)) {
        commit(server, index);
      }
    }
  }

  private crashOrStart(): void {
    const server = this.choices.of([...this.servers.values()]);
    if (server?.isUp) {
      stop(server);
    } else if (server !== undefined && !server.isBroken) {
      this.start(server);
    }
  }

  private start(server: Server): void {
    const { disk, log } = server;
    if (disk !== undefined && server.state === "ready") {
      const found = disk.restart();
      server.isBroken = found === undefined;
      if (found === undefined) {
        return;
      }
      this.hasLost ||= log.some((entry, i) => found.log[i] !== entry);
      server.log = found.log;
      server.first = found.first;
      server.config = found.config;
      server.marks.clear();
      for (const index of found.marks) {
        server.marks.add(index);
      }
    }
    server.isUp = true;
    server.known = lastMarked(server);
    if (disk !== undefined) {
      learn(server, server.known);
    }
  }

  /** Adds a server as a copy of the leader, promotes one, or removes one. */
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
      const copy = this.add(added, leader.config, leader);
      copy.log = leader.log;
      copy.records.push(...leader.log.map((entry) => ({ entry, isCommit: false })));
      copy.synced = copy.records.length;
      copy.first = leader.first;
      copy.term = leader.term;
      learn(copy, leader.known);
    }
    if (config !== undefined) {
      this.propose(leader, config);
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
      const isReachable = stale.disk === undefined || (stale.isUp && stale.state === "ready");
      if (isOld && !isMember && isReachable && !activeConfig(server).learners.includes(stale.name)) {
        stale.disk?.tombstone(stale.log.at(-1));
        stale.state = "tombstoned";
        stale.isLeader = false;
      }
    }
  }
}
