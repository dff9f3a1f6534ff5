import type { CallInput, Endpoint, Reply } from './endpoint.ts'
import type { FieldProblem, Problem, RefusalCode } from './refusal.ts'

/** Refusal by the server. `message` is the problem's `detail`, a sentence for the user. */
export class Refused extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly errors: readonly FieldProblem[]
  readonly problem: Problem
  /** Seconds to wait before a retry, from the server's `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail)
    this.name = 'Refused'
    this.status = problem.status
    this.code = problem.code
    this.errors = problem.errors ?? []
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No readable response: offline, timed out, or cut off. The outcome of the call is unknown. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('Network error. Please try again later.', { cause })
    this.name = 'Unreachable'
  }
}

export interface ClientOptions {
  /** Base address of the API; `/api` on our own pages. */
  readonly baseUrl: string
  readonly accessToken?: () => string | undefined | Promise<string | undefined>
  readonly timeoutMs?: number
}

interface AnyCallInput {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  upload?: FormData
  idempotencyKey?: string
  confirmation?: string
}

/** Returns an endpoint's address with its path parameters and its non-empty query values. */
export function buildAddress(endpoint: Endpoint, input: AnyCallInput): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input.params?.[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body

/**
 * Creates a typed API client. `call(endpoint, input)` returns the reply, or throws `Refused` with problem details, or
 * `Unreachable`.
 */
export function createClient(options: ClientOptions) {
  async function call<E extends Endpoint>(endpoint: E, input: CallInput<E>, signal?: AbortSignal): Promise<Reply<E>> {
    const callInput = input as AnyCallInput
    const token = await options.accessToken?.()
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (callInput.body !== undefined) headers['content-type'] = 'application/json'
    if (callInput.idempotencyKey !== undefined) headers['idempotency-key'] = callInput.idempotencyKey
    if (callInput.confirmation !== undefined) headers['step-up'] = callInput.confirmation
    const payload = callInput.upload ?? (callInput.body === undefined ? undefined : JSON.stringify(callInput.body))
    // Uploading photos from a phone takes longer.
    const timeout = AbortSignal.timeout(options.timeoutMs ?? (callInput.upload ? 120_000 : 20_000))
    let status: number
    let body: unknown
    let retryAfter: string | null
    try {
      const response = await fetch(options.baseUrl + buildAddress(endpoint, callInput), {
        method: endpoint.method,
        headers,
        credentials: 'same-origin',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(payload === undefined ? {} : { body: payload }),
      })
      status = response.status
      retryAfter = response.headers.get('retry-after')
      const text = await response.text()
      body = text === '' ? undefined : JSON.parse(text)
    } catch (error) {
      if (signal?.aborted) throw error
      throw new Unreachable(error)
    }
    if (status >= 200 && status < 300) return body as Reply<E>
    // not money: seconds to wait
    if (isProblem(body)) throw new Refused(body, Number(retryAfter) || undefined)
    throw new Unreachable(new Error(`status ${status}`))
  }
  return { call }
}

export type Client = ReturnType<typeof createClient>
