/**
 * Starts a process that would keep running, writes into a folder, prints the process ID, and waits to be
 * stopped. Arguments: folder, how to stop.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { removedAtEnd, startProcess } from "../dist/processes.js";

const [folder = "", how] = process.argv.slice(2);
removedAtEnd(folder);
writeFileSync(join(folder, "file"), "left");
const { pid } = startProcess("sleep", ["600"], { stdio: "ignore" });
process.once("SIGUSR2", () => {
  if (how === "rejection") {
    void Promise.reject(new RangeError("on purpose"));
  } else {
    throw new RangeError("on purpose");
  }
});
console.log(pid);
setInterval(() => undefined, 1000);
