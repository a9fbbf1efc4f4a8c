import type { BlockOpener } from "../block-codec.js";
import { openDictionaryBlock } from "../dictionary/dictionary.js";

export const dictionaryOpener: BlockOpener = openDictionaryBlock;
