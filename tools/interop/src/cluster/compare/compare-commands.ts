/** `cfile kudu describe`, `ls`, `ksck` and `scan` of a killed cluster, compared with the earlier output of Kudu's tool and client. */
import { cfileAnswer } from "../../kudu/cfile-command.js";
import type { CheckResult } from "../../report.js";
import type { ClusterTruth } from "../cluster-truth.js";

interface PartitionsJson {
  readonly tablets: readonly { readonly tablet: string; readonly partition_info: string }[];
}

interface ListJson {
  readonly tables: readonly {
    readonly tablet_with_partition?: readonly {
      readonly tablet_id: string;
      readonly partition_info: string;
    }[];
  }[];
}

/** Exit code of a check that found problems. */
const FOUND = 3;

export async function compareCommands(truth: ClusterTruth, roots: readonly string[]): Promise<CheckResult> {
  const failures: string[] = [];
  let cases = 0;
  const expect = (what: string, expected: unknown, found: unknown): void => {
    cases++;
    if (expected !== found) {
      failures.push(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
    }
  };
  for (const [table, described] of Object.entries(truth.described)) {
    const { output } = await cfileAnswer(["kudu", "describe", ...roots, "--table", table]);
    expect(`describe ${table}`, described.trimEnd(), output.trimEnd());
  }
  const listed: PartitionsJson = JSON.parse((await cfileAnswer(["kudu", "ls", ...roots, "--json"])).output);
  const partitions = new Map(listed.tablets.map(({ tablet, partition_info }) => [tablet, partition_info]));
  const facts: ListJson = JSON.parse(truth.listed);
  for (const { tablet_id, partition_info } of facts.tables.flatMap(
    (one) => one.tablet_with_partition ?? [],
  )) {
    // Masters of older versions leave it empty.
    if (partition_info !== "") {
      expect(`ls, tablet ${tablet_id}`, partition_info, partitions.get(tablet_id));
    }
  }
  const { code, output: report } = await cfileAnswer(["kudu", "ksck", ...roots, "--json"]);
  expect("ksck, exit code", JSON.parse(report).ok ? 0 : FOUND, code);
  for (const { name, allowed } of truth.tables) {
    const certain = Object.values(allowed).every((rows) => rows.length === 1);
    const scanned = await cfileAnswer(["kudu", "scan", ...roots, "--table", name, "--format", "ndjson"]);
    if (certain) {
      const rows = Object.values(allowed).filter(([row]) => row !== null).length;
      expect(`scan ${name}, rows`, rows, scanned.output.split("\n").length - 1);
    }
  }
  return {
    what: "`cfile kudu describe`, `ls`, `ksck` and `scan` agree with Kudu's tool and client",
    cases,
    rows: 0,
    failures,
  };
}
