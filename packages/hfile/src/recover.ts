/** @module @cfile/hfile/recover: recover the cells of a damaged HFile. */
export { type LostRange, type RecoveredHFile, recoverHFile } from "./recover/recover-hfile.js";
