/** The code of all encodings. */
import { loadEncodings } from "../src/write.js";

export const { createBlockBuilder, openBlock } = await loadEncodings();
