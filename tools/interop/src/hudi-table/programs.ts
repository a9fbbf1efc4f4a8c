/** What benchmarks use: Spark with Hudi. */
export { MissingError, requireJava } from "../artifacts.js";
export { JavaDriver } from "../java-driver.js";
export { hudiSpark } from "./hudi-spark.js";
