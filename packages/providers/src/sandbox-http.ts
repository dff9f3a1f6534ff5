import { randomUUID } from 'node:crypto'
import { deadlineExceeded, timeLeft } from './deadline.ts'
import { readObject, readText } from './json.ts'
import type { RefusedOutcome, UnknownOutcome } from './outcome.ts'

/** Address of Tern Sandbox, and the secret it shares with the product. */
export interface SandboxConnection {
  url: string
  secret: string
  timeoutMs?: number
}

/** The sandbox never forgets an idempotency key. */
export const neverExpires = Number.POSITIVE_INFINITY // not money: a time

/** `done`: carried out, `body` is its JSON. `refused`: understood and rejected. */
type SandboxAnswer = { status: 'done'; body: unknown } | (RefusedOutcome & { httpStatus: number }) | UnknownOutcome

/**
 * Returns whether a refusal leaves the outcome unknown: a conflict or a key reused for another request shows that
 * something exists.
 */
const leavesOutcomeUnknown = (httpStatus: number, code: string): boolean =>
  httpStatus === 409 || code === 'idempotency_key_reused'

/** Result of an unreadable response. */
const unreadable = (subject: string): UnknownOutcome => ({
  status: 'unknown',
  reason: `The sandbox's answer about ${subject} could not be read`,
})

/** Parses a reply; undefined if malformed. */
type ReplyParser<Result> = (body: unknown) => Result | undefined

/** File of a form, read only once everything before it has been sent. */
interface FormFile {
  readonly name: string
  readonly contentType: string
  read(): Promise<Uint8Array>
}

/** Streams a form (RFC 7578) part by part, so that only one file at a time is in memory. */
async function* streamForm(
  boundary: string,
  { fields, parts }: { fields: Readonly<Record<string, string>>; parts: readonly FormFile[] },
): AsyncGenerator<Uint8Array> {
  const head = (name: string, suffix = '') =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${suffix}\r\n\r\n`)
  for (const [name, value] of Object.entries(fields)) yield Buffer.concat([head(name), Buffer.from(`${value}\r\n`)])
  for (const { name, contentType, read } of parts) {
    yield head(name, `; filename="${name}"\r\nContent-Type: ${contentType}`)
    yield await read()
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

function createSender({ url, secret, timeoutMs = 5000 }: SandboxConnection) {
  function request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { body, idempotencyKey }: { body?: object | undefined; idempotencyKey?: string | undefined } = {},
  ): Promise<SandboxAnswer> {
    const headers: Record<string, string> = {}
    if (body) headers['content-type'] = 'application/json'
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    return send(method, path, { headers, body: body ? JSON.stringify(body) : null })
  }

  async function send(
    method: string,
    path: string,
    { headers, ...content }: Pick<RequestInit, 'body' | 'duplex'> & { headers: Record<string, string> },
  ): Promise<SandboxAnswer> {
    const remainingMs = timeLeft(timeoutMs)
    if (remainingMs <= 0) return deadlineExceeded
    // Reasons are logged, tokens of bank accounts are not.
    const subject = `${method} ${path.replace(/\/ba_[^/]+/, '/:account')}`
    let response: Response
    let text: string
    try {
      response = await fetch(new URL(path, url), {
        method,
        headers: { accept: 'application/json', authorization: `Bearer ${secret}`, ...headers },
        ...content,
        redirect: 'error',
        signal: AbortSignal.timeout(remainingMs),
      })
      text = await response.text()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { status: 'unknown', reason: `No answer from the sandbox to ${subject}: ${reason}` }
    }
    return readAnswer(response.status, text, subject)
  }
  return { request, send }
}

export function createSandboxHttp(connection: SandboxConnection) {
  const { request, send } = createSender(connection)
  return {
    /** Sends an order, which may be refused; `subject` names it in reasons. The idempotency key is sent in a header. */
    async order<Result>(
      path: string,
      { idempotencyKey, ...body }: { idempotencyKey?: string | undefined; [name: string]: unknown },
      subject: string,
      read: ReplyParser<Result>,
    ): Promise<Result | RefusedOutcome | UnknownOutcome> {
      const answer = await request('POST', path, { idempotencyKey, body })
      if (answer.status === 'done') return read(answer.body) ?? unreadable(subject)
      return answer.status === 'unknown' ? answer : { status: answer.status, reason: answer.reason }
    },

    /** Sends a query or a change and returns the resulting state; unknown if refused or without a readable reply. */
    async ask<Result>(
      [method, path, body]: readonly [method: 'GET' | 'POST' | 'PUT', path: string, body?: object | undefined],
      subject: string,
      read: ReplyParser<Result>,
    ): Promise<Result | UnknownOutcome> {
      const answer = await request(method, path, { body })
      if (answer.status === 'done') return read(answer.body) ?? unreadable(subject)
      return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
    },

    /** Sends a form with files, which are streamed; otherwise like `ask`. */
    async upload<Result>(
      path: string,
      form: { fields: Readonly<Record<string, string>>; parts: readonly FormFile[] },
      subject: string,
      read: ReplyParser<Result>,
    ): Promise<Result | UnknownOutcome> {
      const boundary = `tern-${randomUUID()}`
      const answer = await send('POST', path, {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: ReadableStream.from(streamForm(boundary, form)) as ReadableStream<Uint8Array<ArrayBuffer>>,
        duplex: 'half',
      })
      if (answer.status === 'done') return read(answer.body) ?? unreadable(subject)
      return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
    },

    /** Looks up an item that may not exist: `not_found` only if the sandbox itself says so. */
    async find<Result>(
      path: string,
      subject: string,
      read: ReplyParser<Result>,
    ): Promise<Result | { status: 'not_found' } | UnknownOutcome> {
      const answer = await request('GET', path)
      if (answer.status === 'done') return read(answer.body) ?? unreadable(subject)
      if (answer.status === 'refused' && answer.httpStatus === 404) return { status: 'not_found' }
      return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
    },

    /** Ends the item at `path`; true if it has ended, even before this call, or does not exist. */
    async end(path: string): Promise<boolean> {
      const answer = await request('POST', path)
      return answer.status === 'done' || (answer.status === 'refused' && answer.httpStatus === 404)
    },
  }
}

function readAnswer(httpStatus: number, text: string, subject: string): SandboxAnswer {
  if (httpStatus === 401 || httpStatus === 403) {
    const reason = 'The sandbox does not accept the shared secret (SANDBOX_SECRET), or not for this'
    return { status: 'unknown', reason, fault: 'configuration' }
  }
  const isRetryable = httpStatus === 408 || httpStatus === 429 || httpStatus >= 500
  if (isRetryable) return { status: 'unknown', reason: `The sandbox answered ${httpStatus} to ${subject}` }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return unreadable(subject)
  }
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'done', body }
  const error = readObject(body, 'error')
  const code = readText(error, 'code')
  if (httpStatus < 400 || code === undefined) return unreadable(subject)
  if (leavesOutcomeUnknown(httpStatus, code)) {
    return { status: 'unknown', reason: `The sandbox answered ${code} to ${subject}` }
  }
  return { status: 'refused', httpStatus, reason: readText(error, 'message') ?? code }
}
