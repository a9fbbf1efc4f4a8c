/** @module @cfile/encodings/conditions: test the cells of a column. */
export { ConditionTest, type TestedCondition } from "./conditions/cell-test.js";
export {
  type ColumnCondition,
  type Condition,
  type ConditionColumn,
  type ConditionOp,
  type Conditions,
  checkConditions,
  conditionList,
  type NamedCondition,
  unknownColumn,
} from "./conditions/condition.js";
export { markedPositions, TableFilter } from "./conditions/table-filter.js";
