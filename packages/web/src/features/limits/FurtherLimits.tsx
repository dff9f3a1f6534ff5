import type { Limit } from '@tern/contract/limits'
import { limits as texts } from '#messages/identity/limits.ts'
import type { FormatDollars } from '../../app/limits/limit-queries.ts'

export const limitsPartClass = 'grid gap-2 [&>p]:max-w-[66ch] [&>p]:text-pretty [&>.note]:my-2 [&+p]:-mt-4'
const listClass =
  'border-t border-ink [&_li]:flex [&_li]:flex-wrap [&_li]:gap-x-6 [&_li]:items-baseline ' +
  '[&_li]:justify-between [&_li]:py-3 [&_li]:border-b [&_b]:font-medium'

/** Limits without a gauge: on single payment methods, and on the number of payments. */
export function FurtherLimits({ limits, format }: { limits: readonly Limit[]; format: FormatDollars }) {
  const furtherLimits = limits.filter(({ method, max_movements: count }) => method !== null || count !== null)
  if (furtherLimits.length === 0) return null
  return (
    <section className={limitsPartClass} aria-labelledby="limits-further">
      <h3 className="font-medium" id="limits-further">
        {texts.alsoTitle}
      </h3>
      <ul className={listClass}>
        {furtherLimits.map((limit) => (
          <li key={`${limit.direction} ${limit.method} ${limit.period}`}>
            <b>{limit.method === null ? texts.allMethods[limit.direction] : texts.methods[limit.method]}</b>
            <span className="small muted">{describeLimit(limit, format).join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function describeLimit(limit: Limit, format: FormatDollars): string[] {
  const { method, period, max, left, max_movements: count, left_movements: remainingCount } = limit
  const periodText = texts.ofPeriod[period]
  return [
    ...(method === null || max === null
      ? []
      : [
          period === 'payment'
            ? texts.atMostOnce(format(max))
            : texts.atMost(format(max), periodText, format(left ?? '0')),
        ]),
    ...(count === null ? [] : [texts.countAtMost(count, periodText, remainingCount ?? 0)]),
  ]
}
