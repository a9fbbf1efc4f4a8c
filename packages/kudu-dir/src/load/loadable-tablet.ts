/** Whether rows can be added to a tablet. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

/** @throws CFileError `E_UNSUPPORTED`, `E_INVALID_ARGUMENT` when they cannot */
export async function checkLoadable(dir: KuduDir, tablet: KuduTablet, timestamp: bigint): Promise<void> {
  if (tablet.state !== "ready") {
    throw new CFileError("E_UNSUPPORTED", `tablet ${tablet.id} is ${tablet.state}`, {
      field: "tablet_data_state",
    });
  }
  const { lastWrite = 0n, doubtful = 0, problems: [problem] = [] } = (await tablet.unflushed()) ?? {};
  if (problem !== undefined) {
    throw problem;
  }
  if (timestamp <= lastWrite || timestamp > BigInt(Date.now() + 60_000) * 4096000n) {
    throw invalidArgument(`the timestamp ${timestamp} is not between the last write, ${lastWrite}, and now`, {
      field: "timestamp",
    });
  }
  if (doubtful > 0) {
    throw new CFileError(
      "E_UNSUPPORTED",
      `of ${doubtful} changes of tablet ${tablet.id} it is not known whether they were applied`,
      { field: "wals" },
    );
  }
  const peers = (await dir.consensus(tablet.id))?.config.peers.length ?? 0;
  if (peers > 1) {
    throw new CFileError(
      "E_UNSUPPORTED",
      `tablet ${tablet.id} has ${peers} replicas; the others would not have the rows`,
      { field: "peers" },
    );
  }
}
