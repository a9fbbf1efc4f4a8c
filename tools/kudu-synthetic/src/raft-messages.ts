/** `RaftConfigPB` and `OpId` (docs/spec/kudu-cluster.md#3-consensus-metadata). */
import { MessageBytes } from "./message-bytes.js";

/** An op ID. */
export interface SyntheticOperation {
  readonly term: number;
  readonly index: number;
}

/** A Raft configuration, by the UUIDs of its members. */
export interface SyntheticConfig {
  /** Index of the operation that set it. */
  readonly index: number;
  readonly voters: readonly string[];
  readonly learners: readonly string[];
}

const LEARNER = 0;
const VOTER = 1;

/** `OpId` */
export function operationMessage({ term, index }: SyntheticOperation): MessageBytes {
  return new MessageBytes().varint(1, term).varint(2, index);
}

/** The configuration before the first operation. */
export function firstConfig(voters: readonly string[]): SyntheticConfig {
  return { index: -1, voters, learners: [] };
}

export function raftConfigMessage({ index, voters, learners }: SyntheticConfig): MessageBytes {
  const config = new MessageBytes().varint(1, index);
  for (const [i, uuid] of [...voters, ...learners].entries()) {
    const address = new MessageBytes().text(1, "127.0.0.1").varint(2, 7050 + i);
    const type = i < voters.length ? VOTER : LEARNER;
    config.message(3, new MessageBytes().text(1, uuid).varint(2, type).message(3, address));
  }
  return config;
}

/** `ConsensusMetadataPB` */
export function consensusMessage(config: SyntheticConfig, term: number): MessageBytes {
  return new MessageBytes().message(1, raftConfigMessage(config)).varint(2, term);
}
