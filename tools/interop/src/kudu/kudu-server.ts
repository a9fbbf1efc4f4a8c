/**
 * A Kudu master and tablet server on the loopback interface, in one folder. They can be stopped and started
 * any number of times.
 */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts, ProcessError, stopProcess } from "../processes.js";
import {
  COMMON_FLAGS,
  type KuduProgram,
  launchKudu,
  type Maintenance,
  runKuduTool,
  SWITCHES,
  TABLET_SERVER_FLAGS,
} from "./kudu-process.js";

export interface KuduOptions {
  /** Kudu's programs, unpacked. */
  readonly home: string;
  /** The folder of the master (`m`) and tablet server (`ts`). */
  readonly folder: string;
  readonly blockManager: "log" | "file";
  readonly encrypted: boolean;
  /** Additional options of the tablet server. */
  readonly flags?: readonly string[] | undefined;
}

/** Number of checks whether the servers are in the expected state, about 300 ms apart. */
const MOST_ATTEMPTS = 300;

/** Number of attempts with different ports. */
const MOST_STARTS = 4;

export class KuduServer {
  readonly options: KuduOptions;
  private readonly processes: ChildProcess[] = [];
  private masterPort = 0;
  private tabletPort = 0;
  /** Called when either process exits by itself. */
  onEnd: (() => void) | undefined;

  constructor(options: KuduOptions) {
    this.options = options;
  }

  get masterAddress(): string {
    return `127.0.0.1:${this.masterPort}`;
  }

  get tabletAddress(): string {
    return `127.0.0.1:${this.tabletPort}`;
  }

  /** The directories of the tablet server. */
  get dataFolder(): string {
    return join(this.options.folder, "ts");
  }

  /** The same server, stopped, with its files in another folder. */
  movedTo(folder: string): KuduServer {
    const moved = new KuduServer({ ...this.options, folder });
    moved.masterPort = this.masterPort;
    moved.tabletPort = this.tabletPort;
    return moved;
  }

