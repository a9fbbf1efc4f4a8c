/** Kudu's servers and tools for the other tools of this repository. */
export { KUDU_VERSIONS, kuduBinaries, MissingError, requireJava } from "../artifacts.js";
export { kuduEnvironment } from "./kudu-process.js";
export { KuduServer } from "./kudu-server.js";
