// Imports every package given and prints how many names each exports.
for (const name of process.argv.slice(2)) {
  console.log(name, Object.keys(await import(name)).length);
}
