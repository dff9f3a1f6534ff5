import { goodCard, goodSession, type Answer, type ReceivedWebhook, type TestSandbox } from '../test-sandbox.ts'

export const minuteMs = 60 * 1000
export const dayMs = 24 * 60 * minuteMs

export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  poor: '4000000000009995',
  expired: '4000000000000069',
  wrongCode: '4000000000000127',
  stolen: '4000000000009979',
  fault: '4000000000000119',
  challenge: '4000000000003220',
  timeout: '4000000000001505',
  late: '4000000000001018',
  dispute: '4000000000000259',
} as const

export const pay = (sandbox: TestSandbox, id: string, number: string, extraFields: object = {}): Promise<Answer> =>
  sandbox.call('POST', `/api/checkout/${id}/pay`, {
    body: { ...goodCard, card_number: number, ...extraFields },
    secret: null,
  })

export const fetchSession = async (sandbox: TestSandbox, id: string): Promise<Answer['json']> =>
  (await sandbox.call('GET', `/api/checkout/sessions/${id}`)).json

/** Sets the sandbox clock to real time plus `offsetMs`. */
export const moveClock = (sandbox: TestSandbox, offsetMs: number): Promise<Answer> =>
  sandbox.call('PUT', '/api/clock', { body: { offsetMs } })

export const charge = (sandbox: TestSandbox, token: string, key: string, extraFields: object = {}): Promise<Answer> =>
  sandbox.call('POST', '/api/charges', {
    body: { ...goodSession, card_token: token, ...extraFields },
    headers: { 'idempotency-key': key },
  })

interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

export const parseEvents = (received: readonly ReceivedWebhook[]): Event[] =>
  received.map(({ body }) => JSON.parse(body) as Event)

/** Returns request options for a form that the sandbox's own page posts. */
export const buildForm = (fields: object, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) => ({
  raw: new URLSearchParams(Object.entries(fields)).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  secret: null,
})
