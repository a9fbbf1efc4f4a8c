/** @module @cfile/encodings/conditions: test the cells of a column. */
export { findDescent } from "./conditions/ascending.js";
export { type CellCondition, type ConditionOp, ConditionTest } from "./conditions/cell-test.js";
export { type SortedVector, sortedVector } from "./conditions/sorted-vector.js";
