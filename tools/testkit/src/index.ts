export { countBlockingReads } from "./blocking-reads.js";
export { checked, expectSame } from "./cases.js";
export { expectRefusal, flipBit } from "./damage.js";
export { cut, type Damaged, flippedBit, insert, offsetIn, overwrite, remove } from "./damaged-bytes.js";
export { temporaryFolder } from "./folder.js";
export {
  clientRowFiles,
  listGolden,
  pathToFixture,
  pathToGolden,
  readGolden,
  readGoldenJson,
} from "./golden.js";
export { isAlive } from "./is-alive.js";
export { timesUntilBelow } from "./patience.js";
export { type Random, randomBytes, randomNumbers } from "./random.js";
export { collectRows } from "./rows.js";
export { type Archive, unpackTar } from "./tar.js";
export type { Misbehaviour } from "./web/misbehaviour.js";
export { parseRange } from "./web/range-header.js";
export { type FileServer, type ServedFile, serveFiles } from "./web/serve-files.js";
export { requireSignature } from "./web/signed-request.js";
export { type Answer, type Headers, ranges, type WebServer, webServer } from "./web/web-server.js";
