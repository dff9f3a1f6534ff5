import type { Limit } from '@tern/contract/limits'
import { limits as texts } from '#messages/identity/limits.ts'
import type { Say } from '../../app/limits/limit-queries.ts'

/** Limits without a gauge: on single payment methods, and on the number of payments. */
export function FurtherLimits({ limits, say }: { limits: readonly Limit[]; say: Say }) {
  const further = limits.filter(({ method, max_movements: count }) => method !== null || count !== null)
  if (further.length === 0) return null
  return (
    <section className="limits-part" aria-labelledby="limits-further">
      <h3 className="font-medium" id="limits-further">
        {texts.alsoTitle}
      </h3>
      <ul className="limits-also">
        {further.map((limit) => (
          <li key={`${limit.direction} ${limit.method} ${limit.period}`}>
            <b>{limit.method === null ? texts.allMethods[limit.direction] : texts.methods[limit.method]}</b>
            <span className="small muted">{sentencesOf(limit, say).join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function sentencesOf(limit: Limit, say: Say): string[] {
  const { method, period, max, left, max_movements: count, left_movements: leftCount } = limit
  const ofPeriod = texts.ofPeriod[period]
  return [
    ...(method === null || max === null
      ? []
      : [period === 'payment' ? texts.atMostOnce(say(max)) : texts.atMost(say(max), ofPeriod, say(left ?? '0'))]),
    ...(count === null ? [] : [texts.countAtMost(count, ofPeriod, leftCount ?? 0)]),
  ]
}
