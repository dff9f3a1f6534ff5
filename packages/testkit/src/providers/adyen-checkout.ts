// Local double of Adyen's Checkout and Management APIs, which keeps pages and payments, and signs notifications in the
// documented form. A test can set other answers.

import { createHmac, randomInt } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AdyenAnswer, type AdyenCall, adyenWebhookKey, problem } from './adyen.ts'

export const adyenMerchant = 'TernTest'

/** Id in the form of Adyen's references. */
export const createPspReference = (): string =>
  Array.from({ length: 16 }, () => 'BCDFGHJKLMNPQRSTVWXZ23456789'[randomInt(28)]).join('')

/** Item of a standard notification, as Adyen sends it. */
export interface NotificationItem {
  readonly eventCode: string
  readonly merchantReference: string
  readonly amount: { readonly value: number; readonly currency: string }
  readonly pspReference?: string
  readonly originalReference?: string
  readonly merchantAccountCode?: string
  readonly success?: 'true' | 'false'
  readonly eventDate?: string
  readonly additionalData?: Readonly<Record<string, string>>
}

/** Signs an item by the fields and the key that Adyen's documentation names. */
function signItem(item: NotificationItem, key: string): string {
  const { pspReference, originalReference = '', merchantAccountCode, merchantReference, amount } = item
  const fields = [
    pspReference,
    originalReference,
    merchantAccountCode,
    merchantReference,
    amount.value,
    amount.currency,
  ]
  const text = [...fields, item.eventCode, item.success].join(':')
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64')
}

/** Returns the body of a request with these items, signed with our key. */
export function writeNotification(
  items: readonly NotificationItem[],
  { key = adyenWebhookKey, live = 'false' }: { readonly key?: string; readonly live?: string } = {},
): string {
  const notificationItems = items.map((item) => {
    const whole = {
      pspReference: createPspReference(),
      merchantAccountCode: adyenMerchant,
      success: 'true',
      eventDate: new Date().toISOString(),
      paymentMethod: 'visa',
      operations: ['CANCEL', 'CAPTURE', 'REFUND'],
      reason: '',
      ...item,
    } as const
    const additionalData = { ...item.additionalData, hmacSignature: signItem(whole, key) }
    return { NotificationRequestItem: { ...whole, additionalData } }
  })
  return JSON.stringify({ live, notificationItems })
}

export interface AdyenLink {
  readonly id: string
  readonly reference: string
  readonly amount: { readonly value: number; readonly currency: string }
  status: string
}

/** Webhook in the form of the Management API. */
export const standardWebhook = (url: string, overrides: object = {}): object => ({
  id: 'S2-6933523D2772',
  type: 'standard',
  url,
  active: true,
  communicationFormat: 'json',
  filterMerchantAccountType: 'includeAccounts',
  filterMerchantAccounts: [adyenMerchant],
  hasError: false,
  hmacKeyCheckValue: '9C2B5A',
  additionalSettings: { includeEventCodes: ['NOTIFICATION_OF_FRAUD'], excludeEventCodes: [] },
  ...overrides,
})

export type AdyenCheckoutDouble = Awaited<ReturnType<typeof startAdyenCheckout>>

export async function startAdyenCheckout() {
  const calls: AdyenCall[] = []
  const answers = new Map<string, AdyenAnswer>()
  const links = new Map<string, AdyenLink>()
  const keys = new Map<string, AdyenAnswer>()
  const company = 'TernCompany'
  /** Webhooks of the company, and of the merchant account. */
  const webhooks: { company: object[]; merchant: object[] } = { company: [], merchant: [] }

  function createLink(text: string, url: string): AdyenAnswer {
    const order = JSON.parse(text)
    if (order.amount === undefined) return problem(422, '14_0408')
    const link = { ...order, id: `PL${createPspReference()}`, status: 'active' }
    link.url = `${url}/pay/${link.id}`
    links.set(link.id, link)
    return { status: 201, body: link }
  }

  /** Answers like Adyen; undefined for a path that it does not have. */
  function answer(route: string, text: string, url: string): AdyenAnswer | undefined {
    const [, method, path = ''] = /^(\w+) (.*)$/.exec(route) ?? []
    if (route === 'POST /v71/paymentLinks') return createLink(text, url)
    const [, linkId = ''] = /^\/v71\/paymentLinks\/(\w+)$/.exec(path) ?? []
    const link = links.get(linkId)
    if (link) {
      if (method === 'GET') return { body: link }
      if (link.status !== 'active') return problem(422, '33')
      link.status = JSON.parse(text).status
      return { body: link }
    }
    const account = `/v3/merchants/${adyenMerchant}`
    if (path === account) return { body: { id: adyenMerchant, companyId: company, status: 'Active' } }
    if (path === `${account}/webhooks`) return { body: { data: webhooks.merchant } }
    if (path === `/v3/companies/${company}/webhooks`) return { body: { data: webhooks.company } }
    const [, payment, operation] = /^\/v71\/payments\/(\w+)\/(captures|cancels)$/.exec(path) ?? []
    if (payment === undefined) return undefined
    if (JSON.parse(text).merchantAccount === undefined) return problem(422, '167')
    return {
      status: 201,
      body: {
        merchantAccount: adyenMerchant,
        paymentPspReference: payment,
        pspReference: operation,
        status: 'received',
      },
    }
  }

  async function reply(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const route = `${request.method} ${request.url?.split('?')[0]}`
    calls.push({ route, text, headers: request.headers })
    const key = request.headers['idempotency-key']
    const name = typeof key === 'string' ? `${route} ${key}` : undefined
    const repeated = name === undefined ? undefined : keys.get(name)
    const given =
      answers.get(route) ?? repeated ?? answer(route, text, `http://${request.headers.host}`) ?? problem(404, '30_004')
    if (given === 'silence') return
    if (name !== undefined && !answers.has(route)) keys.set(name, given)
    const { status = 200, headers = {}, body } = given
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const server = http.createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    calls,
    links,
    webhooks,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the answer of a route such as `POST /v71/paymentLinks`. */
    on: (route: string, given: AdyenAnswer) => void answers.set(route, given),
    /** Answers a route, or all of them, like Adyen again. */
    off: (route?: string): void => {
      if (route === undefined) answers.clear()
      else answers.delete(route)
    },
    /** Pays a page; returns the item that Adyen sends about it. */
    pay(id: string, overrides: Partial<NotificationItem> = {}): NotificationItem & { readonly pspReference: string } {
      const link = links.get(id)
      if (!link) throw new Error(`There is no page ${id}`)
      link.status = 'completed'
      return {
        eventCode: 'AUTHORISATION',
        merchantReference: link.reference,
        amount: link.amount,
        pspReference: createPspReference(),
        additionalData: { paymentLinkId: id, cardSummary: '1111', expiryDate: '03/2030' },
        ...overrides,
      }
    },
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
