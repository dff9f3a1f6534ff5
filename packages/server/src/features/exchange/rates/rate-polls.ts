import type { RatesProvider } from '@tern/providers/rates/port'
import { reachOf, storeHistory, storeLatest } from './rate-store.ts'
import type { RatesOptions } from './rates.ts'

interface Poll {
  readonly at: number
  readonly failures: number
  /** Why rates were missing at the last poll. */
  readonly problem?: string | undefined
}

const dayMs = 86_400_000
const historyDays = 400
// With this much, the time before was read once; less can be a few fixes alone, as after a start on a weekend.
const filledDays = 300
const firstRetryMs = 500

/** Asks sources for their newest fixes and stores them. */
export function createPolls({ pool, now, log }: RatesOptions) {
  const polls = new Map<string, Poll>()

  async function poll(provider: RatesProvider): Promise<void> {
    const { name: source } = provider
    const { failures, problem: lastProblem } = polls.get(source) ?? { failures: 0 }
    polls.set(source, { at: performance.now(), failures, problem: lastProblem })
    const answer = await provider.latest()
    let problem = answer.status === 'known' ? answer.missing : answer.reason
    if (answer.status === 'known') {
      const { held, ahead } = await storeLatest(pool, source, answer.fixes, now())
      for (const { base, quote, asOf } of held) {
        log.error({ source, base, quote, asOf }, 'a rate jumped and is held back')
      }
      const [first] = ahead
      if (first) problem ??= `${first.base}/${first.quote} is dated in the future: ${first.asOf.toISOString()}`
    }
    polls.set(source, { at: performance.now(), failures: problem === undefined ? 0 : failures + 1, problem })
    const isNew = failures === 0 || (answer.status === 'known' && problem !== lastProblem)
    // The first of several in a row; the age of rates and the count of errors show the rest.
    if (problem !== undefined && isNew) log.warn({ source, reason: problem }, 'rates were not read')
  }

  return {
    isDue({ name, pollEveryMs }: RatesProvider): boolean {
      const last = polls.get(name)
      if (!last) return true
      // Retried quickly at first, then less and less often.
      const pauseMs = last.failures === 0 ? pollEveryMs : Math.min(pollEveryMs, firstRetryMs * 2 ** last.failures)
      return performance.now() - last.at >= pauseMs
    },
    /** Asks these; one that fails keeps no other from being stored. */
    async pollAll(providers: readonly RatesProvider[]): Promise<void> {
      for (const result of await Promise.allSettled(providers.map(poll))) {
        if (result.status === 'rejected') log.warn({ err: result.reason as unknown }, 'rates were not refreshed')
      }
    },
  }
}

/** Stores what sources know of the time before, where it is not stored yet. */
export async function fillHistory({ pool, sources, now, log }: RatesOptions): Promise<void> {
  for (const provider of sources.all) {
    const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs)
    const reach = await reachOf(pool, provider.name, daysAgo(1))
    const isFilled = reach !== undefined && reach.oldest < daysAgo(filledDays)
    const from = isFilled ? reach.newest : daysAgo(historyDays)
    const answer = await provider.history(from)
    if (answer.status === 'known') await storeHistory(pool, provider.name, answer.fixes, now())
    else log.warn({ source: provider.name, reason: answer.reason }, 'the history of rates was not read')
  }
}
