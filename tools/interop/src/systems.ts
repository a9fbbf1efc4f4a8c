/** The systems by name, with what they need fetched and compiled. */
import { join } from "node:path";
import { type ArtifactSet, cacheFolder, classPath, kuduBinaries } from "./artifacts.js";
import { compiledDriver, type JavaProgram } from "./java-driver.js";
import { kuduRound } from "./kudu/kudu-round.js";
import type { CheckResult, SystemName } from "./report.js";

export interface OpenedSystem {
  readonly version: string;
  /** One round in a folder of its own. */
  round(seed: number, folder: string): Promise<CheckResult[]>;
}

/** @throws MissingError when something cannot be fetched */
export async function openSystem(name: SystemName, updateLock: boolean): Promise<OpenedSystem> {
  switch (name) {
    case "kudu": {
      const home = await kuduBinaries(updateLock);
      const driver = await program("kudu-client", "KuduDriver", updateLock);
      return { version: "1.18.1", round: (seed, folder) => kuduRound(seed, folder, { home, driver }) };
    }
    default:
      throw new Error(name);
  }
}

async function program(set: ArtifactSet, main: string, updateLock: boolean): Promise<JavaProgram> {
  return compiledDriver(join(cacheFolder(), "classes"), await classPath(set, updateLock), main);
}
