/** @module @cfile/encodings/conditions: test the cells of a column. */
export { ConditionTest, type TestedCondition } from "./conditions/cell-test.js";
export type {
  ColumnCondition,
  Condition,
  ConditionColumn,
  ConditionOp,
  Conditions,
  NamedCondition,
} from "./conditions/condition.js";
export { checkConditions, conditionList, unknownColumn } from "./conditions/condition.js";
export { markedPositions, TableFilter } from "./conditions/table-filter.js";
