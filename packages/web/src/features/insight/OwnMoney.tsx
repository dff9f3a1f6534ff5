import type { InsightBalance } from '@tern/contract/insight'
import { useId } from 'react'
import { Link } from 'react-router'
import { insights as texts } from '#messages/insight/insights.ts'
import { writeInsightAddress } from '../../app/insight-address.ts'
import { isZero } from '../../ui/format/format.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** Money that did not go to or come from others. */
export function OwnMoney({ balance: { currency, own }, period }: { balance: InsightBalance; period: string }) {
  const id = useId()
  return (
    <section className="insight-own" aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {texts.own}
      </h2>
      <p className="small muted mb-2">{texts.ownText}</p>
      <DefinitionList
        entries={own.flatMap(({ kind, amount, fees }) =>
          kind === 'spending' || kind === 'income'
            ? []
            : [
                {
                  term: (
                    <>
                      <Link to={writeInsightAddress(currency, period, { flow: kind })} preventScrollReset>
                        {texts.ownKinds[kind]}
                      </Link>
                      {!isZero(fees) && (
                        <span className="small block">{texts.withFees(formatExact(fees, currency))}</span>
                      )}
                    </>
                  ),
                  value: formatExact(amount, currency),
                },
              ],
        )}
      />
    </section>
  )
}
