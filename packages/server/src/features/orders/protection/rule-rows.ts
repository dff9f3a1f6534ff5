import { type Money, parseDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { readWallet, type Wallet } from '../../wallets/wallets.ts'

export interface ActionRow {
  readonly id: string
  readonly rule_id: string
  readonly incoming_id: string | null
  readonly state: 'waiting' | 'done' | 'not_needed' | 'refused'
  readonly tries: number
  readonly created_at: Date
}

/** Returns the available balances of a wallet, without holds. */
export async function readBalances(db: Db, wallet: Wallet): Promise<Money[]> {
  const { assets } = await readWallet(db, wallet)
  return assets.map(({ currency, available }) => parseDecimal(currency, available))
}
