/** The code of all encodings. */
import { loadEncodings } from "../src/index.js";

export const { createBlockBuilder, openBlock } = await loadEncodings();
