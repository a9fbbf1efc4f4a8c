/** The systems by name, with what they fetch and compile. */
import { join } from "node:path";
import {
  type ArtifactSet,
  cacheFolder,
  classPath,
  KUDU_VERSIONS,
  type KuduVersion,
  kuduBinaries,
  requireJava,
} from "./artifacts.js";
import type { HudiRelease } from "./hudi-table/hudi-spark.js";
import { compiledDriver, JavaDriver, type JavaProgram, SOURCES } from "./java-driver.js";
import type { KuduPrograms } from "./kudu/session.js";
import type { CheckResult, SystemName } from "./report.js";

export interface OpenedSystem {
  readonly version: string;
  /** One round in its own folder. */
  round(seed: number, folder: string): Promise<CheckResult[]>;
}

export interface SystemOptions {
  readonly updateLock: boolean;
  /** The only version of clusters; default: another one in each round. */
  readonly kudu: KuduVersion | undefined;
}

/** @throws MissingError when something cannot be fetched */
export async function openSystem(
  name: SystemName,
  { updateLock, kudu }: SystemOptions,
): Promise<OpenedSystem> {
  switch (name) {
    case "kudu": {
      const { kuduRound } = await import("./kudu/kudu-round.js");
      const programs = await kuduPrograms(updateLock);
      return { version: "1.18.1", round: (seed, folder) => kuduRound(seed, folder, programs) };
    }
    case "cluster":
      return openClusters(updateLock, kudu === undefined ? KUDU_VERSIONS : [kudu]);
    case "restore": {
      const { restoredFixture } = await import("./cluster/restored-fixture.js");
      const { home: toolHome, driver } = await kuduPrograms(updateLock);
      return {
        version: "1.18.1",
        round: (seed, folder) => restoredFixture(seed, folder, { toolHome, driver }),
      };
    }
    case "hbase": {
      const { hbaseRound } = await import("./hfile/hbase-round.js");
      return driven("2.6.1", await program("hbase", "HBaseDriver", updateLock), hbaseRound);
    }
    case "hbase-table": {
      const { hbaseTableRound } = await import("./hbase-table/hbase-table-round.js");
      const cluster = await program("hbase-cluster", "HBaseCluster", updateLock);
      return driven("2.6.1", { ...cluster, heap: "1g" }, hbaseTableRound);
    }
    case "hudi": {
      const { hudiRound } = await import("./hfile/hudi-round.js");
      return driven("1.2.0", await program("hbase", "HudiDriver", updateLock), hudiRound);
    }
    case "hudi-table":
      return openHudiTables(updateLock);
    case "parquet": {
      const { parquetRound } = await import("./parquet/parquet-round.js");
      return driven(
        "parquet-java 1.17.1, Spark 4.0.1, DuckDB 1.5.6",
        await program("parquet", "ParquetDriver", updateLock),
        parquetRound,
      );
    }
    case "spark": {
      const { openSpark, SPARK_VERSION } = await import("./spark/spark-cluster.js");
      const { sparkRound } = await import("./spark/spark-round.js");
      const spark = await openSpark(updateLock);
      const sql = await program("spark", "SparkSql", false);
      return { version: SPARK_VERSION, round: (seed, folder) => sparkRound(seed, folder, { spark, sql }) };
    }
    case "iceberg": {
      const { icebergRound } = await import("./iceberg/iceberg-round.js");
      const sql = await program("iceberg", "SparkSql", updateLock);
      const kudu = await kuduPrograms(false);
      return {
        version: "Iceberg 1.10.0, Spark 4.0.1",
        round: (seed, folder) => icebergRound(seed, folder, { sql, kudu }),
      };
    }
  }
}

export async function kuduPrograms(updateLock: boolean): Promise<KuduPrograms> {
  const home = await kuduBinaries(updateLock);
  return { home, driver: await program("kudu-client", "KuduDriver", updateLock) };
}

/** HBase as a peer in benchmarks: it makes and scans snapshots. @throws MissingError without Java or the libraries */
export async function hbaseSnapshots(): Promise<JavaProgram> {
  await requireJava();
  const snapshots = await program("hbase-cluster", "HBaseSnapshots", false);
  return { ...snapshots, heap: "2g", tuning: [] };
}

/** Clusters: the version of a round follows from its seed; the newest first. */
async function openClusters(updateLock: boolean, versions: readonly KuduVersion[]): Promise<OpenedSystem> {
  const { clusterRound } = await import("./cluster/cluster-round.js");
  const { home: toolHome, driver } = await kuduPrograms(updateLock);
  const homes = new Map<KuduVersion, string>();
  for (const version of versions) {
    homes.set(version, await kuduBinaries(updateLock, version));
  }
  return {
    version: versions.join(", "),
    round: (seed, folder) => {
      const version = versions.at(-1 - ((seed - 1) % versions.length)) ?? "1.18.1";
      return clusterRound(seed, folder, { version, home: homes.get(version) ?? toolHome, toolHome, driver });
    },
  };
}

/** Spark with Hudi: a driver for each version of Hudi, which all rounds share, because starting it takes longer than a step. */
async function openHudiTables(updateLock: boolean): Promise<OpenedSystem> {
  const { hudiTableRound } = await import("./hudi-table/hudi-table-round.js");
  const { hudiSpark } = await import("./hudi-table/hudi-spark.js");
  const open = async (release: HudiRelease): Promise<() => JavaDriver> => {
    const program = await hudiSpark(release, updateLock);
    let driver: JavaDriver | undefined;
    return () => {
      driver = driver === undefined || driver.isEnded ? new JavaDriver(program) : driver;
      return driver;
    };
  };
  const [newer, older] = [await open("1.2.0"), await open("0.15.0")];
  return {
    version: "1.2.0, 0.15.0",
    round: (seed, folder) => hudiTableRound(seed, folder, (version) => (version === 6 ? older() : newer())),
  };
}

/** A system that is a library: one driver per round. */
function driven(
  version: string,
  javaProgram: JavaProgram,
  round: (seed: number, folder: string, driver: JavaDriver) => Promise<CheckResult[]>,
): OpenedSystem {
  return {
    version,
    round: async (seed, folder) => {
      const driver = new JavaDriver(javaProgram);
      try {
        return await round(seed, folder, driver);
      } finally {
        await driver.stop();
      }
    },
  };
}

async function program(set: ArtifactSet, main: string, updateLock: boolean): Promise<JavaProgram> {
  const libraries = await classPath(set, updateLock);
  const configured = set.startsWith("hbase") ? `${SOURCES}:${libraries}` : libraries;
  return compiledDriver(join(cacheFolder(), "classes"), configured, main);
}
