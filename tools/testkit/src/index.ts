export { checked, expectSame } from "./cases.js";
export { expectRefusal, flipBit } from "./damage.js";
export { temporaryFolder } from "./folder.js";
export {
  clientRowFiles,
  listGolden,
  pathToFixture,
  pathToGolden,
  readGolden,
  readGoldenJson,
} from "./golden.js";
export { type Random, randomBytes, randomNumbers } from "./random.js";
