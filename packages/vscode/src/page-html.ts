/** The page of a web view. */

export interface PageAddresses {
  readonly script: string;
  readonly worker: string;
  readonly style: string;
  /** Source of the page's own files, for the content security policy. */
  readonly source: string;
}

export function pageHtml({ script, worker, style, source }: PageAddresses): string {
  const policy = [
    "default-src 'none'",
    `script-src ${source} blob: 'wasm-unsafe-eval'`,
    "worker-src blob:",
    `style-src ${source}`,
    // The page fetches the script of its worker.
    `connect-src ${source}`,
    `img-src ${source}`,
  ].join("; ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="cfile-worker" content="${worker}" />
    <title>cfile explorer</title>
    <link rel="stylesheet" href="${style}" />
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`;
}
