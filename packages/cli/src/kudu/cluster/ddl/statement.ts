/** Statements that create a table. */
import type { DescribedTable } from "../describe-text.js";
import { impalaStatement } from "./impala.js";
import { kuduRequest } from "./kudu-request.js";
import { icebergStatement, sparkStatement } from "./spark.js";

const STATEMENTS = {
  kudu: kuduRequest,
  impala: impalaStatement,
  spark: sparkStatement,
  iceberg: icebergStatement,
};

export const DDL_TARGETS = ["kudu", "impala", "spark", "iceberg"] as const;

export type DdlTarget = (typeof DDL_TARGETS)[number];

/** @throws {CFileError} `E_UNSUPPORTED` for what the target cannot express; `E_CORRUPT` for invalid partition keys */
export function tableStatement(table: DescribedTable, target: DdlTarget): string {
  return STATEMENTS[target](table);
}
