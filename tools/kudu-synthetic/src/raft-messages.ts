/** `RaftConfigPB` and `OpId` (docs/spec/kudu-cluster.md#3-consensus-metadata). */
import { MessageBytes } from "./message-bytes.js";

/** An op ID. */
export interface SyntheticOperation {
  readonly term: number;
  readonly index: number;
}

const VOTER = 1;

/** `OpId` */
export function operationMessage({ term, index }: SyntheticOperation): MessageBytes {
  return new MessageBytes().varint(1, term).varint(2, index);
}

/** The configuration of the first operation. */
export function raftConfigMessage(peers: readonly string[]): MessageBytes {
  const config = new MessageBytes().varint(1, -1);
  for (const [i, uuid] of peers.entries()) {
    const address = new MessageBytes().text(1, "127.0.0.1").varint(2, 7050 + i);
    config.message(3, new MessageBytes().text(1, uuid).varint(2, VOTER).message(3, address));
  }
  return config;
}
