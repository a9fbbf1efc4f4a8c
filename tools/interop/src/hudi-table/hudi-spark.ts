/** Spark 3.5 with a release of Hudi, controlled by lines of text. */
import { join } from "node:path";
import { cacheFolder, classPath } from "../artifacts.js";
import { compiledDriver, type JavaProgram } from "../java-driver.js";

export type HudiRelease = "1.2.0" | "0.15.0";

/** The driver, compiled for a release. @throws MissingError when a file cannot be fetched */
export async function hudiSpark(release: HudiRelease, updateLock = false): Promise<JavaProgram> {
  const hudi = await classPath(`hudi-spark-${release}`, updateLock);
  const libraries = `${hudi}:${await classPath("spark-3.5", updateLock)}`;
  return { ...(await compiledDriver(join(cacheFolder(), "classes"), libraries, "HudiTables")), heap: "2g" };
}
