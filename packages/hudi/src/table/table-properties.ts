/** Table properties from `hoodie.properties` (docs/spec/hudi-table.md#1-folders). */
import { CFileError, corrupt } from "@cfile/bytes";
import { parseJavaProperties } from "./java-properties.js";

/** Copy on write: base files only. Merge on read: base files, and log files on top. */
export type HudiTableType = "COPY_ON_WRITE" | "MERGE_ON_READ";

/** Which of two versions of a row counts: the one with the greater ordering value, or the later one. */
export type MergeMode = "EVENT_TIME_ORDERING" | "COMMIT_TIME_ORDERING" | "CUSTOM";

/** Properties that decide how a table is read. */
export interface TableProperties {
  /** All properties, as stored. */
  readonly all: ReadonlyMap<string, string>;
  readonly name: string;
  /** 6, 8 or 9. */
  readonly version: number;
  /** Layout of the timeline, 1 or 2. */
  readonly layout: 1 | 2;
  readonly type: HudiTableType;
  readonly recordKeyFields: readonly string[];
  readonly partitionFields: readonly string[];
  /** Fields whose values decide between versions of a row. */
  readonly orderingFields: readonly string[];
  /** `undefined` in tables of version 6, where the payload class decides. */
  readonly mergeMode: MergeMode | undefined;
  readonly hiveStyle: boolean;
  readonly urlEncoded: boolean;
  /** Whether the partition columns are absent from the data files. */
  readonly dropsPartitionColumns: boolean;
  /** Whether files have the five `_hoodie_` columns. */
  readonly hasMetaFields: boolean;
  /** Partitions of the metadata table that can be read. */
  readonly metadataPartitions: readonly string[];
  /** `PARQUET`, or `HFILE` in metadata tables. */
  readonly baseFormat: string;
  /** Folder of the active timeline, relative to the table. */
  readonly timelineFolder: string;
  /** Folder of the archived timeline. */
  readonly archiveFolder: string;
}

const SUPPORTED = [6, 8, 9];
const MODES: readonly string[] = ["EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING", "CUSTOM"];

/**
 * Parses `hoodie.properties`.
 * @throws {CFileError} `E_UNSUPPORTED` for table versions other than 6, 8 and 9; `E_CORRUPT` when properties are missing or invalid
 */
export function parseTableProperties(bytes: Uint8Array): TableProperties {
  const all = parseJavaProperties(bytes);
  const text = (key: string): string => all.get(key) ?? "";
  const list = (key: string): string[] =>
    text(key)
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  const flag = (key: string, standard: boolean): boolean =>
    all.has(key) ? text(key).toLowerCase() === "true" : standard;
  const version = Number(text("hoodie.table.version") || "0");
  if (!SUPPORTED.includes(version)) {
    const details = { field: "hoodie.table.version", expected: SUPPORTED.join(", "), actual: version };
    throw new CFileError(
      "E_UNSUPPORTED",
      `unsupported table version ${version} (expected 6, 8 or 9)`,
      details,
    );
  }
  const type = text("hoodie.table.type") || "COPY_ON_WRITE";
  if (type !== "COPY_ON_WRITE" && type !== "MERGE_ON_READ") {
    throw corrupt(`invalid table type ${JSON.stringify(type)}`, { field: "hoodie.table.type" });
  }
  const layout = layoutOf(text("hoodie.timeline.layout.version"), version);
  const mode = text("hoodie.record.merge.mode");
  const ordering = list("hoodie.table.ordering.fields");
  return {
    all,
    name: text("hoodie.table.name"),
    version,
    layout,
    type,
    recordKeyFields: list("hoodie.table.recordkey.fields"),
    partitionFields: list("hoodie.table.partition.fields").map((field) => field.replace(/:[A-Z]+$/, "")),
    orderingFields: ordering.length > 0 ? ordering : list("hoodie.table.precombine.field"),
    mergeMode: isMode(mode) ? mode : undefined,
    hiveStyle: flag("hoodie.datasource.write.hive_style_partitioning", false),
    urlEncoded: flag("hoodie.datasource.write.partitionpath.urlencode", false),
    dropsPartitionColumns: flag("hoodie.datasource.write.drop.partition.columns", false),
    hasMetaFields: flag("hoodie.populate.meta.fields", true),
    metadataPartitions: list("hoodie.table.metadata.partitions"),
    baseFormat: text("hoodie.table.base.file.format") || "PARQUET",
    ...foldersOf(all, layout),
  };
}

/**
 * The properties of a data table's metadata table. They are always the same, so opening the metadata table requires no request for them.
 * @param data properties of the data table; both have the same version and layout
 */
export function metadataProperties({ name, version, layout }: TableProperties): TableProperties {
  return {
    all: new Map(),
    name: `${name}_metadata`,
    version,
    layout,
    type: "MERGE_ON_READ",
    recordKeyFields: ["key"],
    partitionFields: [],
    orderingFields: [],
    mergeMode: "CUSTOM",
    hiveStyle: false,
    urlEncoded: false,
    dropsPartitionColumns: false,
    hasMetaFields: false,
    metadataPartitions: [],
    baseFormat: "HFILE",
    ...foldersOf(new Map(), layout),
  };
}

function isMode(text: string): text is MergeMode {
  return MODES.includes(text);
}

function layoutOf(text: string, version: number): 1 | 2 {
  const layout = text === "" ? (version >= 8 ? 2 : 1) : Number(text);
  if (layout !== 1 && layout !== 2) {
    const reason = `unsupported timeline layout ${JSON.stringify(text)} (expected 1 or 2)`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "hoodie.timeline.layout.version" });
  }
  return layout;
}

function foldersOf(all: ReadonlyMap<string, string>, layout: 1 | 2) {
  const folder = (key: string, standard: string): string => {
    const name = all.get(key) || standard;
    if (!/^[\w.-]+$/.test(name) || /^\.{1,2}$/.test(name)) {
      throw corrupt(`invalid folder ${JSON.stringify(name)}`, { field: key, actual: name });
    }
    return name;
  };
  if (layout === 1) {
    const archive = folder("hoodie.archivelog.folder", "archived");
    return { timelineFolder: ".hoodie", archiveFolder: `.hoodie/${archive}` };
  }
  const timeline = `.hoodie/${folder("hoodie.timeline.path", "timeline")}`;
  return {
    timelineFolder: timeline,
    archiveFolder: `${timeline}/${folder("hoodie.timeline.history.path", "history")}`,
  };
}
