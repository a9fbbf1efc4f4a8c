/** Makes code of the packages' `.proto` files, and tests of it. */
export { generateMessages } from "./generate-messages.js";
export { describeMessages } from "./round-trips.js";
