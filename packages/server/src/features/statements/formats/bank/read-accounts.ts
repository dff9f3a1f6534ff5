import { type FiatCode, fiatCodes, isFiatCode } from '@tern/money/currency'
import type { Db } from '../../../../platform/database/db.ts'
import type { Wallet } from '../../../wallets/wallets.ts'
import type { Period } from '../../period.ts'
import { readMovements, readOpening } from '../../read-movements.ts'
import { type LineFacts, toLines } from '../../statement-lines.ts'
import type { BankAccount } from './bank-file.ts'

interface AccountQuery {
  readonly wallet: Pick<Wallet, 'id' | 'userId' | 'baseCurrency'>
  readonly period: Pick<Period, 'startsAt' | 'endsAt' | 'asOf'>
  /** All fiat currencies by default. */
  readonly currency?: FiatCode | undefined
}

/** Reads the balances in fiat currencies that have ever been used, and the wallet's base currency. */
export async function readBankAccounts(db: Db, query: AccountQuery): Promise<BankAccount[]> {
  const { wallet, period } = query
  const currencies = query.currency === undefined ? fiatCodes : [query.currency]
  const opening = await readOpening(db, { wallet, currencies, at: period.startsAt })
  const closing = await readOpening(db, { wallet, currencies, at: period.endsAt })
  const used = new Set([query.currency ?? wallet.baseCurrency, ...closing.map(({ currency }) => currency)])
  const find = (balances: typeof opening, currency: FiatCode) =>
    balances.find((each) => each.part === 'available' && each.currency === currency)?.balance ?? 0n
  return [...used].filter(isFiatCode).map((currency) => ({
    currency,
    opening: find(opening, currency),
    closing: find(closing, currency),
    lines: readLines(db, { ...query, currency }),
  }))
}

async function* readLines(
  db: Db,
  { wallet, period, currency }: AccountQuery & { readonly currency: FiatCode },
): AsyncGenerator<LineFacts, void, undefined> {
  const { startsAt: from, endsAt: until, asOf } = period
  for await (const movement of readMovements(db, { wallet, from, until, currencies: [currency] })) {
    yield* toLines({ movement, currency, asOf })
  }
}
