/** Spark with Hudi, for benchmarks. */
export { MissingError, requireJava } from "../artifacts.js";
export { JavaDriver } from "../java-driver.js";
export { hudiSpark } from "./hudi-spark.js";
