import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { shell } from '#messages/shell.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { type TransactionQuery, transactionsQuery } from '../../live.ts'
import { pathIfPresent } from '../../paths.ts'
import { useUser } from '../../session.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { OfflineNote } from '../../ui/OfflineNote.tsx'
import { Pagination } from '../../ui/Table.tsx'
import { type ListState, narrowingsOf, noFilter, pageSizes, queryOf, readState, writeState } from './list-state.ts'
import { Toolbar } from './Toolbar.tsx'
import { TransactionGroups } from './TransactionGroups.tsx'
import { TransactionTable } from './TransactionTable.tsx'

const TransactionDetails = lazy(async () => ({
  default: (await import('./TransactionDetails.tsx')).TransactionDetails,
}))

export const meta = () => [{ title: shell.pageTitle(texts.title) }]

const usualState = readState(new URLSearchParams())

/**
 * The list's state from the address, and a way to change it. Opening details makes a step to go back from. Until it is
 * known who is here the page is as it was built, without an address: React takes over exactly that page.
 */
function useListState(isKnown: boolean) {
  const [address, setAddress] = useSearchParams()
  const change = useCallback(
    (part: Partial<ListState>, replace = true) =>
      setAddress((before) => writeState({ ...readState(before), ...part }), { replace, preventScrollReset: true }),
    [setAddress],
  )
  return [isKnown ? readState(address) : usualState, change] as const
}

type Change = ReturnType<typeof useListState>[1]

/** A page that lies behind the last one, as an old link may ask for, becomes the last one. */
function useLastPage(isPastEnd: boolean, lastPage: number, change: Change): void {
  useEffect(() => {
    if (isPastEnd) change({ page: lastPage })
  }, [isPastEnd, lastPage, change])
}

/** All movements of the person's money: searched, filtered, sorted and paged by the server. */
export default function Transactions() {
  const user = useUser()
  const [state, change] = useListState(user !== undefined)
  const list = useQuery({ ...transactionsQuery(user?.id ?? 0, queryOf(state)), enabled: user !== undefined })
  const search = useCallback((text: string) => change({ search: text, page: 0 }), [change])
  const { transactions, total = 0 } = list.data ?? {}
  const since = list.dataUpdatedAt ? new Date(list.dataUpdatedAt).toISOString() : undefined
  const isNarrowed = state.search !== '' || narrowingsOf(state) > 0
  const isPastEnd = transactions?.length === 0 && total > 0
  useLastPage(isPastEnd, Math.max(0, Math.ceil(total / state.pageSize) - 1), change)
  return (
    <>
      <h1 className="display-m">{texts.title}</h1>
      <div className="mt-6 empty:hidden">
        <OfflineNote since={since} />
      </div>
      <Toolbar
        userId={user?.id}
        state={state}
        onSearch={search}
        onFilter={(chosen) => change({ ...chosen, page: 0 })}
      />
      {list.isError && !transactions ? (
        <ErrorState title={texts.failed} onRetry={() => void list.refetch()} />
      ) : transactions?.length === 0 && !isPastEnd ? (
        <NothingFound isNarrowed={isNarrowed} onReset={() => change({ ...noFilter, search: '', page: 0 })} />
      ) : (
        <div className={list.isPlaceholderData ? 'opacity-60' : undefined}>
          <Found {...{ state, change, transactions, total }} />
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

interface FoundProps {
  state: ListState
  change: Change
  transactions: readonly Transaction[] | undefined
  total: number
}

/** The found transactions: a table where there is room, else a list by days, and the way to more of them. */
function Found({ state, change, transactions, total }: FoundProps) {
  const shared = {
    transactions,
    pageSize: state.pageSize,
    onOpen: ({ id }: Transaction) => change({ details: id }, false),
  }
  return (
    <>
      <div className="wide-only">
        <TransactionTable
          {...shared}
          sorting={{ column: state.sort, direction: state.order === 'asc' ? 'ascending' : 'descending' }}
          onSort={({ column, direction }) =>
            change({ sort: column, order: direction === 'ascending' ? 'asc' : 'desc', page: 0 })
          }
        />
      </div>
      <div className="narrow-only">
        <TransactionGroups {...shared} byDate={state.sort === 'date'} />
      </div>
      {transactions && (
        <Pagination
          page={state.page}
          pageSize={state.pageSize}
          total={total}
          pageSizes={pageSizes}
          onPage={(page) => change({ page })}
          onPageSize={(size) => change({ pageSize: size, page: 0 })}
        />
      )}
    </>
  )
}

type DetailsProps = { userId: number; state: ListState; onClose: () => void }

/** The open transaction: from the list if it is there, else asked for by its id. */
function Details({ userId, state, onClose }: DetailsProps) {
  const list = useQuery(transactionsQuery(userId, queryOf(state)))
  const shown = list.data?.transactions.find(({ id }) => id === state.details)
  const byId: TransactionQuery = { search: state.details ?? '', limit: '1' }
  const asked = useQuery({ ...transactionsQuery(userId, byId), enabled: !shown && !list.isPending })
  const found = shown ?? asked.data?.transactions.find(({ id }) => id === state.details)
  // What is open stays open while a list that has moved on no longer holds it.
  const [last, setLast] = useState(found)
  if (found && found !== last) setLast(found)
  const transaction = found ?? (last?.id === state.details ? last : undefined)
  return transaction && <TransactionDetails transaction={transaction} onClose={onClose} />
}

function NothingFound({ isNarrowed, onReset }: { isNarrowed: boolean; onReset: () => void }) {
  const send = pathIfPresent('send')
  return (
    <EmptyState title={texts.emptyTitle} text={isNarrowed ? texts.emptyFilteredText : texts.emptyText}>
      <div className="row">
        {isNarrowed && <Button onClick={onReset}>{texts.resetFilter}</Button>}
        {send && (
          <LinkButton look="primary" to={send}>
            {texts.sendMoney}
          </LinkButton>
        )}
      </div>
    </EmptyState>
  )
}
