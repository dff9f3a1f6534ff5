import { useQuery } from '@tanstack/react-query'
import { insightTransactions } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { useState } from 'react'
import { Link } from 'react-router'
import { categoryNames, insights as texts } from '#messages/insight/insights.ts'
import { type FigureChoice, writeInsightAddress } from '../../app/insight-address.ts'
import { figureQuery, toFigureQuery } from '../../app/insight-figure.ts'
import { paths } from '../../app/paths.ts'
import { formatPeriod } from '../../app/periods/period-choices.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { formatDate } from '../../ui/format/format.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { writeTitle } from '../../ui/money/activity.ts'
import { Balance } from '../../ui/money/Balance.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { CategorySelect, LastChoice } from './CategorySelect.tsx'
import { type Counterparty, nameParty } from './name-party.ts'
import { type CategoryChoices, useCategoryChoice } from './use-category-choice.ts'

type Page = Reply<typeof insightTransactions>

interface FigureDialogProps {
  userId: number
  currency: CurrencyCode
  period: string
  figure: FigureChoice
  counterparties: readonly Counterparty[]
  onClose: () => void
}

/** Name of a figure: its category or person, otherwise its kind of money. */
function nameFigure({ flow, category, person }: FigureChoice, counterparties: readonly Counterparty[]): string {
  if (category) return categoryNames[category]
  if (person === 'guests') return texts.guests
  const counterparty = counterparties.find(({ party }) => party.id === person)
  if (person !== undefined && counterparty) return nameParty(counterparty.party)
  return flow === 'spending' || flow === 'income' ? texts[flow] : texts.ownKinds[flow]
}

/** The transactions that add up to a figure, above the page. */
export function FigureDialog({ userId, currency, period, figure, counterparties, onClose }: FigureDialogProps) {
  const query = toFigureQuery(currency, period, figure)
  const state = useQuery(figureQuery(userId, query))
  const choices = useCategoryChoice(userId)
  const title = texts.figureOf(nameFigure(figure, counterparties), formatPeriod({ period }))
  return (
    <Dialog open scaleBar title={title} onClose={onClose}>
      <DataShell query={state} skeleton={<ActivitySkeleton rows={4} />} failed={texts.figureFailed}>
        {(page) => (
          <>
            <p>
              <Balance amount={page.sum ?? '0'} currency={currency} size="medium" />
            </p>
            <LastChoice choices={choices} />
            <FigureTransactions
              {...{ currency, period, figure, query, choices }}
              firstPage={page}
              readAt={state.dataUpdatedAt}
            />
          </>
        )}
      </DataShell>
    </Dialog>
  )
}

interface TransactionsProps extends Pick<FigureDialogProps, 'currency' | 'period' | 'figure'> {
  query: ReturnType<typeof toFigureQuery>
  firstPage: Page
  /** Time at which the first page was read; further pages belong to it. */
  readAt: number
  choices: CategoryChoices
}

function FigureTransactions({ firstPage, readAt, query, ...rowProps }: TransactionsProps) {
  const [further, setFurther] = useState<{ readAt: number; pages: readonly Page[] }>({ readAt, pages: [] })
  const furtherPages = further.readAt === readAt ? further.pages : []
  const pages = [firstPage, ...furtherPages]
  const action = useAction({ failed: texts.moreFailed })
  const next = pages.at(-1)?.next
  const loadMore = () =>
    action.run(async () => {
      if (!next) return
      const page = await callApi(insightTransactions, { query: { ...query, after: next } })
      setFurther({ readAt, pages: [...furtherPages, page] })
    })
  const rows = pages.flatMap(({ transactions }) => transactions)
  if (rows.length === 0) return <p className="muted mt-4">{texts.figureEmpty}</p>
  return (
    <>
      <ul className="figure-list">
        {rows.map((row) => (
          <FigureRow key={row.transaction.id} row={row} {...rowProps} />
        ))}
      </ul>
      {action.error && <Note tone="error">{action.error}</Note>}
      {next && (
        <Button processing={action.isBusy} onClick={loadMore}>
          {texts.more}
        </Button>
      )}
    </>
  )
}

interface RowProps extends Pick<TransactionsProps, 'currency' | 'period' | 'figure' | 'choices'> {
  row: Page['transactions'][number]
}

function FigureRow({ row, currency, period, figure, choices }: RowProps) {
  const { transaction, amount, category, category_origin: origin } = row
  const name = writeTitle(transaction)
  const { flow } = figure
  return (
    <li>
      <Link className="figure-link" to={`${paths.transactions}?details=${transaction.id}`}>
        <span className="min-w-0">
          <span className="block truncate font-medium">{name}</span>
          <time className="small muted block" dateTime={transaction.timestamp}>
            {formatDate(transaction.timestamp)}
          </time>
        </span>
        <span className="tabular font-medium" translate="no">
          {formatExact(amount, currency)}
        </span>
      </Link>
      {category !== null && (
        <div className="figure-category">
          <CategorySelect
            subject={{ transaction: transaction.id }}
            name={`${name}, ${formatDate(transaction.timestamp)}`}
            value={origin === 'transaction' ? category : null}
            fallback={origin === 'transaction' ? undefined : category}
            choices={choices}
          />
          {figure.category === undefined && (
            <Link
              className="figure-more"
              to={writeInsightAddress(currency, period, { flow, category })}
              preventScrollReset
            >
              {texts.showCategory(categoryNames[category])}
            </Link>
          )}
        </div>
      )}
    </li>
  )
}
