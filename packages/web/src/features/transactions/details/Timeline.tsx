import '../../../css/timeline.css'
import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { classNames } from '../../../ui/icon/class-names.ts'
import { daysAgo, formatClock, formatDateTime } from '../../../ui/format/format.ts'
import { type Facts, isWalletUnused, type Part, buildSteps } from './steps.ts'

/** Time to the second on the day of the order, otherwise with the date. */
const formatStepTime = (at: string, orderedAt: string): string =>
  daysAgo(at) === daysAgo(orderedAt) ? formatClock(at) : formatDateTime(at)

export function Timeline({ transaction, facts }: { transaction: Transaction; facts: Facts | undefined }) {
  return (
    <section className="mt-5">
      <h3 className="field-label">{texts.whatHappened}</h3>
      <ol className="timeline mt-3">
        {buildSteps(transaction, facts).map(({ parts, at, isOpen }, index) => (
          <li key={index} className={classNames(isOpen && 'timeline-open muted')}>
            <span>{parts.map(partText)}</span>
            {at && (
              <time className="whitespace-nowrap" dateTime={at}>
                {formatStepTime(at, transaction.timestamp)}
              </time>
            )}
          </li>
        ))}
      </ol>
      {isWalletUnused(transaction) && <p className="small muted pb-3">{texts.walletUnused}</p>}
    </section>
  )
}

const partText = (part: Part, index: number) =>
  typeof part === 'string' ? (
    part
  ) : (
    <b key={index} className="tabular" translate="no">
      {part.amount}
    </b>
  )
