/** Loaded for scans that give the strings of a dictionary themselves. */
export { expandDictionaries } from "@cfile/encodings/batches";
