/**
 * The service worker: caches the page's own files and the samples, so that they work offline, and nothing else. It does not
 * take over open pages. The cache answers a request for a range with the whole file, and a file that is being read from the
 * network must not change its kind of answer. A newer version waits until all pages of the older one are closed, because it deletes
 * their files.
 */

interface WorkerEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(done: Promise<unknown>): void;
}

interface OfflineScope {
  addEventListener(type: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void): void;
  readonly registration: { readonly scope: string };
}

declare const self: OfflineScope;
/** Set by the build: all files of the page, samples included, and a version that changes with any of them. */
declare const PAGE_FILES: readonly string[];
declare const PAGE_VERSION: string;

const CACHE = `cfile-explorer-${PAGE_VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...PAGE_FILES])));
});

self.addEventListener("activate", (event) => {
  const old = caches
    .keys()
    .then((names) => names.filter((name) => name.startsWith("cfile-explorer-") && name !== CACHE))
    .then((names) => Promise.all(names.map((name) => caches.delete(name))));
  event.waitUntil(old);
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const page = new URL(self.registration.scope);
  const file = pathname.startsWith(page.pathname) ? pathname.slice(page.pathname.length) : undefined;
  const isPage = origin === page.origin && (file === "" || (file !== undefined && PAGE_FILES.includes(file)));
  if (request.method === "GET" && isPage) {
    event.respondWith(answer(request));
  }
});

async function answer(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE, ignoreSearch: true })) ?? fetch(request);
}

// A module, so that `self` has the type of a service worker's scope.
export {};
