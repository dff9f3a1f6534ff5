import { isCurrencyCode } from '@tern/money/currency'
import { readObject, readText, readTexts } from '../json.ts'
import type { KnownOutcome } from '../outcome.ts'
import type { AccountNumbers } from '../payout/port.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { LinkedAccount, LinkProvider, LinkState, PayeeResult } from './port.ts'

function readAccount(body: unknown): LinkedAccount | undefined {
  const account = readObject(body, 'account')
  const texts = readTexts(account, 'token', 'fingerprint', 'bank_name', 'last4', 'currency', 'country')
  if (!texts) return undefined
  const { bank_name: bankName, currency, ...others } = texts
  const holderName = readText(account, 'holder_name') ?? undefined
  return isCurrencyCode(currency) ? { ...others, bankName, holderName, currency } : undefined
}

/** Parses a bank-account link in a sandbox reply or event; undefined if unreadable. */
export function readLink(body: unknown): KnownOutcome<LinkState> | undefined {
  const status = readText(body, 'status')
  const linkId = readText(body, 'reference')
  if (!linkId) return undefined
  if (status === 'open' || status === 'canceled' || status === 'failed') return { status, linkId }
  const account = readAccount(body)
  return status === 'linked' && account ? { status, linkId, account } : undefined
}

function readNumbers(body: unknown): AccountNumbers | undefined {
  const iban = readText(body, 'iban')
  if (iban !== undefined) return { scheme: 'iban', iban }
  const accountNumber = readText(body, 'account_number')
  const routingNumber = readText(body, 'routing_number')
  const sortCode = readText(body, 'sort_code')
  if (accountNumber === undefined) return undefined
  if (routingNumber !== undefined) return { scheme: 'us', routingNumber, accountNumber }
  return sortCode === undefined ? undefined : { scheme: 'gb', sortCode, accountNumber }
}

function readPayee(body: unknown): KnownOutcome<PayeeResult> | undefined {
  const holderName = readText(body, 'holder_name')
  const numbers = readNumbers(body)
  return holderName !== undefined && numbers ? { status: 'known', payee: { holderName, numbers } } : undefined
}

/** Links accounts at the sandbox's banks. */
export function createSandboxLinkProvider(connection: SandboxConnection): LinkProvider {
  const http = createSandboxHttp(connection)
  return {
    beginLink({ linkId, userReference, holderName, email, country, returnUrl, returnSecret, idempotencyKey }) {
      const person = { user_reference: userReference, holder_name: holderName, email, country }
      const link = { reference: linkId, ...person, return_url: returnUrl, return_secret: returnSecret, idempotencyKey }
      return http.order('/api/bank/links', link, 'a new bank link', (body) => {
        const session = readTexts(body, 'session_id', 'url')
        return session && { status: 'created', sessionId: session.session_id, url: session.url }
      })
    },
    lookupLink: (sessionId) =>
      http.ask(['GET', `/api/bank/links/${encodeURIComponent(sessionId)}`], 'a bank link', readLink),
    unlink: (token) => http.end(`/api/bank/accounts/${encodeURIComponent(token)}/unlink`),
    readPayee: (token) =>
      http.ask(['GET', `/api/bank/accounts/${encodeURIComponent(token)}/numbers`], 'account numbers', readPayee),
  }
}
