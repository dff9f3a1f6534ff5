import type { Reply } from '@tern/contract/protocol/endpoint'
import type { walletTotals } from '@tern/contract/wallets'
import { walletAccount } from '@tern/ledger/chart'
import { fiatCodes, type FiatCode } from '@tern/money/currency'
import { averageBankBasisPoints, feeBasisPoints, computeFee } from '@tern/money/fee'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { lowestId } from '../list/list-cursor.ts'
import { onlyRow, type Db } from '../../../platform/database/db.ts'
import { isReplica } from '../../../platform/database/replicas/replica-pool.ts'
import type { Wallet } from '../wallets.ts'
import {
  completeDays,
  type AccountVersion,
  findFirstEntryAfter,
  maxUncachedEntries,
  sumEntries,
} from './balance-days.ts'

const longestMs = 366 * 24 * 60 * 60_000

/** Round amounts of about 200 dollars, the amount of the bank average. */
const exampleAmounts: Partial<Record<FiatCode, string>> = { JPY: '30000', INR: '15000', BRL: '1000' }

interface Period {
  readonly wallet: Wallet
  readonly from: Date
  readonly to: Date
}

/**
 * Reads the money in and out of the base-currency balance since a time, and the cost of its transfers. In and out are
 * ledger movements, without money returned on the day it left (UTC). Fees and sends abroad are those of completed
 * sends, exchanges and withdrawals paid from this balance only. `kept` is the bank's price less all of these fees.
 * Covers at most 366 days; `from` is the actual start.
 */
export async function readTotals(db: Db, { wallet, from: since, to }: Period): Promise<Reply<typeof walletTotals>> {
  const from = new Date(Math.min(to.getTime(), Math.max(since.getTime(), to.getTime() - longestMs)))
  const sums = await sumMovements(db, { wallet, from, to })
  const costs = await sumCosts(db, { wallet, from })
  const decimal = (minor: bigint) => toDecimal(money(wallet.baseCurrency, minor))
  const bankCost = computeFee(money(wallet.baseCurrency, costs.abroad), averageBankBasisPoints).minor
  return {
    currency: wallet.baseCurrency,
    from: from.toISOString(),
    to: to.toISOString(),
    money_in: decimal(sums.in),
    money_out: decimal(sums.out),
    fees: decimal(costs.fees),
    abroad: {
      amount: decimal(costs.abroad),
      bank_cost: decimal(bankCost),
      kept: decimal(bankCost - costs.fees),
    },
    example: buildExample(wallet.baseCurrency),
  }
}

/** Sums the ledger's movements of the base-currency account since a time. */
async function sumMovements(db: Db, { wallet, from, to }: Period) {
  const { rows } = await db.query<AccountVersion>('select id, version from ledger.account where name = $1', [
    walletAccount(wallet.id, wallet.baseCurrency).name,
  ])
  const [account] = rows
  if (!account) return { in: 0n, out: 0n }
  const first = await findFirstEntryAfter(db, { account, at: new Date(from.getTime() - 1) })
  const isLong = account.version - first + 1n > maxUncachedEntries
  if (isLong && !isReplica(db)) await completeDays(db, { account, now: to })
  return sumEntries(db, { account, first })
}

/** Sums the fees paid from this balance, and its completed sends into other fiat currencies. */
async function sumCosts(db: Db, { wallet, from }: Omit<Period, 'to'>) {
  const { rows } = await db.query<{ fees: bigint; abroad: bigint }>(
    `select
        coalesce(sum(fee_amount) filter (where fee_currency = $3), 0) as fees,
        coalesce(sum(source_amount) filter (where kind = 'SEND' and source_currency = $3 and target_currency <> $3
          and target_currency = any($4)), 0) as abroad
       from transaction
      where user_id = $1 and id >= $2 and status = 'COMPLETED' and kind in ('SEND', 'EXCHANGE', 'WITHDRAW')
        and (kind = 'WITHDRAW' or coalesce(payment_source, 'wallet') = 'wallet')`,
    [wallet.userId, lowestId(from), wallet.baseCurrency, fiatCodes],
  )
  return onlyRow(rows)
}

/** Cost of sending an example amount abroad, here and at an average bank. */
function buildExample(currency: FiatCode) {
  const amount = parseDecimal(currency, exampleAmounts[currency] ?? '200')
  const fee = computeFee(amount, feeBasisPoints.stablecoin_bridge)
  const bankCost = computeFee(amount, averageBankBasisPoints)
  return {
    amount: toDecimal(amount),
    fee: toDecimal(fee),
    total: toDecimal(money(currency, amount.minor + fee.minor)),
    bank_cost: toDecimal(bankCost),
    kept: toDecimal(money(currency, bankCost.minor - fee.minor)),
  }
}
