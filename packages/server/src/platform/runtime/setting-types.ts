// Types of single settings, as zod schemas. A message continues a sentence that begins with the variable's name.

import { canonicalEmail, hasForeignLocalPart } from '@tern/contract/protocol/text/email'
import { type FiatCode, isFiatCode } from '@tern/money/currency'
import { FormatError } from '@tern/transparency/format-error'
import { parseVerifierKey, type VerifierKey } from '@tern/transparency/note-keys'
import { z } from 'zod'
import type { ProviderRule } from '../providers/provider-registry.ts'

/** Creates a schema that parses a text; `parse` returns undefined to refuse it with the message. */
function parsedText<T>(parse: (text: string) => T | undefined, message: string | ((text: string) => string)) {
  return z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: typeof message === 'string' ? message : message(text) })
    return z.NEVER
  })
}

export const choice = <const C extends string>(...choices: C[]) =>
  parsedText(
    (text) => choices.find((candidate) => candidate === text),
    (text) => `must be one of ${choices.join(', ')}, not "${text}"`,
  )

export const fiatCurrency = parsedText(
  (text): FiatCode | undefined => (isFiatCode(text) ? text : undefined),
  (text) => `must be a currency such as USD, not "${text}"`,
)

export const integerInRange = (min: number, max: number, noun = 'a number') =>
  parsedText(
    (text) => {
      const value = /^\d{1,5}$/.test(text) ? Number(text) : -1 // not money: a port, a count or seconds
      return value >= min && value <= max ? value : undefined
    },
    (text) => `must be ${noun} from ${min} to ${max}, not "${text}"`,
  )

/** Share between 0 and 1. */
export const ratio = parsedText(
  (text) => (/^(0|1|0?\.\d{1,9}|1\.0+|0\.0+)$/.test(text) ? Number(text) : undefined), // not money: a share
  (text) => `must be a number from 0 to 1, such as 0.05, not "${text}"`,
)

export const port = integerInRange(1, 65_535, 'a port number')

const longestLine = 300

export const line = z
  .string()
  .refine(
    (text) => text.length <= longestLine && !/\p{Cc}/u.test(text),
    `must be one line of at most ${longestLine} characters`,
  )

export const word = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word of plain letters, digits and signs')

/** One or more HMAC keys of Adyen's webhooks. */
export const hmacKeys = z
  .string()
  .regex(
    /^[0-9A-Fa-f]{64}(\s*,\s*[0-9A-Fa-f]{64})*$/,
    'must be one or more HMAC keys of 64 hexadecimal digits, with commas between',
  )
  .transform((text) => text.split(/\s*,\s*/))

export const address = (...protocols: string[]) =>
  parsedText(
    (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      return url && protocols.includes(url.protocol) ? url : undefined
    },
    `must be an address that begins with ${protocols.map((p) => (p === 'mailto:' ? p : `${p}//`)).join(' or ')}`,
  )

const isLocal = (url: URL): boolean => loopbackNames.includes(url.hostname)

/** Host names of this machine. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const isSecure = (url: URL): boolean => url.protocol === 'https:' || isLocal(url)

/** https address, or an http address on this machine. */
export const secureAddress = address('http:', 'https:').refine(
  isSecure,
  'must begin with https:// unless it is on this machine',
)

/** Origin of a secure address without a path. */
export const secureOrigin = (example: string) =>
  secureAddress
    .refine(
      ({ pathname, search, username }) => pathname === '/' && search === '' && username === '',
      `must be an origin without a path, such as ${example}`,
    )
    .transform(({ origin }) => origin)

/** Secure address without a secret in it, and without a trailing slash. */
export const publicAddress = secureAddress
  .refine(
    ({ username, password, search, hash }) => [username, password, search, hash].every((part) => part === ''),
    'must be an address without a user, a query or a fragment',
  )
  .transform(({ href }) => href.replace(/\/$/, ''))

/** Address of public rates without a trailing slash, or `off`. */
export const rateSource = z.union([z.literal('off'), publicAddress])

const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

export const mailServer = address('smtp:', 'smtps:')
  .refine(
    ({ hostname, pathname, search, hash }) => hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === '',
    'must be a server without a path, such as smtps://user:password@mail.example',
  )
  .refine(
    ({ username, password }) => isDecodable(username + password),
    'must have a % in its user or password written as %25',
  )

