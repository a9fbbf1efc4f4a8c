/** `ConsensusMetadataPB`: the Raft configuration and term of a replica (docs/spec/kudu-cluster.md#3-consensus-metadata). */
import { MessageReader } from "@cfile/protobuf/read";
import { decodeConsensusMetadataPB, type RaftConfigPB } from "../generated/decode.js";

/** A member of a Raft configuration. */
export interface RaftPeer {
  /** UUID of its server. */
  readonly uuid: string;
  readonly isVoter: boolean;
  /** `HOST:PORT`, as last known. */
  readonly address: string | undefined;
}

/** The members of a tablet's Raft group. */
export interface RaftConfig {
  /** Index of the operation that made it; -1 for the first configuration. */
  readonly index: bigint;
  readonly peers: readonly RaftPeer[];
}

/** A replica's view of its Raft group. */
export interface ConsensusMetadata {
  readonly config: RaftConfig;
  readonly term: bigint;
}

const VOTER = 1;

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseConsensusMetadata(bytes: Uint8Array): ConsensusMetadata {
  const message = decodeConsensusMetadataPB(new MessageReader(bytes, "ConsensusMetadataPB"));
  return { config: raftConfigOf(message.committedConfig), term: message.currentTerm };
}

export function raftConfigOf({ opidIndex = -1n, peers }: RaftConfigPB): RaftConfig {
  return {
    index: opidIndex,
    peers: peers.map(({ permanentUuid = "", memberType, lastKnownAddr: at }) => ({
      uuid: permanentUuid,
      isVoter: memberType === undefined || memberType === VOTER,
      address: at && `${at.host}:${at.port}`,
    })),
  };
}
