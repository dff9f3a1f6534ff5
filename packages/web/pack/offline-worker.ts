// Service worker of /verify. It answers only for that page and its files: other pages and the API never pass through
// its cache. Each build has a worker with a cache of its own, so a copy never mixes two builds.

import { createHash } from 'node:crypto'
import { copyPrefix } from '@tern/contract/site/offline-copy'

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface WorkerFetch extends WorkerEvent {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}

interface WorkerScope {
  readonly location: Location
  readonly caches: CacheStorage
  readonly clients: { claim(): Promise<void> }
  readonly registration: ServiceWorkerRegistration
  skipWaiting(): Promise<void>
  addEventListener(type: 'activate' | 'install', listener: (event: WorkerEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: WorkerFetch) => void): void
}

interface Copy {
  readonly prefix: string
  /** Name of this build's cache. */
  readonly name: string
  readonly page: string
  readonly files: readonly string[]
}

/** Serialized, so it must not use names from outside. */
function keepCopy(scope: WorkerScope, { prefix, name, page, files }: Copy): void {
  async function store(): Promise<void> {
    const answer = await fetch(page, { cache: 'no-cache' })
    const html = await answer.clone().text()
    const named = html.match(/\/assets\/[\w.-]+/g) ?? []
    // During a deploy, or after a change of language, the page may be from another build.
    if (!answer.ok || named.length === 0 || named.some((file) => !files.includes(file)))
      throw new Error('the page is from another build')
    const cache = await scope.caches.open(name)
    await cache.addAll([...files])
    await cache.put(page, answer)
  }

  async function removeOthers(): Promise<void> {
    const names = await scope.caches.keys()
    const others = names.filter((each) => each.startsWith(prefix) && each !== name)
    await Promise.all(others.map((each) => scope.caches.delete(each)))
    await scope.clients.claim()
  }

  async function recall(path: string): Promise<Response | undefined> {
    const cache = await scope.caches.open(name)
    return cache.match(path, { ignoreVary: true })
  }

  /** The server's page; the copy only if no server can be reached. */
  async function openPage(request: Request): Promise<Response> {
    try {
      return await fetch(request)
    } catch {
      return (await recall(page)) ?? Response.error()
    }
  }

  scope.addEventListener('install', (event) => event.waitUntil(store()))
  scope.addEventListener('activate', (event) => event.waitUntil(removeOthers()))
  scope.addEventListener('fetch', (event) => {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== scope.location.origin) return
    if (request.mode === 'navigate' && pathname === page) event.respondWith(openPage(request))
    // The name of a file changes with its content, so a copy is never outdated.
    else if (files.includes(pathname)) event.respondWith(recall(pathname).then((stored) => stored ?? fetch(request)))
  })
}

/** Serialized, so it must not use names from outside. */
function removeCopies(scope: WorkerScope, prefix: string): void {
  async function remove(): Promise<void> {
    const names = await scope.caches.keys()
    await Promise.all(names.filter((each) => each.startsWith(prefix)).map((each) => scope.caches.delete(each)))
    await scope.registration.unregister()
  }
  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
  scope.addEventListener('activate', (event) => event.waitUntil(remove()))
}

interface CopiedPage {
  readonly page: string
  readonly html: string
  /** Content security policy, which the copy keeps. */
  readonly policy: string
  readonly files: readonly string[]
}

/** Script of the worker that keeps a copy of the page and its files. */
export function buildOfflineWorker({ page, html, policy, files }: CopiedPage): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([html, policy, files]))
    .digest('hex')
  const copy: Copy = { prefix: copyPrefix, name: copyPrefix + hash.slice(0, 16), page, files }
  return `(${keepCopy.toString()})(self, ${JSON.stringify(copy)})\n`
}

/** Script of the worker that deletes every copy, and itself. */
export const buildRemovalWorker = (): string => `(${removeCopies.toString()})(self, ${JSON.stringify(copyPrefix)})\n`
