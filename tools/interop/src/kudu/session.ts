/** A server and its client. */
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { ProcessError } from "../processes.js";
import type { CheckResult } from "../report.js";
import type { KuduServer } from "./kudu-server.js";

/** The server's programs and the client's. */
export interface KuduPrograms {
  readonly home: string;
  readonly driver: JavaProgram;
}

export class Session {
  readonly server: KuduServer;
  private readonly program: JavaProgram;
  private client: JavaDriver | undefined;

  constructor(server: KuduServer, program: JavaProgram) {
    this.server = server;
    this.program = program;
  }

  get driver(): JavaDriver {
    if (this.client === undefined) {
      throw new ProcessError("the server is stopped");
    }
    return this.client;
  }

  async start(): Promise<void> {
    await this.server.start();
    this.client = new JavaDriver(this.program, [this.server.masterAddress]);
    // Kudu's client would wait a minute for each answer from a stopped server.
    this.server.onEnd = () => void this.client?.stop();
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.stop();
    await this.server.stop(signal);
  }

  /**
   * Findings of a round that ended with an error.
   * @throws the error, unless the server stopped itself
   */
  async crashAfter(error: unknown): Promise<CheckResult[]> {
    const crash = await this.server.crash();
    if (crash === undefined) {
      throw error;
    }
    const what = `Kudu's server stopped itself: ${crash}`;
    return [{ what, cases: 0, rows: 0, failures: [], isFinding: true }];
  }
}
