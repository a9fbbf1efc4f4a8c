/** Loaded only by scans that return strings instead of dictionary codes. */
export { expandDictionaries } from "@cfile/encodings/batches";
