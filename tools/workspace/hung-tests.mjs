/**
 * A reporter of vitest that ends a run in which nothing happens. A test that blocks its process, such as an endless loop, also
 * stops vitest's own time limits: `npm test` would wait forever, without the name of the test.
 */
import { spawnSync } from "node:child_process";

/** Longer than any test file takes, even on a slow machine. */
const LIMIT_MILLISECONDS = 15 * 60_000;

export class HungTests {
  /** @type {Map<string, string>} by path of the test file: the last test of it that started */
  running = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  timer;

  /** @param {number} [milliseconds] of silence that end a run */
  constructor(milliseconds = LIMIT_MILLISECONDS) {
    this.milliseconds = milliseconds;
  }

  onInit() {
    this.wait();
  }

  /** @param {import("vitest/node").TestModule} file */
  onTestModuleQueued({ moduleId }) {
    this.note(moduleId, "");
  }

  /** @param {import("vitest/node").TestCase} test */
  onTestCaseReady({ module, fullName }) {
    this.note(module.moduleId, fullName);
  }

  /** @param {import("vitest/node").TestModule} file */
  onTestModuleEnd({ moduleId }) {
    this.running.delete(moduleId);
    this.wait();
  }

  /**
   * @param {string} file
   * @param {string} test
   */
  note(file, test) {
    this.running.set(file, test);
    this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), this.milliseconds).unref();
  }

  end() {
    const processes = descendants(process.pid);
    console.error(`No test started or ended for ${this.milliseconds / 1000} seconds. Not ended:`);
    for (const [file, test] of this.running) {
      console.error(`  ${file}${test && `, at or after: ${test}`}`);
    }
    console.error(["Processes:", ...processes.map(({ line }) => line)].join("\n  "));
    spawnSync("kill", ["-KILL", ...processes.map(({ pid }) => String(pid))]);
    process.exit(1);
  }
}

/**
 * The processes that a process started, and those that they started.
 * @param {number} pid
 * @returns {{ pid: number, line: string }[]} none where there is no `ps`
 */
function descendants(pid) {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,ppid=,etime=,args="], { encoding: "utf8" });
  const all = (stdout ?? "").split("\n").map((line) => {
    const [own, parent] = line.trim().split(/\s+/, 2).map(Number);
    return { pid: own ?? 0, parent: parent ?? 0, line: line.trim() };
  });
  /** @param {number} of @returns {{ pid: number, line: string }[]} */
  const below = (of) =>
    all
      .filter(({ parent, line }) => parent === of && !line.includes("ps -eo pid="))
      .flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}
