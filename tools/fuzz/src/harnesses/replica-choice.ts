/** Compares the choice of replicas and of the writes that count with the model of Raft. */
import type { Replica } from "@cfile/kudu-dir";
import { isRead, type RaftConfig, tabletWrites } from "@cfile/kudu-dir/catalog";
import type { ModelConfig, ModelEntry, ModelReplica, RaftModel } from "./raft-model.js";

type View = Pick<Replica, "server" | "config" | "log" | "hasWholeLog" | "lastOperation" | "problems"> & {
  readonly tablet: Pick<Replica["tablet"], "state">;
  readonly model: ModelReplica;
};

function raftConfig({ index, voters, learners }: ModelConfig): RaftConfig {
  const peer = (isVoter: boolean) => (uuid: string) => ({ uuid, isVoter, address: undefined });
  return { index: BigInt(index), peers: [...voters.map(peer(true)), ...learners.map(peer(false))] };
}

const NO_CONFIG: ModelConfig = { index: -1, voters: [], learners: [] };

/** What is on the disk of a replica. */
function viewOf(model: ModelReplica): View {
  const { name, log, first, marks, config, state } = model;
  const isReady = state === "ready";
  const operations = (isReady ? log.slice(first - 1) : []).map(({ term, index, config: changed }) => ({
    term: BigInt(term),
    index: BigInt(index),
    timestamp: BigInt(index),
    isCommitted: marks.has(index),
    config: changed && raftConfig(changed),
  }));
  return {
    model,
    server: name,
    tablet: { state },
    config: raftConfig(config),
    log: operations,
    hasWholeLog: true,
    lastOperation: operations.at(-1),
    problems: [],
  };
}

/**
 * @param present servers whose disks are there
 * @throws {RangeError} if a write that may have been answered is not read, or one that was overwritten is
 */
export function checkReplicaChoice(model: RaftModel, present: readonly string[]): void {
  const views = [...model.servers.values()].filter(({ name }) => present.includes(name)).map(viewOf);
  const writes = tabletWrites(views);
  const [chosen] = writes.readable;
  const ready = views.filter(({ tablet }) => tablet.state === "ready");
  if ((chosen === undefined) !== (ready.length === 0)) {
    throw new RangeError("a replica that is ready is not read");
  }
  if (chosen === undefined) {
    return;
  }
  const isWhole = views.length === model.servers.size;
  const hasMajority = configsInForce(model).every(({ voters }) => {
    const here = voters.filter((name) => ready.some(({ server }) => server === name));
    return 2 * here.length > voters.length;
  });
  for (const [index, entry] of model.committed) {
    const id = { term: BigInt(entry.term), index: BigInt(index) };
    const isFlushed = index < chosen.model.first;
    const isKnown = writes.lineage.some((one) => one.index === id.index && one.term === id.term);
    const isHeld = ready.some(({ model: { log } }) => log[index - 1]?.term === entry.term);
    const isProven = ready.some(
      ({ model: { first }, log }) =>
        index < first || log.some((one) => one.isCommitted && one.index >= id.index),
    );
    const scope = isWhole ? "confirmed" : "possible";
    const isSeen = isFlushed || (isKnown && isRead(id, writes, scope));
    if ((isProven || (isHeld && hasMajority)) && !isSeen) {
      throw new RangeError(`operation ${entry.term}.${index} was answered, and is not ${scope}`);
    }
    const other = writes.lineage.find((one) => one.index === id.index && one.term !== id.term);
    const isWrong =
      (isProven || (isHeld && hasMajority)) && other !== undefined && isRead(other, writes, "possible");
    if (isWrong) {
      throw new RangeError(
        `operation ${other.term}.${other.index} was overwritten by ${entry.term}.${index}, and is read`,
      );
    }
  }
  checkFlushed(chosen.model, model.committed);
}

/** The last committed configuration, and the ones that leaders have proposed since. */
function configsInForce({ servers }: RaftModel): readonly ModelConfig[] {
  const all = [...servers.values()];
  const last = all.reduce((left, { config }) => (config.index > left.index ? config : left), NO_CONFIG);
  return [last, ...all.flatMap(({ log }) => log.flatMap(({ config }) => config ?? []))].filter(
    ({ index }) => index >= last.index,
  );
}

function checkFlushed({ log, first }: ModelReplica, committed: ReadonlyMap<number, ModelEntry>): void {
  for (const { index, term } of log.slice(0, first - 1)) {
    if (committed.get(index)?.term !== term) {
      throw new RangeError(
        `the model is wrong: operation ${term}.${index} was flushed, and is not committed`,
      );
    }
  }
}
