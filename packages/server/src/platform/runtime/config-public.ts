// What the public pages say about the service, as its operator configures it.

import type { Issuer } from '@tern/contract/transactions'
import { ConfigError, type Environment, readUrl } from './config-values.ts'

export interface License {
  /** Number and regulator, as the operator words them. */
  readonly text: string
  /** Its entry in a public register. */
  readonly registerUrl: string | undefined
}

export interface PublicSettings {
  /** Name of the company that runs the service. */
  readonly operatorName: string | undefined
  /** Companies that the team comes from, as one line. */
  readonly team: string | undefined
  /** Address of the documentation. */
  readonly docsUrl: string | undefined
  /** Where people get help: a mailto: or https: address. */
  readonly supportContact: string | undefined
  /** Security contact (RFC 9116): a mailto: or https: address. */
  readonly securityContact: string | undefined
  /** Money transmitter license. */
  readonly license: License | undefined
}

const mostCharacters = 300

/** One line of text; undefined where the variable is unset. Throws ConfigError. */
function readLine(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim() || undefined
  if (text !== undefined && (text.length > mostCharacters || /\p{Cc}/u.test(text))) {
    throw new ConfigError(`${name} must be one line of at most ${mostCharacters} characters.`)
  }
  return text
}

function readLicense(environment: Environment): License | undefined {
  const registerUrl = readUrl(environment, 'MONEY_TRANSMITTER_LICENSE_URL', ['https:'])?.href
  const text = readLine(environment, 'MONEY_TRANSMITTER_LICENSE')
  if (text !== undefined) return { text, registerUrl }
  if (registerUrl === undefined) return undefined
  throw new ConfigError('MONEY_TRANSMITTER_LICENSE must be set together with MONEY_TRANSMITTER_LICENSE_URL.')
}

const emailPattern = /^[^\s@<>"?&#%,;:]+@[^\s@<>"?&#%,;:]+\.[^\s@<>"?&#%,;:]+$/u

/** An email address, with or without `mailto:`, or an https: address. Throws ConfigError. */
function readSupportContact(environment: Environment): string | undefined {
  const text = environment.SUPPORT_CONTACT?.trim()
  if (!text) return undefined
  const email = text.replace(/^mailto:/i, '')
  if (emailPattern.test(email)) return `mailto:${email}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href
  throw new ConfigError('SUPPORT_CONTACT must be an email address or an address that begins with https://.')
}

/** Reads what the public pages say about the service. Throws ConfigError. */
export const readPublicSettings = (environment: Environment): PublicSettings => ({
  operatorName: readLine(environment, 'OPERATOR_NAME'),
  team: readLine(environment, 'TEAM_BACKGROUND'),
  docsUrl: readUrl(environment, 'DOCS_URL', ['https:'])?.href,
  supportContact: readSupportContact(environment),
  securityContact: readUrl(environment, 'SECURITY_CONTACT', ['mailto:', 'https:'])?.href,
  license: readLicense(environment),
})

/** Reads who issues receipts; a part is null where its variable is unset. Throws ConfigError. */
export function readIssuer(environment: Environment, settings: PublicSettings): Issuer {
  const { operatorName, license, supportContact } = settings
  return {
    name: operatorName ?? null,
    registration: readLine(environment, 'OPERATOR_REGISTRATION') ?? null,
    license: license?.text ?? null,
    // As people read it.
    contact: supportContact?.replace(/^mailto:|^https:\/\/|\/$/g, '') ?? null,
  }
}
