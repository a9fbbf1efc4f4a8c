/** The replicas of all tablets on the disks of several servers, and what those of one tablet say about each other's logs. */
import type { CFileError } from "@cfile/bytes";
import type { Quorum } from "../log/log-replay.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { Remembered } from "../read/remembered.js";
import { replicatesOf } from "./recovered-log.js";
import { type Replica, readReplica } from "./replica.js";
import { isRead, tabletWrites, type WriteScope } from "./replica-choice.js";

/** A tablet on the disks of one server; its log is not read yet. */
export interface TabletCopy {
  readonly dir: KuduDir;
  readonly tablet: KuduTablet;
}

export class ClusterReplicas {
  private readonly servers: readonly KuduDir[];
  private readonly scope: WriteScope;
  private readonly copies = new Remembered<ReadonlyMap<string, readonly TabletCopy[]>>();
  private readonly unreadable = new Remembered<ReadonlyMap<string, readonly CFileError[]>>();
  private readonly read = new Map<string, Remembered<readonly Replica[]>>();

  constructor(servers: readonly KuduDir[], scope: WriteScope) {
    this.servers = servers;
    this.scope = scope;
  }

  /** Reads all superblocks. */
  byTablet(): Promise<ReadonlyMap<string, readonly TabletCopy[]>> {
    return this.copies.get(async () => {
      const found = new Map<string, TabletCopy[]>();
      for (const dir of this.servers) {
        for (const tablet of await dir.tablets()) {
          addTo(found, tablet.id, { dir, tablet });
        }
      }
      return found;
    });
  }

  /** Errors of superblocks that cannot be read, by tablet. */
  damagedSuperblocks(): Promise<ReadonlyMap<string, readonly CFileError[]>> {
    return this.unreadable.get(async () => {
      const found = new Map<string, CFileError[]>();
      for (const dir of this.servers) {
        for (const { id, error } of await dir.damagedTablets()) {
          addTo(found, id, error);
        }
      }
      return found;
    });
  }

  /** The replicas of a tablet, tombstones included; reads their logs. */
  of(id: string): Promise<readonly Replica[]> {
    const known = this.read.get(id) ?? new Remembered<readonly Replica[]>();
    this.read.set(id, known);
    return known.get(async () => {
      const copies = (await this.byTablet()).get(id) ?? [];
      return Promise.all(copies.map(({ dir, tablet }) => readReplica(dir, tablet)));
    });
  }

  /** What the other replicas say about the log of a server's replica. */
  async quorum(dir: KuduDir, id: string): Promise<Quorum | undefined> {
    const replicas = await this.of(id);
    const own = replicas.find((replica) => replica.dir === dir);
    if (own === undefined) {
      return undefined;
    }
    const writes = tabletWrites(replicas);
    const counts: Quorum["counts"] = (operation) => isRead(operation, writes, this.scope);
    const first = own.log[0]?.index;
    if (first === undefined) {
      return { counts, more: [] };
    }
    const logged = new Set(own.log.map(({ term, index }) => `${term}.${index}`));
    const absent = writes.lineage.filter(
      (operation) => operation.index >= first && !logged.has(`${operation.term}.${operation.index}`),
    );
    const more = await replicatesOf(
      replicas,
      absent.filter((operation) => counts(operation)),
    );
    return { counts, more };
  }
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(item);
}
