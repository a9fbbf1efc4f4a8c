/** Folder of the built page, for web servers. All paths in it are relative. */
export declare const explorerFolder: URL;
