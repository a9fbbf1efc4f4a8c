export { checked } from "./cases.js";
