import { setTimeout as delay } from 'node:timers/promises'
import { ListFileError } from '../lists/entry.ts'

/** Address and HTTP validators of a file, sent with the next request to skip an unchanged file. */
export interface FileState {
  readonly url: string
  readonly etag: string | null
  readonly lastModified: string | null
}

export type Download =
  | { readonly status: 'unchanged' }
  | { readonly status: 'fetched'; readonly bytes: Uint8Array; readonly state: FileState }

/** Limits of one download: size after decompression, and total time. */
export interface DownloadLimits {
  readonly bytes: number
  readonly ms: number
}

export const defaultDownloadLimits: DownloadLimits = { bytes: 192 * 1024 * 1024, ms: 300_000 }

const maxRedirects = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Downloads a file unless it is unchanged since `lastState`. Throws ListFileError if the server does not return a
 * complete file within the limits.
 */
export async function download(
  url: string,
  lastState: FileState | undefined,
  limits: DownloadLimits,
): Promise<Download> {
  const signal = AbortSignal.timeout(limits.ms)
  try {
    return await Promise.race([readResponse(url, lastState, limits, signal), rejectAfter(limits.ms, signal)])
  } catch (error) {
    if (error instanceof ListFileError) throw error
    throw new ListFileError(`${hideQuery(url)} cannot be fetched (${describeFailure(error, signal)}).`)
  }
}

/** Rejects after the time limit, even while the server is still sending. */
async function rejectAfter(ms: number, signal: AbortSignal): Promise<never> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {})
  throw new Error('timeout')
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long'
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}

/** Removes query and fragment from an address, since they may contain secrets. */
export const hideQuery = (url: string): string => url.replace(/[?#].*$/, '')

async function readResponse(
  url: string,
  lastState: FileState | undefined,
  { bytes: maxBytes }: DownloadLimits,
  signal: AbortSignal,
): Promise<Download> {
  const response = await followRedirects(url, buildHeaders(lastState), signal)
  if (response.status === 304 && lastState) {
    await response.body?.cancel()
    return { status: 'unchanged' }
  }
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new ListFileError(`${hideQuery(url)} cannot be fetched (it answers ${response.status}).`)
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > maxBytes) throw new ListFileError(`${hideQuery(url)} is larger than ${maxBytes} bytes.`)
    parts.push(part)
  }
  const state = { url, etag: response.headers.get('etag'), lastModified: response.headers.get('last-modified') }
  return { status: 'fetched', bytes: Buffer.concat(parts), state }
}

function buildHeaders(lastState: FileState | undefined): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'Tern (sanctions screening)' }
  if (lastState?.etag) headers['if-none-match'] = lastState.etag
  else if (lastState?.lastModified) headers['if-modified-since'] = lastState.lastModified
  return headers
}

/** Follows redirects, but never from HTTPS to HTTP. */
async function followRedirects(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let currentUrl = new URL(url)
  for (let redirectCount = 0; redirectCount <= maxRedirects; redirectCount += 1) {
    const response = await fetch(currentUrl, { headers, redirect: 'manual', signal })
    const target = redirects.has(response.status) ? response.headers.get('location') : null
    if (target === null) return response
    await response.body?.cancel()
    const next = new URL(target, currentUrl)
    const isSafe = next.protocol === 'https:' || (next.protocol === 'http:' && currentUrl.protocol === 'http:')
    if (!isSafe)
      throw new ListFileError(`${hideQuery(url)} leads to ${next.protocol}//${next.host}, which is not safe.`)
    currentUrl = next
  }
  throw new ListFileError(`${hideQuery(url)} leads on too often.`)
}
