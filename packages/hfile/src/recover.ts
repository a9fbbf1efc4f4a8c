/** @module @cfile/hfile/recover: read what is left of a damaged HFile. */
export { HFileSalvage, type LostRange } from "./recover/salvage.js";
