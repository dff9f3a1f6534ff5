import '../../css/limits.css'
import { useQuery } from '@tanstack/react-query'
import { findCountry } from '@tern/contract/countries'
import type { Limits } from '@tern/contract/limits'
import { limits as texts } from '#messages/identity/limits.ts'
import { limitsQuery, createFormatter } from '../../app/limits/limit-queries.ts'
import { paths } from '../../app/paths.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatTime } from '../../ui/format/format.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { EntrySkeleton } from '../../ui/layout/RuledSection.tsx'
import { useArrival } from '../../ui/layout/use-arrival.ts'
import { FurtherLimits, limitsPartClass } from './FurtherLimits.tsx'
import { LimitRow } from './LimitRow.tsx'

const directions = ['out', 'in'] as const
const periods = ['day', '30_days', 'payment'] as const

/** Limits on outgoing and incoming money with reasons and remaining amounts, and the user's own lower limits. */
export function LimitsPart({ userId }: { userId: number }) {
  const limits = useQuery(limitsQuery(userId))
  const place = useArrival<HTMLDivElement>('limits', limits.data !== undefined)
  return (
    <div className="limits" id="limits" ref={place} tabIndex={-1}>
      <DataShell
        query={limits}
        failed={texts.loadFailed}
        skeleton={
          <section className={limitsPartClass}>
            <h2 className="display-s">{texts.titles.out}</h2>
            <EntrySkeleton />
          </section>
        }
      >
        {(data) => <LimitSections userId={userId} data={data} />}
      </DataShell>
    </div>
  )
}

function LimitSections({ userId, data }: { userId: number; data: Limits }) {
  const { verification_state: state, country } = data
  if (state !== 'verified') return <UnverifiedNote state={state} />
  const midnight = new Date()
  midnight.setUTCHours(24, 0, 0, 0)
  return (
    <>
      {directions.map((direction) => (
        <section key={direction} className={limitsPartClass} aria-labelledby={`limits-${direction}`}>
          <h2 className="display-s" id={`limits-${direction}`}>
            {texts.titles[direction]}
          </h2>
          <p className="muted">
            {direction === 'out' && `${texts.why(country && regionName(country))} `}
            {texts.leads[direction]}
          </p>
          <div className="mt-4">
            {periods.map((period) => (
              <LimitRow key={period} {...{ userId, data, direction, period }} />
            ))}
          </div>
        </section>
      ))}
      <FurtherLimits limits={data.limits} format={createFormatter(data.own_rate)} />
      <p className="small muted">
        {data.own_rate && `${texts.kept} `}
        {texts.days(formatTime(midnight))}
      </p>
    </>
  )
}

/** Localized name of a country as the verification form stores it. */
function regionName(country: string): string {
  const code = findCountry(country)?.code
  return (code && new Intl.DisplayNames(textLocale(), { type: 'region' }).of(code)) ?? country
}

function UnverifiedNote({ state }: { state: Exclude<Limits['verification_state'], 'verified'> }) {
  const [title, text] = texts.unverified[state]
  const isWaiting = state === 'pending' || state === 'in_review'
  return (
    <section className={limitsPartClass} aria-labelledby="limits-out">
      <h2 className="display-s" id="limits-out">
        {texts.titles.out}
      </h2>
      <Note>
        <b>{title}.</b> {text}
      </Note>
      <div>
        <LinkButton look={isWaiting ? 'secondary' : 'primary'} to={isWaiting ? paths.profile : paths.register}>
          {isWaiting ? texts.seeVerification : texts.verify}
        </LinkButton>
      </div>
    </section>
  )
}
