import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { Link } from 'react-router'
import { categoryNames } from '#messages/insight/insights.ts'
import { titles } from '#messages/shell.ts'
import { toLocalDay } from '../../../app/browser/local-day.ts'
import { type FigureChoice, writeInsightAddress } from '../../../app/insight-address.ts'
import { figureQuery, toFigureQuery } from '../../../app/insight-figure.ts'
import { useUser } from '../../../app/session/session.ts'

/** Figure of /insights that contains a completed transfer with another person; undefined for other transactions. */
export function findFigure({ transaction_type: type, status, counterparty }: Transaction): FigureChoice | undefined {
  if (status !== 'COMPLETED' || counterparty === null || (type !== 'SEND' && type !== 'RECEIVE')) return undefined
  return { flow: type === 'SEND' ? 'spending' : 'income', person: counterparty.id }
}

/** Link to the category of a transfer in its month, or to all with this person while the category is not known. */
export function CategoryLink({ transaction, figure }: { transaction: Transaction; figure: FigureChoice }) {
  const user = useUser()
  const { id, currency, timestamp } = transaction
  const month = toLocalDay(new Date(timestamp)).slice(0, 7)
  const { data } = useQuery(figureQuery(user?.id, toFigureQuery(currency, month, figure)))
  const category = data?.transactions.find((one) => one.transaction.id === id)?.category
  return category ? (
    <Link to={writeInsightAddress(currency, month, { flow: figure.flow, category })}>{categoryNames[category]}</Link>
  ) : (
    <Link to={writeInsightAddress(currency, month, figure)}>{titles.insights}</Link>
  )
}
