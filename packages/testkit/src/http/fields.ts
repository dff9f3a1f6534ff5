import type { Endpoint } from '@tern/contract/protocol/endpoint'
import * as z from 'zod/mini'

const id = '0199f0a0-0000-7000-8000-000000000000'
const assertion = { authenticatorData: 'AA', clientDataJSON: 'AA', signature: 'AA', userHandle: 'AA' }

/** Valid sample of each contract field, by its name. */
export const samples: Readonly<Record<string, unknown>> = {
  email: 'somebody@tern.example',
  login_hint: 'somebody@tern.example',
  username: 'somebody',
  password: 'a sound passphrase',
  token: 'a.b.c',
  challenge: 'a challenge',
  link: 'a link',
  code: '123456',
  method: 'totp',
  provider: 'google',
  mode: 'popup',
  screen_hint: 'login',
  from: '/wallet',
  query: 'ana',
  ceremony: id,
  response: { id: 'AA', rawId: 'AA', type: 'public-key', response: assertion },
  metadata: { note: 'a note' },
  exact: 'true',
  days: '30',
  limit: '10',
  offset: '0',
  cursor: 'AAAA',
  at: '2026-03-01',
  search: 'ana',
  type: 'SEND',
  status: 'COMPLETED',
  currency: 'usd',
  sort: 'date',
  order: 'asc',
  quote_id: id,
  amount: '1.00',
  side: 'source',
  source_currency: 'EUR',
  target_currency: 'USD',
  use_stablecoin: true,
  recipient_id: 1_234_567_890,
  sender_id: 1_234_567_890,
  payment_source: 'wallet',
  skip_sender_deduction: false,
  transaction_type: 'gift',
  description: 'for lunch',
  userId: 1_234_567_890,
  depositToWallet: true,
  payment_id: id,
  purpose: 'deposit',
  bankAccountId: id,
  paymentMethodId: id,
  saveCard: false,
  recipientId: '1234567890',
  paymentSource: 'card',
  returnTo: 'withdraw',
  direction: 'out',
  period: 'day',
  max: '1.00',
  firstName: 'Ana',
  lastName: 'Tester',
  dateOfBirth: '1990-02-03',
  country: 'Germany',
  nationality: 'Germany',
  idNumber: '65929970489',
  documentType: 'passport',
  documentNumber: 'P1234567',
  issuingCountry: 'Germany',
  currencyPreference: 'EUR',
  streetAddress: '1 Main Street',
  city: 'Berlin',
  state: 'Berlin',
  postalCode: '10115',
  payments: true,
  requests: true,
  recurrence: 'monthly',
  next_on: '2026-04-01',
  rate_guard: '1.00',
  ceiling: '2.00',
  wait_days: 3,
  time_zone: 'Europe/Paris',
  until: '2026-04-01',
  date: '2026-04-01',
  undo_seconds: 15,
  seconds: 15,
  applies_to: 'everybody',
  up_to: id,
  payer_id: 1_234_567_890,
  allows_parts: true,
  expires_in_days: 30,
  name: 'Ana',
  group: 'waiting',
  reason: 'no',
  on: '2026-03-02',
  total: '2.00',
  split_by: 'equal',
  own: { amount: '1.00' },
  withdrawal: { amount: '1.00', currency: 'EUR' },
  people: [{ user_id: 1_234_567_890, amount: '1.00' }],
  shows_amounts: true,
  expected_total: '1.00',
  secret: 'a secret',
  since: '2026-03-01T00:00:00Z',
  panCard: 'ACUPA7085R',
  singleName: false,
  localName: 'Ana',
  medicareNumber: '2123456701',
  replaces: id,
  minimum_target_amount: '1.00',
  month: '2026-03',
  range: '30d',
  locale: 'de-DE',
  rate_currency: 'EUR',
  rate: '1.00',
  worst_rate: '0.99',
  expires_at: '2026-04-01T00:00:00Z',
  rate_side: 'at_least',
  is_on: true,
  night_from: 22,
  night_until: 6,
  share_percent: 30,
  threshold: '1000.00',
  transaction_id: id,
  statement: 'Not me',
  expected_amount: '1.00',
  was_asked: false,
  freeze_account: false,
  document: 'terms',
  version: 1,
  field: 'legal_name',
  right_value: 'Ana',
  note: 'As on the card',
  text: 'It was not me',
  who: 'somebody',
  to: 'somebody',
  verdict: 'release',
  before: id,
  payee_check: id,
  person: '1234567890',
  guests: 'true',
  after: id,
  category: 'family',
  year: '2026',
}

function fail(name: string): never {
  throw new Error(`no sample for ${name}`)
}

/** Returns a valid body or query for a schema. */
export function buildSample(schema: Endpoint['body']): Record<string, unknown> {
  if (!schema) return {}
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // Fields that are always refused are omitted.
  const fields = Object.entries(properties as Record<string, { not?: unknown; enum?: unknown[] }>).filter(
    ([, { not }]) => !not,
  )
  // Fields with the same name can have different options.
  const sample = (name: string, choices: readonly unknown[] = []) =>
    name in samples ? samples[name] : (choices[0] ?? fail(name))
  return Object.fromEntries(fields.map(([name, { enum: choices }]) => [name, sample(name, choices)]))
}

/** Yields copies of a value, in each of which one text is corrupted. */
export function* corruptTexts(value: unknown, corrupt: (text: string) => string): Generator {
  if (typeof value === 'string') yield corrupt(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    for (const corruptValue of corruptTexts(part, corrupt)) yield { ...value, [name]: corruptValue }
  }
}

/** Returns the path of an endpoint with its parameters. `newcomer` is not verified yet. */
export const fillPath = (
  { path }: Endpoint,
  { alice, newcomer }: { alice: { id: number }; newcomer: { id: number } },
) =>
  path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    if (name === 'userId') return String(alice.id)
    if (name === 'provider') return 'google'
    if (name !== 'id') return 'USD'
    const isNumber = /^\/(kyc|user)\/(:id|profile|update-profile)/.test(path)
    return isNumber ? String(path.startsWith('/kyc/') ? newcomer.id : alice.id) : id
  })
