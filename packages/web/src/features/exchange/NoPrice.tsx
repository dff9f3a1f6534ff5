import { lastRateShape } from '@tern/contract/exchange/rates'
import type { CurrencyCode } from '@tern/money/currency'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import type { LiveQuote } from '../../app/orders/quotes.ts'
import { describeSource } from '../../app/rates/rate-source.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { ReturnAlert } from './ReturnAlert.tsx'

interface NoPriceProps {
  failure: NonNullable<LiveQuote['failure']>
  from: CurrencyCode
  to: CurrencyCode
}

const splitAge = (seconds: number) => ({ hours: Math.floor(seconds / 3600), minutes: Math.floor(seconds / 60) })

/** Reason why no price is available. For a stale rate also shows the last rate and the permitted age. */
export function NoPrice({ failure: { text, refusal }, from, to }: NoPriceProps) {
  const last = lastRateShape.safeParse(refusal?.problem.last_rate).data
  const currency = String(refusal?.problem.params?.currency ?? from)
  if (!last) {
    return (
      <div className="grid gap-3 justify-items-start py-2 [&>dl]:w-full [&>.note]:w-full [&_b]:block [&_dt]:whitespace-nowrap">
        <Note tone="error">
          <b>{texts.noPrice}</b> {text}
        </Note>
      </div>
    )
  }
  const { name, published } = describeSource(last.source, last.time)
  return (
    <div className="grid gap-3 justify-items-start py-2 [&>dl]:w-full [&>.note]:w-full [&_b]:block [&_dt]:whitespace-nowrap">
      <DefinitionList
        small
        entries={[
          {
            term: texts.lastRate,
            value: (
              <span className="faint">
                {formatRateLine(last.rate, last.source_currency, last.target_currency)}
                <small className="font-normal text-tiny block text-ink-3">{name}</small>
                <small className="font-normal text-tiny block text-ink-3">{published}</small>
              </span>
            ),
          },
        ]}
      />
      <Note tone="error">
        <b>{texts.tooOld}</b> {texts.tooOldText(currency, splitAge(last.max_age_seconds), last.skips_closing_days)}{' '}
        {texts.nothingTaken} {texts.looksAgain}
      </Note>
      <div className="flex flex-wrap items-center gap-3">
        <ReturnAlert from={from} to={to} />
      </div>
    </div>
  )
}
