/** @module @cfile/hfile/recover: read what is left of a damaged HFile. */
export { type LostRange, type RecoveredHFile, recoverHFile } from "./recover/recover-hfile.js";
