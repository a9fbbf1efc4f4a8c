/** @module @cfile/cell-text: cells of columns as text and back: dates, times, decimals, exact floats, JSON and plain forms. */
export { dateText, parseDate, parseTimestamp, timestampText } from "./calendar.js";
export { type CellFormat, type CellParser, cellParser, type ParsedCell } from "./cell-parser.js";
export { type CellTextOptions, isDecimal, isFloat, isText, jsonCells, plainCells } from "./cell-text.js";
export { decimalText, doubleText, floatText, parseDecimal } from "./numbers.js";
export { clipped, csvField, printable } from "./text-output.js";
