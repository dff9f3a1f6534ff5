import { buildForm } from '../cards/test-payments.ts'
import type { Answer, TestSandbox } from '../test-sandbox.ts'

export const goodLink = {
  reference: 'link-1',
  user_reference: '10001',
  holder_name: 'Ines Okafor',
  email: 'ines@example.com',
  country: 'US',
  return_url: 'http://localhost:3000/deposit?step=bank',
}

export const buildKeyHeader = (key: string): { headers: Record<string, string> } => ({
  headers: { 'idempotency-key': key },
})

/** Starts a link and returns its id. */
export async function startLink(sandbox: TestSandbox, changes: object = {}, key = 'link-1'): Promise<string> {
  const { json } = await sandbox.call('POST', '/api/bank/links', {
    body: { ...goodLink, ...changes },
    ...buildKeyHeader(key),
  })
  return String(json['session_id'])
}

/** Submits the form of a hosted page, like a browser without JavaScript. */
export const submit = (sandbox: TestSandbox, id: string, fields: Record<string, string>): Promise<Answer> =>
  sandbox.call('POST', `/banks/${id}`, buildForm(fields, {}))

export interface LinkedAccount {
  token: string
  fingerprint: string
  bank_name: string
  last4: string
  currency: string
  country: string
}

export async function linkAccount(
  sandbox: TestSandbox,
  choice: { bank: string; currency?: string; country?: string; user?: string },
): Promise<LinkedAccount> {
  const { bank, currency = 'USD', country = 'US', user = '10001' } = choice
  const id = await startLink(sandbox, { country, user_reference: user }, `link-${bank}-${currency}-${country}-${user}`)
  await submit(sandbox, id, { action: 'allow', bank, account: currency })
  const { json } = await sandbox.call('GET', `/api/bank/links/${id}`)
  return json['account'] as LinkedAccount
}

export const setClock = (sandbox: TestSandbox, now: string): Promise<Answer> =>
  sandbox.call('PUT', '/api/clock', { body: { now } })

const buildOrder = (token: string, changes: object): object => ({
  amount_minor: '2500',
  currency: 'USD',
  reference: 'payment-1',
  account_token: token,
  description: 'Tern',
  ...changes,
})

export async function debit(sandbox: TestSandbox, token: string, changes: object = {}, key = 'debit-1') {
  return sandbox.call('POST', '/api/bank/debits', { body: buildOrder(token, changes), ...buildKeyHeader(key) })
}

export async function createPayout(sandbox: TestSandbox, token: string, changes: object = {}, key = 'payout-1') {
  return sandbox.call('POST', '/api/payouts', { body: buildOrder(token, changes), ...buildKeyHeader(key) })
}

interface Line {
  id: string
  kind: string
  amount_minor: string
  currency: string
  reference: string
  occurred_at: string
  undoes?: string
}

/** Loads all movements in the sandbox's books, page by page. */
export async function allLines(sandbox: TestSandbox, from = '2000-01-01T00:00:00Z', until = '2100-01-01T00:00:00Z') {
  const lines: Line[] = []
  let after: string | null = ''
  while (after !== null) {
    const query = new URLSearchParams({ from, until, after })
    const { json } = await sandbox.call('GET', `/api/report/lines?${query.toString()}`)
    lines.push(...(json['lines'] as Line[]))
    after = json['next'] as string | null
  }
  return lines
}
