/** @module @cfile/encodings/conditions: test the cells of a column. */
export { type CellCondition, type ConditionOp, ConditionTest } from "./conditions/cell-test.js";
