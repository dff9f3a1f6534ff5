import '../../../css/transactions.css'
import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction, transactionsOfUser } from '@tern/contract/transactions'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useSearchParams } from 'react-router'
import { transactions as texts } from '#messages/transactions.ts'
import { titles } from '#messages/shell.ts'
import { type TransactionQuery, transactionsQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { useUser } from '../../../app/session/session.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { OfflineNote } from '../../../ui/feedback/OfflineNote.tsx'
import { Pagination } from '../../../ui/layout/Table.tsx'
import {
  firstPageState,
  type ListState,
  countFilters,
  noFilter,
  pageSizes,
  buildQuery,
  readState,
  writeState,
} from './list-state.ts'
import { Toolbar } from './Toolbar.tsx'
import { TransactionGroups } from './TransactionGroups.tsx'
import { TransactionTable } from './TransactionTable.tsx'

const loadDetails = () => import('../details/TransactionDetails.tsx')
const TransactionDetails = lazy(async () => ({ default: (await loadDetails()).TransactionDetails }))

const defaultState = readState(new URLSearchParams())

/**
 * State of the list from the address, and a function to change it. Opening details adds a history entry. Until the user
 * is known, the address is ignored, because hydration needs the prerendered state.
 */
function useListState(isKnown: boolean) {
  const [address, setAddress] = useSearchParams()
  const change = useCallback(
    (part: Partial<ListState>, replace = true) =>
      setAddress((before) => writeState({ ...readState(before), ...part }), { replace, preventScrollReset: true }),
    [setAddress],
  )
  return [isKnown ? readState(address) : defaultState, change] as const
}

type ListChange = ReturnType<typeof useListState>[1]

/** All transactions of the user; search, filter, sort and paging run on the server. */
export default function Transactions() {
  const user = useUser()
  const [state, change] = useListState(user !== undefined)
  const list = useQuery(transactionsQuery(user?.id, buildQuery(state)))
  const search = useCallback((text: string) => change({ ...firstPageState, search: text }), [change])
  const transactions = list.data?.transactions
  const isFiltered = state.search !== '' || countFilters(state) > 0
  // A cursor from an old link may no longer be valid.
  const resetList = () => (list.error instanceof Refused && state.cursor ? change(firstPageState) : void list.refetch())
  return (
    <>
      <h1 className="display-m">{titles.transactions}</h1>
      <OfflineNote className="mt-6" readAt={list.dataUpdatedAt} />
      <Toolbar
        userId={user?.id}
        state={state}
        onSearch={search}
        onFilter={(choices) => change({ ...firstPageState, ...choices })}
      />
      {list.isError && !transactions ? (
        <ErrorState title={texts.failed} onRetry={resetList} />
      ) : transactions?.length === 0 ? (
        <NoResults isFiltered={isFiltered} onReset={() => change({ ...noFilter, ...firstPageState, search: '' })} />
      ) : (
        <div className={list.isPlaceholderData ? 'opacity-60' : undefined}>
          <FoundTransactions {...{ state, change }} page={list.data} />
        </div>
      )}
      {user && state.details && (
        <Suspense>
          <Details userId={user.id} state={state} onClose={() => change({ details: undefined })} />
        </Suspense>
      )}
    </>
  )
}

interface FoundTransactionsProps {
  state: ListState
  change: ListChange
  page: Reply<typeof transactionsOfUser> | undefined
}

/** Results with paging: a table on wide screens, otherwise a grouped list. */
function FoundTransactions({ state, change, page }: FoundTransactionsProps) {
  const tableProps = {
    transactions: page?.transactions,
    pageSize: state.pageSize,
    onOpen: ({ id }: Transaction) => change({ details: id }, false),
  }
  return (
    <>
      <div className="table-space">
        <div className="table-wide">
          <TransactionTable
            {...tableProps}
            sorting={{ column: state.sort, direction: state.order === 'asc' ? 'ascending' : 'descending' }}
            onSort={({ column, direction }) =>
              change({ ...firstPageState, sort: column, order: direction === 'ascending' ? 'asc' : 'desc' })
            }
          />
        </div>
        <div className="table-narrow">
          <TransactionGroups {...tableProps} sort={state.sort} />
        </div>
      </div>
      {page && <Pages {...{ state, change, page }} />}
    </>
  )
}

function Pages({ state, change, page }: FoundTransactionsProps & { page: Reply<typeof transactionsOfUser> }) {
  const { previous_cursor: previous, next_cursor: next, transactions } = page
  const first = previous ? state.first : 1
  const goToPage = (cursor: string | null, step: number) =>
    cursor
      ? () => change({ at: '', cursor, first: first === undefined ? undefined : Math.max(1, first + step) })
      : undefined
  return (
    <Pagination
      first={first}
      shownCount={transactions.length}
      total={page.total}
      isTotalExact={page.total_is_exact}
      pageSize={state.pageSize}
      pageSizes={pageSizes}
      onPrevious={goToPage(previous, -state.pageSize)}
      onNext={goToPage(next, transactions.length)}
      onPageSize={(pageSize) => change({ ...firstPageState, pageSize })}
    />
  )
}

type DetailsProps = { userId: number; state: ListState; onClose: () => void }

/** Open transaction: from the list if present, otherwise loaded by id. */
function Details({ userId, state, onClose }: DetailsProps) {
  const list = useQuery(transactionsQuery(userId, buildQuery(state)))
  const listedTransaction = list.data?.transactions.find(({ id }) => id === state.details)
  const byId: TransactionQuery = { search: state.details ?? '', limit: '1' }
  const byIdQuery = useQuery({ ...transactionsQuery(userId, byId), enabled: !listedTransaction && !list.isPending })
  const foundTransaction = listedTransaction ?? byIdQuery.data?.transactions.find(({ id }) => id === state.details)
  // Keeps the details open if the list no longer contains the transaction.
  const [lastFound, setLastFound] = useState(foundTransaction)
  if (foundTransaction && foundTransaction !== lastFound) setLastFound(foundTransaction)
  const transaction = foundTransaction ?? (lastFound?.id === state.details ? lastFound : undefined)
  return transaction && <TransactionDetails transaction={transaction} onClose={onClose} />
}

function NoResults({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  return (
    <EmptyState title={texts.emptyTitle} text={isFiltered ? texts.emptyFilteredText : texts.emptyText}>
      <div className="row">
        {isFiltered && <Button onClick={onReset}>{texts.resetFilter}</Button>}
        <LinkButton look="primary" to={paths.send}>
          {texts.sendMoney}
        </LinkButton>
      </div>
    </EmptyState>
  )
}
