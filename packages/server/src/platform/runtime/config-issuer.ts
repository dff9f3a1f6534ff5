// Who runs the service, as receipts name them.

import type { Issuer } from '@tern/contract/transactions'
import { ConfigError, type Environment } from './config-values.ts'

const mostCharacters = 300

/** One line of text; null where the variable is unset. Throws ConfigError. */
function readLine(environment: Environment, name: string): string | null {
  const text = environment[name]?.trim() || null
  if (text !== null && (text.length > mostCharacters || /\p{Cc}/u.test(text))) {
    throw new ConfigError(`${name} must be one line of at most ${mostCharacters} characters.`)
  }
  return text
}

/** An email address, with or without `mailto:`, or an https: address, as people read it. Throws ConfigError. */
function readContact(environment: Environment): string | null {
  const text = environment.SUPPORT_CONTACT?.trim()
  if (!text) return null
  const email = text.replace(/^mailto:/i, '')
  if (/^[^\s@<>"?&#%,;:]+@[^\s@<>"?&#%,;:]+\.[^\s@<>"?&#%,;:]+$/u.test(email)) return email
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new ConfigError('SUPPORT_CONTACT must be an email address or an address that begins with https://.')
  }
  return url.href.replace(/^https:\/\//, '').replace(/\/$/, '')
}

/** Reads who issues receipts; a part is null where its variable is unset. Throws ConfigError. */
export const readIssuer = (environment: Environment, license: string | undefined): Issuer => ({
  name: readLine(environment, 'OPERATOR_NAME'),
  registration: readLine(environment, 'OPERATOR_REGISTRATION'),
  license: license ?? null,
  contact: readContact(environment),
})
