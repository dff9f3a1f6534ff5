import { queryOptions } from '@tanstack/react-query'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { ownCertificates, readStatement, statementMails } from '@tern/contract/statements'
import { transactionsOfUser } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { buildQuery, retryUnlessRefused } from '../../app/session/query.ts'
import { callApi } from '../../app/session/session.ts'
import { isZero } from '../../ui/format/format.ts'

export type StatementQuery = NonNullable<CallInput<typeof readStatement>['query']>

/**
 * First page of a statement. It states its own time, so it is read again when the page opens and on request only: lines
 * loaded later belong to the same reading.
 */
export const statementQuery = (userId: number | undefined, query: StatementQuery) => ({
  ...buildQuery(['statements', userId], readStatement, { query }),
  retry: retryUnlessRefused(1),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: 'always' as const,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/** Currencies in which the wallet has or had money: its main one, others with a balance, and others with transactions. */
export const usedCurrenciesQuery = (wallet: Wallet | undefined) =>
  queryOptions({
    // The event stream refetches queries of this topic.
    queryKey: ['transactions', wallet?.user_id, 'currencies'],
    enabled: wallet !== undefined,
    queryFn: async ({ signal }) => (wallet ? listUsedCurrencies(wallet, signal) : []),
  })

async function listUsedCurrencies(wallet: Wallet, signal: AbortSignal): Promise<CurrencyCode[]> {
  const { assets, base_currency: base, user_id: userId } = wallet
  const isUsed = async ({ currency, available, held }: Wallet['assets'][number]) => {
    if (currency === base || !isZero(available) || !isZero(held)) return true
    const query = { currency, limit: '1' }
    const { transactions } = await callApi(transactionsOfUser, { params: { userId: String(userId) }, query }, signal)
    return transactions.length > 0
  }
  const uses = await Promise.all(assets.map(isUsed))
  const used = assets.filter((_, index) => uses[index]).map(({ currency }) => currency)
  return [base, ...used.filter((currency) => currency !== base)]
}

export const statementMailsQuery = (userId: number) => buildQuery(['statement-mails', userId], statementMails, {})

export const certificatesQuery = (userId: number) => buildQuery(['certificates', userId], ownCertificates, {})
