/** Masters and tablet servers of a Kudu cluster on the loopback interface, in one folder. Each can be stopped and restarted. */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  COMMON_FLAGS,
  flagNames,
  type KuduProgram,
  launchKudu,
  type Maintenance,
  runKuduTool,
  SWITCHES,
  TABLET_SERVER_FLAGS,
} from "../kudu/kudu-process.js";
import { freePorts, isListening, ProcessError, stopProcess } from "../processes.js";

export interface ClusterOptions {
  /** Kudu's programs, unpacked: those of the servers, and those of the tool, which can be newer. */
  readonly home: string;
  readonly toolHome: string;
  /** The folder of the servers' folders: `m0`, `ts0` and so on. */
  readonly folder: string;
  /** Names of the servers, and of their folders. */
  readonly masters: readonly string[];
  readonly tabletServers: readonly string[];
  /** Whether each server has one directory for everything. Default: one for logs and metadata, others for data. */
  readonly hasOneDirectory?: boolean;
  /** Additional flags for all servers; flags unknown to a version are omitted. */
  readonly flags: readonly string[];
}

type Signal = "SIGTERM" | "SIGKILL";

/** Elections after half a second; the master soon copies missing replicas to another server. */
const FLAGS = [
  "--raft_heartbeat_interval_ms=150",
  "--leader_failure_max_missed_heartbeat_periods=3",
  "--heartbeat_interval_ms=200",
  "--tserver_unresponsive_timeout_ms=3000",
  "--catalog_manager_bg_task_wait_ms=200",
  "--allow_unsafe_replication_factor=true",
  "--default_num_replicas=3",
  "--max_num_columns=400",
];
const MOST_ATTEMPTS = 200;
const ATTEMPT_MS = 300;

export class ClusterServers {
  readonly options: ClusterOptions;
  /** UUIDs by the name of the tablet server. */
  readonly uuids = new Map<string, string>();
  private readonly ports = new Map<string, number>();
  /** Number of servers after the last start; if fewer are running, some have crashed since. */
  private starting = 0;
  private readonly running = new Map<string, ChildProcess>();
  private readonly known = new Map<KuduProgram, ReadonlySet<string>>();

  constructor(options: ClusterOptions) {
    this.options = options;
  }

  get masters(): readonly string[] {
    return this.options.masters;
  }

  get tabletServers(): readonly string[] {
    return this.options.tabletServers;
  }

  get masterAddresses(): string {
    return this.masters.map((name) => this.addressOf(name)).join(",");
  }

  /** Names of the running tablet servers. */
  get alive(): readonly string[] {
    return this.tabletServers.filter((name) => this.running.has(name));
  }

  /** Starts all servers and waits until the tablet servers have registered. */
  async start(): Promise<void> {
    for (const program of ["kudu-master", "kudu-tserver"] as const) {
      this.known.set(program, await flagNames(this.options.home, program));
    }
    await this.reservePorts();
    for (const name of [...this.masters, ...this.tabletServers]) {
      await this.startServer(name);
    }
    await this.untilRegistered();
  }

  /** Chooses ports for all servers that have none yet. */
  async reservePorts(): Promise<void> {
    const names = [...this.masters, ...this.tabletServers].filter((name) => !this.ports.has(name));
    for (const [i, port] of (await freePorts(names.length)).entries()) {
      this.ports.set(names[i] ?? "", port);
    }
  }

  addressOf(name: string): string {
    return `127.0.0.1:${this.ports.get(name) ?? 0}`;
  }

