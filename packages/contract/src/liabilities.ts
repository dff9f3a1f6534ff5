import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { currency, decimal } from './protocol/wire.ts'

export const balanceProofShape = z.object({
  /**
   * `proved`: the file proves the balances. `not_yet`: no day's tree is in the log yet. `nothing_owed`: the account had
   * no money at the end of the day. `missing`: the tree does not count the balances.
   */
  state: z.enum(['proved', 'not_yet', 'nothing_owed', 'missing']),
  /** Day in UTC at whose end the balances were these; null for `not_yet`. */
  day: z.nullable(z.iso.date()),
  /** Account number in the proof. */
  holder: z.string(),
  /** The ledger's balances at that time, available and on hold together. */
  balances: z.array(z.object({ currency, amount: decimal })),
  /** Content of a .tlog-proof file. */
  file: z.nullable(z.string()),
})
export type BalanceProofReply = z.output<typeof balanceProofShape>

export const balanceProof = endpoint({
  method: 'GET',
  path: '/balances/proof',
  summary:
    "Proof that the caller's balances at the end of the last day (UTC) are counted in everything that is owed to account holders.",
  access: 'session',
  reply: balanceProofShape,
  refusals: ['rate_limited'],
})
