import { readObject, readText } from './json.ts'

/** Where Tern Sandbox is and the secret it shares with the product. */
export interface SandboxConnection {
  url: string
  secret: string
  timeoutMs?: number
}

/**
 * `done`: carried out, `body` is its JSON. `refused`: understood and turned down, repeating it is pointless.
 * `unknown`: no answer, a fault, or an answer nobody can read; it may have been carried out.
 */
export type SandboxAnswer =
  | { status: 'done'; body: unknown }
  | { status: 'refused'; httpStatus: number; code: string; message: string }
  | { status: 'unknown'; reason: string }

/** Turned down because of how things stand now: under a key that was used for something else, something does exist. */
const saysNothingAboutWhatIs = (httpStatus: number, code: string): boolean =>
  httpStatus === 409 || code === 'idempotency_key_reused'

export interface SandboxHttp {
  request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    options?: { body?: object; idempotencyKey?: string | undefined },
  ): Promise<SandboxAnswer>
}

/** The answer of anybody who answered, but not so that it can be relied on. */
export const unreadable = (what: string): { status: 'unknown'; reason: string } => ({
  status: 'unknown',
  reason: `The sandbox's answer about ${what} could not be read`,
})

/** Calls the sandbox's API. Throws only when the shared secret itself is wrong, which no repetition would mend. */
export function createSandboxHttp({ url, secret, timeoutMs = 5000 }: SandboxConnection): SandboxHttp {
  return {
    async request(method, path, { body, idempotencyKey } = {}) {
      const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${secret}` }
      if (body) headers['content-type'] = 'application/json'
      if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
      let response: Response
      let text: string
      try {
        response = await fetch(new URL(path, url), {
          method,
          headers,
          body: body ? JSON.stringify(body) : null,
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        })
        text = await response.text()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return { status: 'unknown', reason: `No answer from the sandbox to ${method} ${path}: ${reason}` }
      }
      return readAnswer(response.status, text, `${method} ${path}`)
    },
  }
}

function readAnswer(httpStatus: number, text: string, what: string): SandboxAnswer {
  if (httpStatus === 401) throw new Error('The sandbox does not accept the shared secret (SANDBOX_SECRET)')
  const worthRepeating = httpStatus === 408 || httpStatus === 429 || httpStatus >= 500
  if (worthRepeating) return { status: 'unknown', reason: `The sandbox answered ${httpStatus} to ${what}` }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return unreadable(what)
  }
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'done', body }
  const error = readObject(body, 'error')
  const code = readText(error, 'code')
  if (httpStatus < 400 || code === undefined) return unreadable(what)
  if (saysNothingAboutWhatIs(httpStatus, code)) {
    return { status: 'unknown', reason: `The sandbox answered ${code} to ${what}` }
  }
  return { status: 'refused', httpStatus, code, message: readText(error, 'message') ?? code }
}
