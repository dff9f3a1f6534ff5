import type { StatementHead, StatementTotals } from '@tern/contract/statements'
import type { ReactNode } from 'react'
import { statements as texts } from '#messages/statements/statements.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { formatDateTime, formatMoney, isNegative, isZero } from '../../ui/format/format.ts'
import { type Definition, DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { exactPlaces, formatExact } from '../../ui/money/exact-amount.ts'
import { formatDays, formatPeriod, formatZone, type Period } from '../../app/periods/period-choices.ts'

interface StatementSheetProps {
  head: StatementHead
  totals: StatementTotals | null
  period: Period
  onRefresh: () => void
  /** Actions at the foot of the sheet. */
  children: ReactNode
}

/** Head of a statement as a printed sheet: whose, of what, for when, and how opening becomes closing. */
export function StatementSheet({ head, totals, period, onRefresh, children }: StatementSheetProps) {
  const { currency, holder, issuer, period: days, closing_balance: closing } = head
  const zone = formatZone(days.time_zone, days.as_of)
  return (
    <>
      <Sheet scaleBar className="mt-6" role="region" aria-label={texts.sheet}>
        <div className="statement-sheet">
          <div className="grid content-start">
            <p className="small muted">{texts.title(currency)}</p>
            <h2 className="display-m">{formatPeriod(period)}</h2>
            <p className="small muted mt-1">
              {'period' in period ? texts.days(formatDays({ from: days.from, to: days.to }), zone) : zone}
            </p>
            <p className="small muted mt-6">{days.is_final ? texts.closing : texts.balanceNow}</p>
            <p>
              <Balance amount={closing} currency={currency} size="small" />
            </p>
            <div className="statement-names small muted">
              <p>
                {holder.name === null ? holder.username : texts.holder(holder.name, holder.username)}
                <br />
                {texts.account(String(holder.id))}
              </p>
              {issuer.name !== null && (
                <p>
                  {issuer.name}
                  {issuer.registration !== null && (
                    <>
                      <br />
                      {texts.registration(issuer.registration)}
                    </>
                  )}
                </p>
              )}
            </div>
          </div>
          <div className="grid content-start gap-5">
            <DefinitionList entries={listTotals(head, totals)} />
            {!totals && <p className="small muted">{texts.noTotals}</p>}
            <div className="row flex-wrap justify-end max-sm:[&>*]:flex-1">{children}</div>
          </div>
        </div>
      </Sheet>
      {!days.is_final && (
        <div className="mt-4">
          <Note>
            {texts.notEnded(formatDateTime(days.as_of))}{' '}
            <button type="button" className="statement-refresh" onClick={onRefresh}>
              {texts.refresh}
            </button>
          </Note>
        </div>
      )}
    </>
  )
}

/** Amount with the sign that it has in the sum from opening to closing; none if it is zero. */
export function formatSigned(amount: string, currency: StatementHead['currency'], isSubtracted = false): string {
  const isMinus = isNegative(amount) !== isSubtracted
  const unsigned = amount.replace(/^[-−]/, '')
  return formatMoney(isMinus && !isZero(unsigned) ? `-${unsigned}` : unsigned, currency, {
    places: exactPlaces(unsigned, currency),
    sign: 'always',
  })
}

function listTotals(head: StatementHead, totals: StatementTotals | null): (Definition | false)[] {
  const { currency, opening_balance: opening, closing_balance: closing, on_hold: onHold, period } = head
  const isReleased = totals !== null && isNegative(totals.put_on_hold)
  return [
    { term: texts.opening, value: formatExact(opening, currency) },
    totals !== null && { term: texts.moneyIn, value: formatSigned(totals.money_in, currency) },
    totals !== null && { term: texts.moneyOut, value: formatSigned(totals.money_out, currency, true) },
    totals !== null && { term: texts.fees, value: formatSigned(totals.fees, currency, true) },
    totals !== null &&
      !isZero(totals.put_on_hold) && {
        term: isReleased ? texts.releasedFromHold : texts.putOnHold,
        value: formatSigned(totals.put_on_hold, currency, true),
      },
    { term: period.is_final ? texts.closing : texts.balanceNow, value: formatExact(closing, currency), sum: true },
    !isZero(onHold) && { term: texts.onHold, value: formatExact(onHold, currency) },
  ]
}
