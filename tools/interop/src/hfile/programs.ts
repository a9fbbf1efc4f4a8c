/** HBase for the other tools of this repository. */
export { MissingError } from "../artifacts.js";
export { JavaDriver } from "../java-driver.js";
export { hbaseSnapshots } from "../systems.js";
