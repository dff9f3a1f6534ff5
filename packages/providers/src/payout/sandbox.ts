import { readAmount } from '../card/sandbox.ts'
import { readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import type { PayoutProvider, PayoutState } from './port.ts'

/** What an answer or event of the sandbox says about a payout; undefined when it cannot be read. */
export function readPayout(body: unknown): Exclude<PayoutState, { status: 'unknown' }> | undefined {
  const status = readText(body, 'status')
  const payoutId = readText(body, 'reference')
  if (!payoutId) return undefined
  if (status === 'open') return { status, payoutId }
  const reason = readText(body, 'reason') ?? 'failed'
  if (status === 'failed') return { status, payoutId, reason }
  const amount = readAmount(body)
  const paidId = readText(body, 'paid_id')
  if (!amount || !paidId) return undefined
  if (status === 'paid') return { status: 'settled', payoutId, amount, paidId }
  const returnId = readText(body, 'return_id')
  return status === 'returned' && returnId ? { status, payoutId, amount, paidId, returnId, reason } : undefined
}

/** Payouts to the sandbox's banks. */
export function createSandboxPayout(connection: SandboxConnection): PayoutProvider {
  const http = createSandboxHttp(connection)
  return {
    async pay({ payoutId, amount, accountToken, description, idempotencyKey }) {
      const answer = await http.request('POST', '/api/payouts', {
        idempotencyKey,
        body: {
          amount_minor: amount.minor.toString(),
          currency: amount.currency,
          reference: payoutId,
          account_token: accountToken,
          description,
        },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const providerPayoutId = readText(answer.body, 'payout_id')
      return providerPayoutId ? { status: 'accepted', providerPayoutId } : unreadable('a new payout')
    },

    async lookup(providerPayoutId) {
      const answer = await http.request('GET', `/api/payouts/${encodeURIComponent(providerPayoutId)}`)
      if (answer.status === 'done') return readPayout(answer.body) ?? unreadable('a payout')
      return { status: 'unknown', reason: answer.status === 'refused' ? answer.message : answer.reason }
    },
  }
}
