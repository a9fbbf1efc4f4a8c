// The same from CommonJS: Node can `require` ES modules that have no top-level await.
for (const name of process.argv.slice(2)) {
  console.log(name, Object.keys(require(name)).length);
}