  async startServer(name: string): Promise<void> {
    const { home, folder, hasOneDirectory = false } = this.options;
    const isMaster = this.masters.includes(name);
    const program = isMaster ? "kudu-master" : "kudu-tserver";
    const root = join(folder, name);
    const known = this.known.get(program);
    const all = [...COMMON_FLAGS, ...FLAGS, ...(isMaster ? [] : TABLET_SERVER_FLAGS), ...this.options.flags];
    // The last flag of each name counts.
    const byName = new Map(all.map((flag) => [flag.slice(2).split("=", 1)[0] ?? "", flag]));
    const flags = [...byName].filter(([flag]) => known?.has(flag) ?? true).map(([, flag]) => flag);
    const dataDirs = (isMaster ? ["data-1"] : ["data-1", "data-2"]).map((data) => join(root, data));
    const directories = hasOneDirectory
      ? [`--fs_wal_dir=${root}`]
      : [`--fs_wal_dir=${join(root, "wal")}`, `--fs_data_dirs=${dataDirs.join(",")}`];
    const child = await launchKudu(home, program, {
      folder,
      name,
      flags: [
        ...flags,
        ...directories,
        `--rpc_bind_addresses=${this.addressOf(name)}`,
        isMaster
          ? this.masters.length > 1
            ? `--master_addresses=${this.masterAddresses}`
            : ""
          : `--tserver_master_addrs=${this.masterAddresses}`,
      ].filter((flag) => flag !== ""),
    });
    this.running.set(name, child);
    this.starting = this.running.size;
    child.once("exit", () => {
      if (this.running.get(name) === child) {
        this.running.delete(name);
      }
    });
  }

  async stopServer(name: string, signal: Signal): Promise<void> {
    const child = this.running.get(name);
    this.running.delete(name);
    if (child !== undefined) {
      await stopProcess(child, signal);
    }
  }

  /** Stops all servers at once. */
  async stop(signal: Signal): Promise<void> {
    await Promise.all([...this.running.keys()].map((name) => this.stopServer(name, signal)));
  }

  /** Enables one kind of maintenance on all running tablet servers for some time. */
  async maintain(kind: Maintenance, milliseconds: number): Promise<void> {
    await this.setFlag(SWITCHES[kind], "true");
    await sleep(milliseconds);
    await this.setFlag(SWITCHES[kind], "false");
  }

  /** Kudu's command-line tool. */
  tool(args: readonly string[]): Promise<string> {
    return runKuduTool(this.options.toolHome, args);
  }

  /** Waits until all running tablet servers have registered with the leading master. */
  async untilRegistered(): Promise<void> {
    let failure: unknown;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      if (this.starting !== this.running.size) {
        break;
      }
      try {
        const text = await this.tool([
          "tserver", "list", this.masterAddresses, "--format=json", "--columns=uuid,rpc-addresses", "--timeout_ms=4000",
        ]); // biome-ignore format: one line
        const list: readonly { readonly uuid: string; readonly "rpc-addresses": string }[] = JSON.parse(text);
        for (const { uuid, "rpc-addresses": address } of list) {
          const name = this.tabletServers.find((one) => this.addressOf(one) === address);
          this.uuids.set(name ?? address, uuid);
        }
        const isKnown = this.alive.every((name) => list.some(({ uuid }) => uuid === this.uuids.get(name)));
        // The master also lists servers that have stopped.
        const answers = await Promise.all(this.alive.map((name) => isListening(this.ports.get(name) ?? 0)));
        if (isKnown && !answers.includes(false)) {
          return;
        }
      } catch (error) {
        failure = error;
      }
      await sleep(ATTEMPT_MS);
    }
    throw new ProcessError(`Kudu does not start: ${await this.lastLines()} ${String(failure)}`);
  }

  /** Why a server aborted; `undefined` if none did. */
  async crash(): Promise<string | undefined> {
    for (const name of [...this.masters, ...this.tabletServers]) {
      const log = await readFile(join(this.options.folder, `${name}.log`), "utf8").catch(() => "");
      const check = /^F\d+ [\d:.]+ +\d+ (.*Check failed.*)$/m.exec(log)?.[1]?.trim();
      const [signal] = /^\*\*\* SIG(?!TERM)\w+/m.exec(log) ?? [];
      const crash = check ?? signal?.slice(4);
      if (crash !== undefined) {
        return crash;
      }
    }
    return undefined;
  }

  private async setFlag(name: string, value: string): Promise<void> {
    await Promise.all(
      this.alive.map((server) =>
        this.tool(["tserver", "set_flag", this.addressOf(server), name, value, "--force"]),
      ),
    );
  }

  private async lastLines(): Promise<string> {
    const names = [...this.masters, ...this.tabletServers];
    const logs = names.map(async (name) =>
      (await readFile(join(this.options.folder, `${name}.log`), "utf8").catch(() => "")).slice(-400),
    );
    return (await Promise.all(logs)).join("\n");
  }
}
