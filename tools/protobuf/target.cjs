// pbjs loads its targets with require, and this one is an ES module.
module.exports = (root, options, callback) =>
  import("./dist/message-code.js")
    .then(({ messageCode }) => messageCode(root, options.half))
    .then((code) => callback(null, code), callback);
