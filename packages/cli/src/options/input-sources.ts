/** The files and URLs that a command reads, and what reading them took. */
import { type ByteSource, type OpenSourceOptions, openSource, sizeOf } from "@cfile/io";
import type { SourceMetrics } from "@cfile/io/decorators";
import { UsageError } from "../program/exit-code.js";
import type { CliIo } from "../program/io.js";
import { counted, percentText, sizeText } from "../records/quantity.js";
import { s3OptionsOf } from "./s3-options.js";

/** Options of every command that reads. */
export const SOURCE_FLAGS = {
  header: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: 'sent with every request for a URL, like "Authorization: Bearer …"',
  },
  stats: {
    type: "boolean",
    describe: "tell on stderr what reading took: requests, bytes, time",
  },
} as const;

interface ReadSource {
  readonly source: ByteSource;
  readonly metrics: SourceMetrics;
  readonly size: number;
  readonly isRemote: boolean;
}

export class InputSources {
  private headers: Readonly<Record<string, string>> = {};
  private readonly env: CliIo["env"];
  private hasStats = false;
  private readonly read: ReadSource[] = [];
  private readonly remote = new Map<string, ByteSource>();

  /** @param env tells how `s3:` URLs are read */
  constructor(env: CliIo["env"]) {
    this.env = env;
  }

  /** @throws UsageError for a header that is none */
  configure(headers: readonly string[] | undefined, hasStats: boolean | undefined): void {
    this.headers = Object.fromEntries((headers ?? []).map(parseHeader));
    this.hasStats = hasStats ?? false;
  }

  /** A path or URL as a source, for the statistics. Requests that fail for a passing reason are made again. */
  async open(location: string): Promise<ByteSource> {
    return this.counted(await this.probe(location));
  }

  private async counted(source: ByteSource): Promise<ByteSource> {
    if (!this.hasStats) {
      return source;
    }
    const { withMetrics } = await import("@cfile/io/decorators");
    const metered = withMetrics(source);
    try {
      const isRemote = source.traffic !== undefined;
      this.read.push({ source, metrics: metered.metrics, size: await sizeOf(metered), isRemote });
      return metered;
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }

  /** The same for a first look; what it asks of a server is not asked again. */
  async probe(location: string): Promise<ByteSource> {
    const known = this.remote.get(location);
    if (known !== undefined) {
      return known;
    }
    const source = await this.openUncounted(location);
    if (source.traffic !== undefined) {
      this.remote.set(location, source);
    }
    return source;
  }

  /** The source as it is now, whatever was asked of the server before; nothing of it is kept. */
  async openAnew(location: string): Promise<ByteSource> {
    return this.counted(await this.openUncounted(location));
  }

  private async openUncounted(location: string): Promise<ByteSource> {
    const source = await openSource(location, await this.options(location));
    return source.traffic === undefined ? source : (await import("@cfile/io/decorators")).withRetry(source);
  }

  /** How a path or URL is opened. */
  async options(location: string): Promise<OpenSourceOptions> {
    const { headers } = this;
    const s3 = /^s3:/i.test(location) ? { ...(await s3OptionsOf(this.env)), headers } : undefined;
    return { http: { headers }, s3 };
  }

  /** A line for each source that was opened, when they are asked for. */
  statistics(): string[] {
    return this.read.map(({ source, metrics, size, isRemote }) => {
      const { requests, bytesFetched, milliseconds } = metrics;
      const reads = counted(requests, isRemote ? "request" : "read");
      const part = `${sizeText(bytesFetched)} of ${sizeText(size)} (${percentText(bytesFetched, size)})`;
      return `${source.name}: ${reads}, ${part}, ${milliseconds.toFixed(0)} ms`;
    });
  }
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:]*):[ \t]*(.*)$/.exec(text) ?? [];
  try {
    new Headers([[name, value]]);
  } catch {
    throw new UsageError(`--header ${text}: "Name: value" is expected`);
  }
  return [name, value];
}
