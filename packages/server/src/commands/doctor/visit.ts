// Requests to the installation's own addresses: without redirects, with the time at which each part arrives.

import http from 'node:http'
import https from 'node:https'

export interface Visit {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Milliseconds from the request to the first bytes of the body, and to its end. */
  readonly firstMs: number
  readonly endMs: number
}

const largestBody = 100_000
export const visitTimeoutMs = 10_000

/** Requests an address. Throws with a short reason unless a complete answer arrives in time. */
export function visit(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Visit> {
  const { request } = url.startsWith('https:') ? https : http
  const start = performance.now()
  const elapsed = () => performance.now() - start
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, signal: AbortSignal.timeout(visitTimeoutMs) }
    const sent = request(url, options, (response) => {
      let firstMs: number | undefined
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        firstMs ??= elapsed()
        body += text
        if (body.length > largestBody) sent.destroy(new Error('the answer is too long'))
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, body, firstMs: firstMs ?? elapsed(), endMs: elapsed() })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Returns the code or message of a failed request. */
export function describeVisitError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${visitTimeoutMs / 1000} s`
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
