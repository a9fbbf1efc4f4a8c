/** Folder of the built page, for web servers. All paths in it are relative. */
export const explorerFolder = new URL("./dist/", import.meta.url);
