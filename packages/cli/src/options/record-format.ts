/** The options for the form of records. */
import { RECORD_FORMATS, type RecordFormat } from "../records/record-writer.js";

export const RECORD_FLAGS = {
  format: {
    choices: RECORD_FORMATS,
    requiresArg: true,
    describe: "of the rows [default: table]",
  },
  json: { type: "boolean", describe: "a JSON array, errors too" },
  ndjson: { type: "boolean", describe: "one JSON object a line" },
} as const;

/** Of each other they are refused. */
export const RECORD_CONFLICTS: Readonly<Record<string, string[]>> = {
  format: ["json", "ndjson"],
  json: ["ndjson"],
};

export interface RecordFlags {
  readonly format?: RecordFormat | undefined;
  readonly json?: boolean | undefined;
  readonly ndjson?: boolean | undefined;
}

export function recordFormat({ format, json, ndjson }: RecordFlags): RecordFormat {
  return format ?? (json ? "json" : ndjson ? "ndjson" : "table");
}
