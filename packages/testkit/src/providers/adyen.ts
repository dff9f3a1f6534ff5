// Local double of Adyen's Transfers API. It records all calls, and gives the answers that the test sets, in the
// documented form.

import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AdyenCall {
  readonly route: string
  readonly text: string
  readonly headers: http.IncomingHttpHeaders
}

export type AdyenAnswer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: object | string }
  | 'silence'

export const adyenWebhookKey = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
export const adyenBalanceAccount = 'BA00000000000000000000001'

const amount = { currency: 'EUR', value: 4000 }

/** Returns a transfer in Adyen's form, with the events that led to its status. */
export const transfer = (overrides: object = {}, ...statuses: string[]): Record<string, unknown> => ({
  id: '1W1UG35U8A9J5ZLG',
  amount,
  balanceAccount: { id: adyenBalanceAccount, description: 'Tern', reference: 'Tern' },
  category: 'bank',
  direction: 'outgoing',
  reason: 'approved',
  status: statuses.at(-1) ?? 'received',
  type: 'bankTransfer',
  events: statuses.map((status, index) => ({ id: `EVJN4297400000${index}`, status, type: 'accounting' })),
  sequenceNumber: Math.max(1, statuses.length),
  ...overrides,
})

/** Returns a problem in Adyen's form. */
export const problem = (status: number, errorCode: string): AdyenAnswer => ({
  status,
  body: {
    type: 'https://docs.adyen.com/errors/validation',
    title: 'Invalid transfer information provided',
    status,
    detail: 'Something about DE89370400440532013000',
    requestId: '1W1UI15PLVGC9V8O',
    errorCode,
  },
})

/** Returns an event with its signature header. */
export function signedEvent(data: object, { type = 'balancePlatform.transfer.updated', key = adyenWebhookKey } = {}) {
  const body = JSON.stringify({ data, environment: 'test', timestamp: '2026-03-02T10:00:00+01:00', type })
  const signature = createHmac('sha256', Buffer.from(key, 'hex')).update(body).digest('base64')
  return { body, headers: { hmacsignature: signature } }
}

export type AdyenDouble = Awaited<ReturnType<typeof startAdyenDouble>>

export async function startAdyenDouble() {
  const calls: AdyenCall[] = []
  const answers = new Map<string, AdyenAnswer>()

  async function reply(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const route = `${request.method} ${request.url?.split('?')[0]}`
    calls.push({ route, text: Buffer.concat(chunks).toString('utf8'), headers: request.headers })
    const answer = answers.get(route) ?? problem(404, '30_004')
    if (answer === 'silence') return
    const { status = 200, headers = {}, body } = answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const server = http.createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the answer of a route such as `POST /btl/v4/transfers`. */
    on: (route: string, answer: AdyenAnswer) => void answers.set(route, answer),
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
