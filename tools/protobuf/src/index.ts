/** Generates code from the `.proto` files of packages, and tests that code. */
export { generateMessages } from "./generate-messages.js";
export { describeMessages } from "./round-trips.js";
