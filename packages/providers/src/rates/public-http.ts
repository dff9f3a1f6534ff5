import type { UnknownOutcome } from '../outcome.ts'

export interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Reads a public document; `unknown` without a complete response of status 200 in time. Redirects are not followed. */
export async function readPublic(
  url: string,
  limits: Limits,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: 'known'; text: string } | UnknownOutcome> {
  const unknown = (reason: string): UnknownOutcome => ({ status: 'unknown', reason: `${url}: ${reason}` })
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(limits.timeoutMs) })
    if (response.status !== 200) {
      await response.body?.cancel()
      return unknown(`answered ${response.status}`)
    }
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      // Leaving the loop cancels the rest.
      if (bytes > limits.maxBytes) return unknown(`is longer than ${limits.maxBytes} bytes`)
      chunks.push(chunk)
    }
    return { status: 'known', text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) }
  } catch (error) {
    return unknown(describeError(error))
  }
}

/** Returns the message of an error with that of its cause, which has the details for `fetch`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
