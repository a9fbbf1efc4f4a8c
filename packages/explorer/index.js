/** Folder of the built page, `index.html` and what it loads, for servers: relative paths throughout, so that it can stand anywhere. */
export const explorerFolder = new URL("./dist/", import.meta.url);
