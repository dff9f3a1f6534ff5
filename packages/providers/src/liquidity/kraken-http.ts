import { createHash, createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { timeLeft } from '../deadline.ts'
import { readList, readObject, storable } from '../json.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { describeError } from '../rates/public-http.ts'

export interface KrakenSettings {
  readonly url: string
  readonly apiKey: string
  /** The private key in Base64. */
  readonly apiSecret: string
  readonly timeoutMs?: number
}

/** `failed`: Kraken answered with errors of its form, and did nothing. */
export type KrakenAnswer =
  | { readonly status: 'answered'; readonly result: object }
  | { readonly status: 'failed'; readonly errors: readonly string[] }
  | UnknownOutcome

const maxBytes = 8_000_000
const maxAttempts = 5
const pauseMs = 20

/**
 * Connection to the spot REST API of Kraken. Private calls are signed with a nonce that grows with the clock, and go one
 * by one, so that they arrive in its order.
 * https://docs.kraken.com/exchange/guides/rest/authentication
 */
export function createKrakenHttp({ url, apiKey, apiSecret, timeoutMs = 5000 }: KrakenSettings) {
  const key = Buffer.from(apiSecret, 'base64')
  let lastNonce = 0n
  let lastCall: Promise<unknown> = Promise.resolve()

  /** Returns microseconds since 1970, or one more than the last nonce. */
  function nextNonce(): bigint {
    const clockNonce = BigInt(Date.now()) * 1000n
    lastNonce = clockNonce > lastNonce ? clockNonce : lastNonce + 1n
    return lastNonce
  }

  function sign(path: string, fields: Readonly<Record<string, string>>): RequestInit {
    const nonce = nextNonce().toString()
    const body = new URLSearchParams({ nonce, ...fields }).toString()
    const hash = createHash('sha256')
      .update(nonce + body)
      .digest()
    const signature = createHmac('sha512', key).update(path).update(hash).digest('base64')
    const type = 'application/x-www-form-urlencoded'
    return {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'user-agent': 'tern', 'api-key': apiKey, 'api-sign': signature },
    }
  }

  async function request(path: string, init: RequestInit): Promise<KrakenAnswer> {
    const unknown = (reason: string): UnknownOutcome => ({ status: 'unknown', reason: `Kraken ${path}: ${reason}` })
    const waitMs = timeLeft(timeoutMs)
    if (waitMs <= 0) return unknown('the request has no time left')
    try {
      const response = await fetch(url + path, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(waitMs),
      })
      const text = await readText(response)
      if (text === undefined) return unknown(`is longer than ${maxBytes} bytes`)
      return response.status === 200
        ? (readAnswer(text) ?? unknown('is unreadable'))
        : unknown(`answered ${response.status}`)
    } catch (error) {
      return unknown(describeError(error))
    }
  }

  /** Repeats a call whose nonce came too late behind that of another process: Kraken has refused it unread. */
  async function requestSigned(path: string, fields: Readonly<Record<string, string>>): Promise<KrakenAnswer> {
    let answer = await request(path, sign(path, fields))
    for (let attempt = 1; attempt < maxAttempts && hasInvalidNonce(answer); attempt += 1) {
      await wait(pauseMs * attempt)
      answer = await request(path, sign(path, fields))
    }
    return answer
  }

  return {
    ask: (name: string): Promise<KrakenAnswer> => request(`/0/public/${name}`, { headers: { 'user-agent': 'tern' } }),
    call(name: string, fields: Readonly<Record<string, string>> = {}): Promise<KrakenAnswer> {
      const answer = lastCall.then(() => requestSigned(`/0/private/${name}`, fields))
      lastCall = answer
      return answer
    },
  }
}

export type KrakenHttp = ReturnType<typeof createKrakenHttp>

async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads `{"error": [], "result": {}}`. Warnings, which begin with W, are no errors. */
function readAnswer(text: string): KrakenAnswer | undefined {
  const body: unknown = JSON.parse(text)
  const errors = readList(body, 'error')
  if (!errors?.every((error) => typeof error === 'string')) return undefined
  const failures = errors.filter((error) => !error.startsWith('W'))
  if (failures.length > 0) return { status: 'failed', errors: failures.map(storable) }
  const result = readObject(body, 'result')
  return result && { status: 'answered', result }
}

const hasInvalidNonce = (answer: KrakenAnswer): boolean =>
  answer.status === 'failed' && answer.errors.includes('EAPI:Invalid nonce')

const keyErrors: ReadonlySet<string> = new Set(['EAPI:Invalid key', 'EAPI:Invalid signature'])

/** Returns the outcome of an answer without a usable result. */
export function toUnknown(answer: Exclude<KrakenAnswer, { status: 'answered' }>): UnknownOutcome {
  if (answer.status === 'unknown') return answer
  const { errors } = answer
  const reason = `Kraken answered ${errors.join(', ')}`
  const isOurs = errors.some((error) => keyErrors.has(error) || error.startsWith('EGeneral:Permission denied'))
  return { status: 'unknown', reason, ...(isOurs ? { fault: 'configuration' } : {}) }
}
