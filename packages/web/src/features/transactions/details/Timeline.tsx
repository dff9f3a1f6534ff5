import type { Transaction } from '@tern/contract/transactions'
import { transaction as words } from '#messages/transaction.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { shortNameOf } from '../../../ui/money/activity.ts'
import { classNames } from '../../../ui/icon/class-names.ts'
import { formatMoney } from '../../../ui/format/format.ts'

interface Step {
  readonly text: string
  readonly at?: string
  /** What has not happened yet, or will not. */
  readonly isOpen?: boolean
}

/** What has happened to a transaction, and what it waits for, in order. */
export function stepsOf(transaction: Transaction): Step[] {
  const { transaction_type: type, status, timestamp: at, amount, currency, payment_source: paid } = transaction
  const { target_amount: targetAmount, target_currency: target, source_currency: source } = transaction
  const { steps } = texts
  const name = shortNameOf(transaction)
  const isDone = status === 'COMPLETED'
  const end = (done: string, waits: string): Step =>
    isDone ? { text: done } : { text: status === 'FAILED' ? steps.notMade : waits, isOpen: true }
  const gets = formatMoney(targetAmount, target)
  if (type === 'RECEIVE') return [{ text: steps.sent(name), at }, end(steps.youHave(gets), words.notYetYours)]
  if (type === 'DEPOSIT') return [{ text: steps.ordered, at }, end(steps.youHave(gets), steps.waiting)]
  const first = { text: type === 'WITHDRAW' ? steps.ordered : steps.confirmed, at }
  const left = (isDone || type === 'WITHDRAW') && { text: steps.left(formatMoney(amount, currency)) }
  const converted = isDone && source !== target && { text: steps.converted(target) }
  const last =
    type === 'SEND'
      ? end(steps.has(name, gets), paid === 'wallet' ? steps.notSentYet : steps.waiting)
      : type === 'WITHDRAW' && end(texts.typeChoices.WITHDRAWAL, steps.onItsWay)
  return [first, left, converted, last].filter((step): step is Step => step !== false)
}

/** The steps as a line with dots; only what is known to the second has a time. */
export function Timeline({ transaction, format }: { transaction: Transaction; format: (at: string) => string }) {
  const steps = stepsOf(transaction)
  return (
    <section className="mb-6">
      <h3 className="field-label">{texts.timeline}</h3>
      <ol className="receipt-steps small">
        {steps.map(({ text, at, isOpen }) => (
          <li key={text} className={classNames(isOpen && 'step-open muted')}>
            <span>{text}</span>
            {at && (
              <time className="muted tabular" dateTime={at}>
                {format(at)}
              </time>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
