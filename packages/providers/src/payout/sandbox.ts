import { buildOrder, readAmount } from '../collect/sandbox-card.ts'
import { readText } from '../json.ts'
import type { KnownOutcome } from '../outcome.ts'
import { createSandboxHttp, neverExpires, type SandboxConnection } from '../sandbox-http.ts'
import type { PayoutProvider, PayoutState } from './port.ts'

/** Parses a payout in a sandbox reply or event; undefined if unreadable. */
export function readPayout(body: unknown): KnownOutcome<PayoutState> | undefined {
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

export function createSandboxPayoutProvider(connection: SandboxConnection): PayoutProvider {
  const http = createSandboxHttp(connection)
  return {
    keysKeptMs: neverExpires,
    pay: ({ payoutId, accountToken, ...order }) =>
      http.order(
        '/api/payouts',
        { ...buildOrder(payoutId, order), account_token: accountToken },
        'a new payout',
        (body) => {
          const providerPayoutId = readText(body, 'payout_id')
          return providerPayoutId ? { status: 'accepted', providerPayoutId } : undefined
        },
      ),
    lookup: (id) => http.ask(['GET', `/api/payouts/${encodeURIComponent(id)}`], 'a payout', readPayout),
  }
}
