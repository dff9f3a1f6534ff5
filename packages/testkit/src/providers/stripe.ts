// Local double of those parts of Stripe's API that the adapters use. It records all calls, and gives the answers that
// the test sets.

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Stripe } from 'stripe'
import { connectStripe, type StripeConnection, type StripeSettings } from '@tern/providers/stripe-connection'

/** Recorded call with its parameters. */
export interface StripeCall {
  readonly method: string
  readonly path: string
  /** Form fields or query parameters, such as `line_items[0][quantity]`. */
  readonly fields: Readonly<Record<string, string>>
  readonly json: unknown
  readonly headers: http.IncomingHttpHeaders
}

/** Response with status and body, or none at all. */
export type StripeAnswer = { status?: number; body: object; headers?: Readonly<Record<string, string>> } | 'silence'
type Handler = (call: StripeCall) => StripeAnswer

/** Settings for tests without a response. The timeout is long enough for the double to record the call. */
export const shortTimeout: Partial<StripeSettings> = { timeoutMs: 1000 }

export const testSecret = 'whsec_a_test_secret_that_is_long_enough'

async function readCall(request: http.IncomingMessage): Promise<StripeCall> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const url = new URL(request.url ?? '/', 'http://double')
  const isJson = request.headers['content-type']?.startsWith('application/json') === true
  const query = request.method === 'GET' ? url.searchParams : new URLSearchParams(isJson ? '' : text)
  return {
    method: request.method ?? '',
    path: url.pathname,
    fields: Object.fromEntries(query),
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
    headers: request.headers,
  }
}

export type StripeDouble = Awaited<ReturnType<typeof startStripeDouble>>

export async function startStripeDouble() {
  const calls: StripeCall[] = []
  const routes = new Map<string, (StripeAnswer | Handler)[]>([
    ['GET /v2/money_management/financial_accounts/fa_1', [{ body: financialAccount }]],
  ])

  const chooseAnswer = (call: StripeCall): StripeAnswer => {
    const answers = routes.get(`${call.method} ${call.path}`)
    const nextAnswer = answers && answers.length > 1 ? answers.shift() : answers?.[0]
    if (nextAnswer === undefined)
      return { status: 501, body: { error: { type: 'api_error', message: 'not expected' } } }
    return typeof nextAnswer === 'function' ? nextAnswer(call) : nextAnswer
  }

  async function reply(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const call = await readCall(request)
    calls.push(call)
    const answer = chooseAnswer(call)
    if (answer === 'silence') return
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/json',
      'request-id': 'req_double',
      ...answer.headers,
    })
    response.end(JSON.stringify(answer.body))
  }

  const server = http.createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const callsTo = (route: string) => calls.filter(({ method, path }) => `${method} ${path}` === route)

  return {
    calls,
    url,
    /** Sets the answers of a route such as `POST /v1/refunds`. They are given in order; the last one repeats. */
    on: (route: string, ...answers: readonly (StripeAnswer | Handler)[]) => void routes.set(route, [...answers]),
    /** Returns the only call to a route; throws if there were none or several. */
    call(route: string): StripeCall {
      const matchingCalls = callsTo(route)
      const [singleCall] = matchingCalls
      if (!singleCall || matchingCalls.length > 1) throw new Error(`${route} was called ${matchingCalls.length} times`)
      return singleCall
    },
    connect: (settings?: Partial<StripeSettings>): Promise<StripeConnection> =>
      connectStripe({
        secretKey: 'sk_test_double',
        webhookSecrets: [testSecret],
        apiUrl: url,
        timeoutMs: 30_000,
        ...settings,
      }),
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const financialAccount = {
  id: 'fa_1',
  object: 'v2.money_management.financial_account',
  type: 'storage',
  status: 'open',
  storage: { holds_currencies: ['usd', 'eur', 'gbp'] },
}

/** Returns an error in the form of Stripe's v1 API. */
export const stripeError = (status: number, error: Record<string, unknown>): StripeAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', message: 'Something about pm_secret', ...error } },
})

export const paymentId = '01934f5e-8c00-7000-8000-000000000001'

/** Returns a payment intent with the fields that the adapters use. */
export const intent = (overrides: object = {}): object => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: 10_000,
  amount_received: 10_000,
  currency: 'usd',
  status: 'succeeded',
  customer: null,
  last_payment_error: null,
  metadata: { payment_id: paymentId, method: 'card' },
  payment_method: 'pm_1',
  setup_future_usage: null,
  ...overrides,
})

/** Returns a paid checkout session in payment mode. */
export const session = (overrides: object = {}): object => ({
  id: 'cs_test_1',
  object: 'checkout.session',
  mode: 'payment',
  status: 'complete',
  payment_status: 'paid',
  amount_total: 10_000,
  currency: 'usd',
  client_reference_id: paymentId,
  metadata: { payment_id: paymentId, method: 'card' },
  payment_intent: 'pi_1',
  url: null,
  ...overrides,
})

/** Returns an event with its whole object, in the API version of the SDK. */
export const buildStripeEvent = ({
  id = 'evt_1',
  type,
  object,
}: {
  readonly id?: string
  readonly type: string
  readonly object: object
}): object => ({
  id,
  object: 'event',
  api_version: Stripe.API_VERSION,
  created: 1_772_355_600,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})
