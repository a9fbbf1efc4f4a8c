/** Kudu's servers and tools for the other tools of this repository. */
import { join } from "node:path";
import { cacheFolder, classPath } from "../artifacts.js";
import { compiledDriver, OPENINGS } from "../java-driver.js";

export { KUDU_VERSIONS, kuduBinaries, MissingError, requireJava } from "../artifacts.js";
export { kuduEnvironment } from "./kudu-process.js";
export { KuduServer } from "./kudu-server.js";

/**
 * Words of the command that exports a table of a running Kudu by Spark; see `KuduSparkExport.java` for its
 * arguments.
 *
 * @throws MissingError when Spark cannot be fetched
 */
export async function kuduSparkCommand(): Promise<readonly string[]> {
  const libraries = await classPath("kudu-spark");
  const { classes, main } = await compiledDriver(
    join(cacheFolder(), "classes"),
    libraries,
    "KuduSparkExport",
  );
  return ["java", ...OPENINGS, "-cp", `${classes}:${libraries}`, main];
}
