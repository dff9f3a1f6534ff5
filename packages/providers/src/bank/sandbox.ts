import { isCurrencyCode } from '@tern/money/currency'
import { collectionOf } from '../card/sandbox.ts'
import { readObject, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import type { BankProvider, LinkedAccount, LinkState } from './port.ts'

function readAccount(body: unknown): LinkedAccount | undefined {
  const account = readObject(body, 'account')
  const token = readText(account, 'token')
  const fingerprint = readText(account, 'fingerprint')
  const bankName = readText(account, 'bank_name')
  const last4 = readText(account, 'last4')
  const currency = readText(account, 'currency') ?? ''
  const country = readText(account, 'country')
  if (!token || !fingerprint || !bankName || !last4 || !country || !isCurrencyCode(currency)) return undefined
  return { token, fingerprint, bankName, last4, currency, country }
}

/** What an answer or event of the sandbox says about a linking; undefined when it cannot be read. */
export function readLink(body: unknown): Exclude<LinkState, { status: 'unknown' }> | undefined {
  const status = readText(body, 'status')
  const linkId = readText(body, 'reference')
  if (!linkId) return undefined
  if (status === 'open' || status === 'canceled' || status === 'failed') return { status, linkId }
  const account = readAccount(body)
  return status === 'linked' && account ? { status, linkId, account } : undefined
}

/** Linking bank accounts and debiting them at the sandbox's banks. */
export function createSandboxBank(connection: SandboxConnection): BankProvider {
  const http = createSandboxHttp(connection)
  const debitPath = (sessionId: string) => `/api/bank/debits/${encodeURIComponent(sessionId)}`
  return {
    async beginLink({ linkId, userReference, holderName, email, country, returnUrl, idempotencyKey }) {
      const answer = await http.request('POST', '/api/bank/links', {
        idempotencyKey,
        body: {
          reference: linkId,
          user_reference: userReference,
          holder_name: holderName,
          email,
          country,
          return_url: returnUrl,
        },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const sessionId = readText(answer.body, 'session_id')
      const url = readText(answer.body, 'url')
      return sessionId && url ? { status: 'created', sessionId, url } : unreadable('a new bank link')
    },

    async lookupLink(sessionId) {
      const answer = await http.request('GET', `/api/bank/links/${encodeURIComponent(sessionId)}`)
      if (answer.status === 'done') return readLink(answer.body) ?? unreadable('a bank link')
      return { status: 'unknown', reason: answer.status === 'refused' ? answer.message : answer.reason }
    },

    async unlink(token) {
      const answer = await http.request('POST', `/api/bank/accounts/${encodeURIComponent(token)}/unlink`)
      return answer.status === 'done' || (answer.status === 'refused' && answer.httpStatus === 404)
    },

    async debit({ paymentId, amount, accountToken, description, idempotencyKey }) {
      const answer = await http.request('POST', '/api/bank/debits', {
        idempotencyKey,
        body: {
          amount_minor: amount.minor.toString(),
          currency: amount.currency,
          reference: paymentId,
          account_token: accountToken,
          description,
        },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const sessionId = readText(answer.body, 'session_id')
      return sessionId ? { status: 'created', sessionId } : unreadable('a new debit')
    },

    async lookupDebit(sessionId) {
      return collectionOf(await http.request('GET', debitPath(sessionId)), 'a debit')
    },

    async cancelDebit(sessionId) {
      return collectionOf(await http.request('POST', `${debitPath(sessionId)}/cancel`), 'a debit')
    },
  }
}