/** Sender such as `Tern <no-reply@tern.example>`, with its domain in A-labels. */
export const sender = parsedText((text) => {
  const [, name = '', bracketedAddress, bareAddress] =
    /^(?:([^<>@",\p{Cc}]+ )<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(text) ?? []
  const email = bracketedAddress ?? bareAddress
  if (email === undefined || hasForeignLocalPart(email)) return undefined
  const written = canonicalEmail(email) ?? email
  return bracketedAddress === undefined ? written : `${name}<${written}>`
}, 'must be one address, such as no-reply@tern.example or Tern <no-reply@tern.example>')

const emailPattern = /^[^\s@<>"?&#%,;:]+@[^\s@<>"?&#%,;:]+\.[^\s@<>"?&#%,;:]+$/u

/** Email address, with or without `mailto:`, or an https: address. */
export const supportContact = parsedText((text) => {
  const email = text.replace(/^mailto:/i, '')
  if (emailPattern.test(email)) return `mailto:${email}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
}, 'must be an email address or an address that begins with https://')

/** Comma-separated Host names in lower case, without port. */
export const hosts = parsedText(
  (text) => {
    const names = text.split(',').map((name) => name.trim().toLowerCase())
    const host = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])?$/
    return names.every((name) => host.test(name)) ? names.filter(Boolean) : undefined
  },
  (text) => `must be names without port, such as tern.example, www.tern.example, not "${text}"`,
)

const providerCondition = /^(method|currency|country)=\w+(,\w+)*$/

/** Provider rules such as `stripe method=card currency=USD,EUR; sandbox`, of which the first match applies. */
export const providerRules = parsedText(
  (text) => {
    const rules = text.split(';').map(parseProviderRule)
    return rules.every((rule) => rule !== undefined) ? rules : undefined
  },
  (text) => `must be rules such as "stripe method=card currency=USD,EUR; sandbox", not "${text}"`,
)

function parseProviderRule(rule: string): ProviderRule | undefined {
  const [provider = '', ...conditions] = rule.trim().split(/\s+/)
  const isRule = /^[a-z][a-z0-9-]*$/.test(provider) && conditions.every((text) => providerCondition.test(text))
  if (!isRule) return undefined
  const lists = conditions.map((condition) => condition.split('=')).map(([key, list]) => [key, list?.split(',')])
  return Object.fromEntries([['provider', provider], ...lists]) as ProviderRule
}

const listSources: ReadonlySet<string> = new Set(['ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep'])

/** List addresses as `source=address`, separated by spaces; `source=off` disables a list, `off` disables all. */
export const listAddresses = z.union([
  z.literal('off'),
  parsedText(
    (text) => {
      const addressesBySource = new Map<string, string[]>()
      for (const part of text.split(/\s+/)) {
        const [, source = '', addressText = ''] = /^(\w+)=(.*)$/.exec(part) ?? []
        const isUsable =
          addressText === 'off' || (URL.canParse(addressText) && secureAddress.safeParse(addressText).success)
        if (!listSources.has(source) || !isUsable) return undefined
        const sourceAddresses = addressesBySource.get(source) ?? []
        addressesBySource.set(source, addressText === 'off' ? sourceAddresses : [...sourceAddresses, addressText])
      }
      return Object.fromEntries(addressesBySource)
    },
    (text) => `must be off, or lists as in un=https://… with https:// unless on this machine, not "${text}"`,
  ),
])

/** Stripe key; restricted keys begin with rk_. */
export const stripeKey = z
  .string()
  .regex(/^[sr]k_(test|live)_[A-Za-z0-9_]+$/, 'must be a key that begins with sk_ or rk_')

export const webhookSecrets = parsedText((text) => {
  const secrets = text.split(',').map((secret) => secret.trim())
  return secrets.every((secret) => /^whsec_[A-Za-z0-9+/=_-]{16,}$/.test(secret)) ? secrets : undefined
}, 'must be one or more secrets that begin with whsec_, with commas between')

/** Witness of the transparency log. */
export interface WitnessSetting {
  readonly key: VerifierKey
  /** Submission prefix, without a trailing slash. */
  readonly address: string
}

const mostWitnesses = 16
const witnessExample = 'witness.example+1c9ea1b5+BA… https://witness.example'

/** Witnesses as `key address`, separated by semicolons or line breaks. */
export const witnesses = z.string().transform((text, context): readonly WitnessSetting[] => {
  const found = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => parseWitness(entry))
  const fault = found.find((each) => typeof each === 'string')
  const parsed = found.filter((each) => typeof each !== 'string')
  const message = fault ?? findRepeatedWitness(parsed)
  if (message === undefined) return parsed
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** Parses one witness; returns what is wrong with it as a text. */
function parseWitness(entry: string): WitnessSetting | string {
  const [keyText = '', addressText, ...rest] = entry.split(/\s+/)
  if (addressText === undefined || rest.length > 0)
    return `must name each witness as in ${witnessExample}, not "${entry}"`
  const { data: address, error } = publicAddress.safeParse(addressText)
  if (error) return `has an address of a witness, "${addressText}", that ${error.issues[0]?.message}`
  try {
    const key = parseVerifierKey(keyText)
    return key.type === 4 ? { key, address } : `has the key of ${key.name}, which is a log's, not a witness's`
  } catch (error) {
    if (error instanceof FormatError) return `has an invalid key of a witness, "${keyText}" (${error.message})`
    throw error
  }
}

function findRepeatedWitness(parsed: readonly WitnessSetting[]): string | undefined {
  if (parsed.length > mostWitnesses) return `must name at most ${mostWitnesses} witnesses, not ${parsed.length}`
  const repeated = parsed.find(({ key }, index) =>
    parsed
      .slice(0, index)
      .some((other) => other.key.name === key.name || other.key.publicKey.join() === key.publicKey.join()),
  )
  return repeated && `names the witness ${repeated.key.name} twice`
}