  /** Starts both processes and waits until tablets accept writes. */
  async start(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      if (this.masterPort === 0) {
        [this.masterPort = 0, this.tabletPort = 0] = await freePorts(2);
      }
      try {
        await this.launchBoth();
        await this.untilReady();
        return;
      } catch (error) {
        await this.stop("SIGKILL");
        if (attempt >= MOST_STARTS || !String(error).includes("Address already in use")) {
          throw error;
        }
        // Another process took the port in the meantime.
        this.masterPort = 0;
      }
    }
  }

  /** Stops both processes. Rows in memory remain only in the log. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await Promise.all(this.processes.splice(0).map((child) => stopProcess(child, signal)));
  }

  /** Why the tablet server aborted; `undefined` if it did not. */
  async crash(): Promise<string | undefined> {
    const log = await readFile(join(this.options.folder, "ts.log"), "utf8").catch(() => "");
    const check = /^F\d+ [\d:.]+ +\d+ (.*Check failed.*)$/m.exec(log)?.[1]?.trim();
    const [signal] = /^\*\*\* SIG\w+/m.exec(log) ?? [];
    const [frame] = log.match(/kudu::(?!google)[\w:]+\(\)/) ?? [];
    return check ?? (signal && `${signal.slice(4)} in ${frame ?? "?"}`);
  }

  /** Enables one kind of maintenance on the tablet server for some time. */
  async maintain(kind: Maintenance, milliseconds: number): Promise<void> {
    await this.setFlag(SWITCHES[kind], "true");
    await sleep(milliseconds);
    await this.setFlag(SWITCHES[kind], "false");
  }

  async setFlag(name: string, value: string): Promise<void> {
    await this.tool(["tserver", "set_flag", this.tabletAddress, name, value, "--force"]);
  }

  /** Deletes the only replica of a tablet, on this server; its tombstone remains. */
  async deleteReplica(tablet: string): Promise<void> {
    await this.tool(["remote_replica", "delete", this.tabletAddress, tablet, "interop"]);
  }

  /** Waits until the server has the data of exactly these tablets. */
  async untilReplicasAre(tablets: ReadonlySet<string>): Promise<void> {
    let running: readonly string[] = [];
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const list = await this.tool(["remote_replica", "list", this.tabletAddress, "--noinclude_schema"]);
      running = list
        .split(/^(?=Tablet id: )/m)
        .filter((text) => /^Data state: TABLET_DATA_READY$/m.test(text))
        .map((text) => /^Tablet id: (\w+)/.exec(text)?.[1] ?? "");
      if (running.length === tablets.size && running.every((id) => tablets.has(id))) {
        return;
      }
      await sleep(300);
    }
    throw new ProcessError(`tablets ${[...tablets].join(" ")} expected, found ${running.join(" ")}`);
  }

  /** Kudu's command-line tool. */
  tool(args: readonly string[]): Promise<string> {
    return runKuduTool(this.options.home, args);
  }

  /** The tool with the options for the directories of the tablet server. The server must be stopped. */
  fsTool(args: readonly string[]): Promise<string> {
    const { folder, blockManager, encrypted } = this.options;
    const roots = [1, 2].map((n) => join(folder, "ts", `data-${n}`)).join(",");
    return this.tool([
      ...args,
      `--fs_wal_dir=${this.dataFolder}`,
      `--fs_data_dirs=${roots}`,
      `--block_manager=${blockManager}`,
      ...(encrypted ? ["--encrypt_data_at_rest=true"] : []),
      "--unlock_experimental_flags",
      "--unlock_unsafe_flags",
    ]);
  }

  private async launchBoth(): Promise<void> {
    const { folder, blockManager, encrypted, flags = [] } = this.options;
    const own = [
      ...COMMON_FLAGS,
      `--block_manager=${blockManager}`,
      ...(encrypted ? ["--encrypt_data_at_rest=true"] : []),
    ];
    await this.launch("kudu-master", "m", [
      ...own,
      `--rpc_bind_addresses=${this.masterAddress}`,
      "--default_num_replicas=1",
      "--max_num_columns=400",
    ]);
    const roots = [1, 2].map((n) => join(folder, "ts", `data-${n}`)).join(",");
    await this.launch("kudu-tserver", "ts", [
      ...own,
      ...TABLET_SERVER_FLAGS,
      ...flags,
      `--fs_data_dirs=${roots}`,
      `--rpc_bind_addresses=${this.tabletAddress}`,
      `--tserver_master_addrs=${this.masterAddress}`,
    ]);
  }

  private async launch(program: KuduProgram, name: string, flags: readonly string[]): Promise<void> {
    const { home, folder } = this.options;
    const root = join(folder, name);
    const own = name === "m" ? [`--fs_data_dirs=${root}`] : [];
    const child = await launchKudu(home, program, {
      folder,
      name,
      flags: [`--fs_wal_dir=${root}`, ...own, ...flags],
    });
    child.once("exit", () => {
      // Processes that were stopped on purpose are not listed.
      if (this.processes.includes(child)) {
        this.onEnd?.();
      }
    });
    this.processes.push(child);
  }

  private async untilReady(): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      if (this.processes.some((child) => child.exitCode !== null)) {
        break;
      }
      try {
        await this.tool(["cluster", "ksck", this.masterAddress]);
        // A cluster without tablet servers is also healthy, but cannot create tables.
        const alive = await this.tool(["tserver", "list", this.masterAddress, "--format=csv"]);
        if (alive.includes(`:${this.tabletPort}`)) {
          return;
        }
      } catch {
        // It does not exist yet.
      }
      await sleep(300);
    }
    const logs = await Promise.all(
      ["m", "ts"].map(async (name) =>
        (await readFile(join(this.options.folder, `${name}.log`), "utf8")).slice(-1500),
      ),
    );
    throw new ProcessError(`Kudu does not start: ${logs.join("\n")}`);
  }
}
