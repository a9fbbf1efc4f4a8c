/** parquet-java reads arrays from golden CFiles of Kudu that cfile has converted. Their JSON has the values that Kudu read. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JavaDriver } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import type { CheckResult } from "../report.js";
import { answered, rowDifference } from "./compare-files.js";

const GOLDEN = fileURLToPath(new URL("../../../../fixtures/golden/", import.meta.url));

type Element = null | boolean | number | string | { readonly bits: string };

/** The values are missing in files that only have an index. */
interface GoldenArrays {
  readonly type: string;
  readonly values?: readonly (readonly Element[] | null)[];
}

/** @param folder gets the Parquet files */
export async function kuduArrays(folder: string, driver: JavaDriver): Promise<CheckResult> {
  const failures: string[] = [];
  let [cases, rows] = [0, 0];
  for (const file of (await readdir(GOLDEN)).filter((each) => /^array_.*\.cfile$/.test(each)).sort()) {
    const name = file.replace(".cfile", "");
    const { type, values } = JSON.parse(await readFile(join(GOLDEN, `${name}.json`), "utf8")) as GoldenArrays;
    if (values === undefined) {
      continue;
    }
    const path = join(folder, `${name}.parquet`);
    await cfileOutput(["convert", join(GOLDEN, file), path]);
    const wanted = values.map((row) =>
      row === null ? "~" : `[${row.map((each) => textOf(type, each)).join(",")}]`,
    );
    failures.push(...rowDifference(path, wanted, await answered(driver, path)));
    cases++;
    rows += values.length;
  }
  return {
    what: "parquet-java reads Kudu's arrays, converted from CFiles of Kudu 1.18: the values that Kudu read",
    cases,
    rows,
    failures,
  };
}

/** In the format of the driver, which reads unsigned integers as signed. */
function textOf(type: string, element: Element): string {
  if (element === null) {
    return "~";
  }
  if (typeof element === "object") {
    return element.bits;
  }
  switch (type) {
    case "BOOL":
      return element === true ? "1" : "0";
    case "STRING":
    case "BINARY":
    case "VARCHAR":
      return `x${element}`;
    case "UINT32":
      return String(Number(element) | 0);
    case "UINT64":
      return String(BigInt.asIntN(64, BigInt(element)));
    default:
      return String(element);
  }
}
