/** Runs `spark-submit` with our application on a Spark of two worker processes on this machine. */
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cacheFolder, classPath } from "../artifacts.js";
import { compiledDriver, OPENINGS } from "../java-driver.js";
import { runProcess, startProcess } from "../processes.js";

export const SPARK_VERSION = "4.0.1";
export const COMMAND = fileURLToPath(
  new URL("../../../../packages/cli/dist/bundle/cfile.js", import.meta.url),
);
export const WORKER: readonly string[] = [process.execPath, COMMAND];
const APPLICATION = fileURLToPath(new URL("../../../spark/java/", import.meta.url));
const MAIN = "CFileSpark";
const EXECUTOR = "CoarseGrainedExecutorBackend";
/** Maximum milliseconds per job. */
const TIMEOUT = 600_000;

export interface Spark {
  readonly classPath: string;
  /** The application. */
  readonly jar: string;
}

/** The checked part of the ledger. */
interface SplitResult {
  readonly id: string;
  readonly file?: string;
  readonly rows?: number;
  readonly rowsLost?: number;
  readonly recovered?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly attempts: number;
  readonly executor: string;
}

export interface Ledger {
  readonly splits: number;
  readonly failed: number;
  readonly rows: number;
  readonly rowsLost: number;
  readonly retries: number;
  readonly results: readonly SplitResult[];
}

export interface SubmittedJob {
  readonly splits: string;
  readonly output: string;
  readonly table: string;
  readonly options?: readonly string[];
  /** Words of the worker command. Default: the `cfile` command. */
  readonly worker?: readonly string[];
  /** Settings of Spark. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Number of splits after which to kill an executor. */
  readonly killAfter?: number;
}

export interface FinishedJob {
  readonly code: number | null;
  /** Lines of standard output. */
  readonly output: readonly string[];
  readonly killed: number;
  /** Path of standard error. */
  readonly log: string;
}

/** @throws MissingError when a file cannot be fetched */
export async function openSpark(updateLock: boolean): Promise<Spark> {
  const libraries = await classPath("spark", updateLock);
  const { classes } = await compiledDriver(join(cacheFolder(), "classes"), libraries, MAIN, APPLICATION);
  const jar = join(classes, "cfile-spark.jar");
  if (!existsSync(jar)) {
    await runProcess("jar", ["cf", jar, "-C", classes, "."]);
  }
  return { classPath: libraries, jar };
}

/** Settings shared by all applications in a folder: one catalog of tables, kept by Hive's libraries. */
export function catalogSettings(folder: string): Record<string, string> {
  return {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.local.dir": join(folder, "local"),
    "spark.sql.catalogImplementation": "hive",
    "spark.sql.warehouse.dir": join(folder, "warehouse"),
    "spark.sql.shuffle.partitions": "2",
    "spark.hadoop.javax.jdo.option.ConnectionURL": `jdbc:derby:;databaseName=${join(folder, "metastore")};create=true`,
    "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
    "spark.hadoop.hive.metastore.schema.verification": "false",
  };
}

/** A catalog of Iceberg, `ice`, in the same folder. */
export function icebergSettings(folder: string): Record<string, string> {
  return {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
    "spark.sql.catalog.ice.warehouse": join(folder, "iceberg"),
  };
}

/** The folder of a table of that catalog. */
export function icebergFolder(folder: string, table: string): string {
  return join(folder, "iceberg", ...table.split(".").slice(1));
}

/** Runs the application to its end on executors of 1 GiB, one core each. */
export async function submitJob(spark: Spark, folder: string, job: SubmittedJob): Promise<FinishedJob> {
  const home = join(folder, "home");
  if (!existsSync(home)) {
    await mkdir(home, { recursive: true });
    await symlink(dirname(spark.classPath), join(home, "jars"));
    await writeFile(join(home, "RELEASE"), "");
  }
  const settings: Record<string, string> = {
    ...catalogSettings(folder),
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    ...job.settings,
  };
  const log = join(folder, `${job.table}.log`);
  const child = startProcess(
    "java",
    [
      "-Xmx768m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      ...OPENINGS,
      `-Dderby.stream.error.file=${join(folder, "derby.log")}`,
      "-cp",
      spark.classPath,
      "org.apache.spark.deploy.SparkSubmit",
      ...["--master", "local-cluster[2,1,1024]", "--class", MAIN],
      ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
      spark.jar,
      ...["--splits", job.splits, "--output", job.output, "--table", job.table],
      ...["--worker", JSON.stringify(job.worker ?? WORKER)],
      ...(job.options ?? []),
    ],
    {
      cwd: home,
      env: { ...process.env, SPARK_HOME: home, SPARK_LOCAL_IP: "127.0.0.1", SPARK_SCALA_VERSION: "2.13" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT,
    },
  );
  child.stderr?.pipe(createWriteStream(log));
  let output = "";
  child.stdout?.on("data", (data: Buffer) => {
    output += data;
  });
  let code: number | null | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      code = status;
      resolve();
    });
  });
  let killed = 0;
  while (job.killAfter !== undefined && code === undefined && killed === 0) {
    await Promise.race([ended, sleep(20)]);
    if ((await placedFiles(job.output)).length >= job.killAfter) {
      const [first] = await executorsOf(child.pid ?? 0);
      if (first !== undefined) {
        process.kill(first, "SIGKILL");
        killed++;
      }
    }
  }
  await ended;
  return { code: code ?? null, output: output.split("\n").filter((line) => line !== ""), killed, log };
}

export async function placedFiles(output: string): Promise<string[]> {
  const names = existsSync(output) ? await readdir(output) : [];
  return names.filter((name) => name.endsWith(".parquet") && !name.startsWith(".")).sort();
}

/** The ledger of a result. */
export async function readLedger(output: string): Promise<Ledger> {
  return JSON.parse(await readFile(join(output, "_SUCCESS"), "utf8"));
}

/** Process IDs of only the executors that a driver started itself. */
async function executorsOf(driver: number): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (/^\d+$/.test(name)) {
      const [stat, command] = await Promise.all(
        ["stat", "cmdline"].map((file) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "")),
      );
      // The name of a process, in parentheses, may contain spaces.
      const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (parent === driver && command?.includes(EXECUTOR)) {
        found.push(Number(name));
      }
    }
  }
  return found;
}
