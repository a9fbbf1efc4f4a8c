export { checked, expectSame } from "./cases.js";
export { expectRefusal, flipBit } from "./damage.js";
export { temporaryFolder } from "./folder.js";
export { fixturePath, goldenBytes, goldenJson, goldenNames, goldenPath } from "./golden.js";
export { type Random, randomBytes, randomNumbers } from "./random.js";
