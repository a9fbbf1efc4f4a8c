/** Folder of the built page, `index.html` and what it loads, for servers: relative paths throughout, so that it can stand anywhere. */
export declare const explorerFolder: URL;
