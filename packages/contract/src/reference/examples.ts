import type { JsonSchema } from './schemas.ts'

/** Example values by field name, for fields whose type alone yields a poor example. */
const values: Readonly<Record<string, unknown>> = {
  access_token: 'eyJhbGciOiJFUzI1NiJ9.eyJzaWQiOiIwMTkzIn0.c2lnbmF0dXJl',
  action: 'send_money',
  algorithm: 'ES256',
  expected_total: '100.50',
  amount: '25.00',
  available: '1250.00',
  bank_name: 'First Example Bank',
  base_currency: 'USD',
  brand: 'Visa',
  challenge: 'Zk9tR2dYc1Q',
  city: 'Springfield',
  closing_balance: '1250.00',
  code: '048213',
  country: 'United States',
  currency: 'USD',
  currencyPreference: 'USD',
  dateOfBirth: '1990-02-03',
  description: 'Dinner',
  detail: 'Please log in.',
  device: 'Chrome on Linux',
  documentNumber: 'P1234567',
  documentType: 'passport',
  email: 'ines@example.com',
  exp_month: 12,
  exp_year: 2030,
  fee: '0.13',
  fee_basis_points: 50,
  fiat_balance: '1250.00',
  field: 'amount',
  firstName: 'Ines',
  first_name: 'Ines',
  from: '/dashboard',
  idNumber: '123-45-6789',
  last4: '4242',
  lastName: 'Carvalho',
  limit: '200.00',
  link: 'Zk9tR2dYc1Q',
  max: '500.00',
  message: 'Please enter a valid amount',
  name: 'Ines Carvalho',
  nationality: 'United States',
  network: '192.0.2.0/24',
  password: 'a long pass phrase',
  postalCode: '12345',
  query: 'code=abc&state=xyz',
  rate: '0.931',
  recipientId: '4815162342',
  recovery_codes: ['7F3K-QM2P-9XWD'],
  recipient_address: 'bruno',
  redirectUrl: 'https://pay.example.com/checkout/0193',
  secret: 'JBSWY3DPEHPK3PXP',
  state: 'Illinois',
  streetAddress: '1 Main Street',
  text: 'Dinner',
  token: 'Zk9tR2dYc1Q',
  total: '100.50',
  total_cost_percent: '0.50',
  transaction_type: 'SEND',
  uri: 'otpauth://totp/Tern?secret=JBSWY3DPEHPK3PXP',
  url: 'https://accounts.example.com/authorize',
  username: 'ines',
}

const formats: Readonly<Record<string, string>> = {
  uuid: '019372a4-5b1c-7c3e-8a2d-4f6b1e9c0d57',
  date: '2026-11-22',
  'date-time': '2026-11-22T09:30:00.000Z',
  email: 'ines@example.com',
  uri: 'https://accounts.example.com/authorize',
}

const userNumber = 4815162342

/** Optional fields that examples include, because only some callers may omit them. */
const exampleFields = ['firstName']

/** Reports whether a value has the type of a schema, and one of its options, its date format or its pattern. */
function isValid(value: unknown, schema: JsonSchema): boolean {
  const types = new Set([schema.type].flat())
  const type = Array.isArray(value) ? 'array' : typeof value
  if (!types.has(type) && !(type === 'number' && types.has('integer'))) return false
  if (schema.enum) return schema.enum.includes(value)
  if (schema.format !== undefined) return schema.format === 'date' && /^\d{4}-\d\d-\d\d$/.test(String(value))
  // Throws for an invalid pattern, so that no example is published without a check.
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(String(value))
}

/** Returns an example that matches the pattern: an amount, a user number, a currency, a month, a country, or `text`. */
function buildText({ pattern }: JsonSchema): string {
  if (pattern === undefined) return 'text'
  const candidates = ['25.00', String(userNumber), 'usd', 'text', '2026-11', 'US']
  return candidates.find((candidate) => new RegExp(pattern, 'u').test(candidate)) ?? 'text'
}

function buildPlainExample(schema: JsonSchema): unknown {
  if (schema.format !== undefined && formats[schema.format] !== undefined) return formats[schema.format]
  const [type] = [schema.type].flat()
  if (type === 'string') return buildText(schema)
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') {
    return (schema.minimum ?? 0) > 1_000_000 ? userNumber : Math.max(1, schema.minimum ?? 1)
  }
  return null
}

/** Returns an example of a schema. `all`: schemas that it may refer to; `name`: name of its field. */
export function buildExample(schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>, name = ''): unknown {
  if (schema.$ref !== undefined) return buildExample(all[schema.$ref.split('/').at(-1) ?? ''] ?? {}, all, name)
  if (schema.const !== undefined) return schema.const
  if (isValid(values[name], schema)) return values[name]
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return buildExample(first, all, name)
  if (schema.type === 'array') return [buildExample(schema.items ?? {}, all, name)]
  if (schema.type !== 'object') return buildPlainExample(schema)
  const required = new Set([...(schema.required ?? []), ...exampleFields])
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => required.has(field))
  return Object.fromEntries(fields.map(([field, property]) => [field, buildExample(property, all, field)]))
}
