/**
 * The systems under test, from Maven Central. `artifacts/*.xml` pins versions, and `artifacts.lock.json` the
 * SHA-256 of every file. Files are cached in `CFILE_INTEROP_CACHE`, by default `~/.cache/cfile-interop`.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ProcessError, removedAtEnd, runProcess } from "./processes.js";

/** SHA-256 of each file, by artifact set. */
type LockFile = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type ArtifactSet =
  | "kudu-client"
  | "kudu-spark"
  | KuduBinarySet
  | "hbase"
  | "hbase-cluster"
  | "hudi-spark-0.15.0"
  | "hudi-spark-1.2.0"
  | "parquet"
  | "spark"
  | "spark-3.5"
  | "iceberg";
type KuduBinarySet = "kudu-binary" | `kudu-binary-${Exclude<KuduVersion, "1.18.1">}`;

/** Tested versions of Kudu whose programs are on Maven Central. */
export const KUDU_VERSIONS = ["1.9.0", "1.10.0", "1.12.0", "1.15.0", "1.17.0", "1.18.1"] as const;
export type KuduVersion = (typeof KUDU_VERSIONS)[number];

const PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
/** Maximum milliseconds for Maven to fetch a set. */
const FETCH_TIMEOUT = 300_000;
const LOCK = fileURLToPath(new URL("../artifacts.lock.json", import.meta.url));
const POMS = fileURLToPath(new URL("../artifacts/", import.meta.url));

/** A requirement of the run is missing; this is not a failed test. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

export function cacheFolder(): string {
  return process.env["CFILE_INTEROP_CACHE"] ?? join(homedir(), ".cache", "cfile-interop");
}

/** @throws MissingError naming what is missing and how to get it */
export async function requireJava(): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new MissingError("Kudu's binaries require Linux on x86-64");
  }
  for (const [command, packageName] of [
    ["javac", "default-jdk-headless"],
    ["mvn", "maven"],
    ["unzip", "unzip"],
  ] as const) {
    try {
      await runProcess(command, [command === "unzip" ? "-v" : "-version"]);
    } catch {
      throw new MissingError(`${command} is missing: apt-get install ${packageName}`);
    }
  }
}

/**
 * The folder with the files of a set. Missing files are fetched, and each file is compared with the lock
 * file.
 * @param update writes the fetched files to the lock file instead
 * @throws MissingError when they cannot be fetched; ProcessError when a file differs from the lock file
 */
async function artifactFolder(set: ArtifactSet, update = false): Promise<string> {
  const cache = cacheFolder();
  const pom = await readFile(join(POMS, `${set}.xml`));
  const folder = join(cache, `${set}-${sha256(pom).slice(0, 12)}`);
  if (!existsSync(folder)) {
    const fetched = `${folder}.${process.pid}`;
    const leave = removedAtEnd(fetched);
    await mkdir(fetched, { recursive: true });
    try {
      await writeFile(join(fetched, "pom.xml"), pom);
      await runProcess(
        "mvn",
        [
          "-q",
          "-B",
          "-f",
          join(fetched, "pom.xml"),
          PLUGIN,
          "-DincludeScope=runtime",
          `-DoutputDirectory=${fetched}`,
        ],
        { timeout: FETCH_TIMEOUT },
      );
      await rm(join(fetched, "pom.xml"));
      await rename(fetched, folder);
      leave();
    } catch (error) {
      await rm(fetched, { recursive: true, force: true });
      const [line] = String(error instanceof Error ? error.message : error)
        .split("\n")
        .slice(-1);
      leave();
      throw new MissingError(`Maven cannot fetch ${set}: is repo.maven.apache.org reachable? ${line}`);
    }
  }
  await compareWithLock(set, folder, update);
  return folder;
}

/** All JAR files of a set as a class path. */
export async function classPath(set: ArtifactSet, update = false): Promise<string> {
  return join(await artifactFolder(set, update), "*");
}

/**
 * Kudu's programs, unpacked.
 *
 * @throws MissingError when they cannot be fetched or need a library that the system lacks
 */
export async function kuduBinaries(update = false, version: KuduVersion = "1.18.1"): Promise<string> {
  const set: KuduBinarySet = version === "1.18.1" ? "kudu-binary" : `kudu-binary-${version}`;
  const folder = await artifactFolder(set, update);
  const unpacked = `${folder}-unpacked`;
  if (!existsSync(unpacked)) {
    const [jar] = (await readdir(folder)).filter((name) => name.endsWith(".jar"));
    const half = `${unpacked}.${process.pid}`;
    await runProcess("unzip", ["-q", "-o", join(folder, jar ?? ""), "-d", half]);
    await rename(half, unpacked);
  }
  const [inner] = (await readdir(unpacked)).filter((name) => name.startsWith("kudu-binary"));
  const home = join(unpacked, inner ?? "");
  for (const program of await readdir(join(home, "bin"))) {
    await chmod(join(home, "bin", program), 0o755);
  }
  const libraries = await runProcess("ldd", [join(home, "bin", "kudu-tserver")], {
    env: { ...process.env, LD_LIBRARY_PATH: join(home, "lib") },
  });
  const [, missing] = /^\s*(\S+) => not found/m.exec(libraries) ?? [];
  if (missing !== undefined) {
    const remedy = missing === "libtinfo.so.5" ? ": apt-get install libtinfo5" : "";
    throw new MissingError(`Kudu ${version} needs ${missing}${remedy}`);
  }
  return home;
}

async function compareWithLock(set: ArtifactSet, folder: string, update: boolean): Promise<void> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    found[name] = sha256(await readFile(join(folder, name)));
  }
  const lock: LockFile = existsSync(LOCK) ? JSON.parse(await readFile(LOCK, "utf8")) : {};
  if (update) {
    await writeFile(LOCK, `${JSON.stringify({ ...lock, [set]: found }, undefined, 2)}\n`);
    return;
  }
  const expected = lock[set] ?? {};
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const wrong = [...names].filter((name) => expected[name] !== found[name]);
  if (wrong.length > 0) {
    throw new ProcessError(`${folder}: differs from artifacts.lock.json: ${wrong.join(", ")}`);
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
