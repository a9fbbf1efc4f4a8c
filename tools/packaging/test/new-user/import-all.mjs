// Imports each of the given packages and prints its number of exports.
for (const name of process.argv.slice(2)) {
  console.log(name, Object.keys(await import(name)).length);
}
