import { isCurrencyCode } from '@tern/money/currency'
import { orderOf, readCollection } from '../card/sandbox.ts'
import { readObject, readText, readTexts } from '../json.ts'
import type { Known } from '../outcome.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { BankProvider, LinkedAccount, LinkState } from './port.ts'

function readAccount(body: unknown): LinkedAccount | undefined {
  const account = readObject(body, 'account')
  const texts = readTexts(account, 'token', 'fingerprint', 'bank_name', 'last4', 'currency', 'country')
  if (!texts) return undefined
  const { bank_name: bankName, currency, ...others } = texts
  const holderName = readText(account, 'holder_name') ?? undefined
  return isCurrencyCode(currency) ? { ...others, bankName, holderName, currency } : undefined
}

/** Parses a linking in a sandbox reply or event; undefined if unreadable. */
export function readLink(body: unknown): Known<LinkState> | undefined {
  const status = readText(body, 'status')
  const linkId = readText(body, 'reference')
  if (!linkId) return undefined
  if (status === 'open' || status === 'canceled' || status === 'failed') return { status, linkId }
  const account = readAccount(body)
  return status === 'linked' && account ? { status, linkId, account } : undefined
}

/** Links and debits accounts at the sandbox's banks. */
export function createSandboxBank(connection: SandboxConnection): BankProvider {
  const http = createSandboxHttp(connection)
  const debitPath = (sessionId: string) => `/api/bank/debits/${encodeURIComponent(sessionId)}`
  return {
    beginLink({ linkId, userReference, holderName, email, country, returnUrl, returnSecret, idempotencyKey }) {
      const person = { user_reference: userReference, holder_name: holderName, email, country }
      const link = { reference: linkId, ...person, return_url: returnUrl, return_secret: returnSecret, idempotencyKey }
      return http.order('/api/bank/links', link, 'a new bank link', (body) => {
        const begun = readTexts(body, 'session_id', 'url')
        return begun && { status: 'created', sessionId: begun.session_id, url: begun.url }
      })
    },
    lookupLink: (sessionId) =>
      http.ask(['GET', `/api/bank/links/${encodeURIComponent(sessionId)}`], 'a bank link', readLink),
    unlink: (token) => http.end(`/api/bank/accounts/${encodeURIComponent(token)}/unlink`),
    debit: ({ paymentId, accountToken, ...order }) =>
      http.order(
        '/api/bank/debits',
        { ...orderOf(paymentId, order), account_token: accountToken },
        'a new debit',
        (body) => {
          const sessionId = readText(body, 'session_id')
          return sessionId ? { status: 'created', sessionId } : undefined
        },
      ),
    lookupDebit: (sessionId) => http.ask(['GET', debitPath(sessionId)], 'a debit', readCollection),
    cancelDebit: (sessionId) => http.ask(['POST', `${debitPath(sessionId)}/cancel`], 'a debit', readCollection),
  }
}
