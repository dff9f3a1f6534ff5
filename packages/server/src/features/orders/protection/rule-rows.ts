import { type Money, parseDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { readWallet, type Wallet } from '../../wallets/wallets.ts'

/** Returns the available balances of a wallet, which exclude holds. */
export async function readBalances(db: Db, wallet: Wallet): Promise<Money[]> {
  const { assets } = await readWallet(db, wallet)
  return assets.map(({ currency, available }) => parseDecimal(currency, available))
}
