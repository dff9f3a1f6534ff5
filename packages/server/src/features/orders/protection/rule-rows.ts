import type { ProtectionRule } from '@tern/contract/orders/protection-rules'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { type Money, parseDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { readWallet, type Wallet } from '../../wallets/wallets.ts'

export interface RuleRow {
  readonly id: string
  readonly user_id: bigint
  readonly kind: ProtectionRule['kind']
  readonly is_on: boolean
  readonly currency: CurrencyCode
  readonly base_currency: FiatCode
  readonly share_percent: number | null
  readonly threshold_minor: bigint | null
  readonly check_at: Date | null
  readonly acts_from: Date | null
  readonly on_since: Date
  readonly waiting_reason: string | null
  readonly waiting_since: Date | null
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly updated_at: Date
}

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
