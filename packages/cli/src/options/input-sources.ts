/** The files and URLs that a command reads, and statistics of reading them. */
import type { ByteSource, OpenSourceOptions } from "@cfile/io";
import type { SourceMetrics } from "@cfile/io/decorators";
import type { ParquetKeys } from "@cfile/parquet";
import type { CliIo } from "../program/io.js";
import { flag, invalidValue, list } from "../program/option.js";
import { counted, percentText, sizeText } from "../records/quantity.js";
import { s3OptionsOf } from "./s3-options.js";

/** Options of every command that reads. */
export const SOURCE_OPTIONS = {
  header: list(
    "HEADER",
    'header sent with every HTTP request, like "Authorization: Bearer …"; may be repeated',
  ),
  stats: flag("report requests, bytes and time on stderr"),
  parquetKey: list(
    "[COLUMN=]HEX",
    "key of an encrypted Parquet file: of its footer, or of a column with its own; may be repeated",
  ),
};

interface ReadSource {
  readonly source: ByteSource;
  readonly metrics: SourceMetrics;
  readonly size: number;
  readonly isRemote: boolean;
}

export class InputSources {
  /** Headers as given, for the sources of threads. */
  header: readonly string[] = [];
  /** Keys of encrypted Parquet files. */
  parquetKeys: ParquetKeys = {};
  private headers: Readonly<Record<string, string>> = {};
  private readonly env: CliIo["env"];
  private hasStats = false;
  private readonly read: ReadSource[] = [];
  private readonly remote = new Map<string, ByteSource>();

  /** @param env has the settings of `s3:` URLs */
  constructor(env: CliIo["env"]) {
    this.env = env;
  }

  /** @throws UsageError for text that is not a header or a key */
  configure(headers: readonly string[], hasStats: boolean, parquetKeys: readonly string[] = []): void {
    this.header = headers;
    this.parquetKeys = parseKeys(parquetKeys);
    this.headers = Object.fromEntries(headers.map(parseHeader));
    this.hasStats = hasStats;
  }

  /** A path or URL as a source, counted in the statistics. Requests that fail temporarily are repeated. */
  async open(location: string): Promise<ByteSource> {
    return this.counted(await this.probe(location));
  }

  private async counted(source: ByteSource): Promise<ByteSource> {
    if (!this.hasStats) {
      return source;
    }
    const [{ sizeOf }, { withMetrics }] = await Promise.all([
      import("@cfile/io"),
      import("@cfile/io/decorators"),
    ]);
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

  /** Opens a source without counting it, to look at its first bytes; a remote one is reused by `open`. */
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

  /** Opens a source without reusing what an earlier request returned. */
  async openAnew(location: string): Promise<ByteSource> {
    return this.counted(await this.openUncounted(location));
  }

  private async openUncounted(location: string): Promise<ByteSource> {
    const { openSource } = await import("@cfile/io");
    const source = await openSource(location, await this.options(location));
    return source.traffic === undefined ? source : (await import("@cfile/io/decorators")).withRetry(source);
  }

  /** Options for opening a path or URL. */
  async options(location: string): Promise<OpenSourceOptions> {
    const { headers } = this;
    const s3 = /^s3:/i.test(location) ? { ...(await s3OptionsOf(this.env)), headers } : undefined;
    return { http: { headers }, s3 };
  }

  /** A line for each source that was opened, with `--stats`. */
  statistics(): string[] {
    return this.read.map(({ source, metrics, size, isRemote }) => {
      const { requests, bytesFetched, milliseconds } = metrics;
      const reads = counted(requests, isRemote ? "request" : "read");
      const part = `${sizeText(bytesFetched)} of ${sizeText(size)} (${percentText(bytesFetched, size)})`;
      return `${source.name}: ${reads}, ${part}, ${milliseconds.toFixed(0)} ms`;
    });
  }
}

/** AES keys have 16, 24 or 32 bytes. */
const KEY = /^(?:(.+)=)?((?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}))$/i;

function parseKeys(texts: readonly string[]): ParquetKeys {
  const columnKeys: Record<string, string> = {};
  let footerKey: string | undefined;
  for (const text of texts) {
    const [, column, key] = KEY.exec(text) ?? [];
    if (key === undefined) {
      throw invalidValue(
        "--parquet-key",
        text,
        "must be 32, 48 or 64 hexadecimal digits, or COLUMN= and these",
      );
    }
    if (column === undefined) {
      footerKey = key;
    } else {
      columnKeys[column] = key;
    }
  }
  return { footerKey, columnKeys };
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:]*):[ \t]*(.*)$/.exec(text) ?? [];
  try {
    new Headers([[name, value]]);
  } catch {
    throw invalidValue("--header", text, 'must be "Name: value"');
  }
  return [name, value];
}
