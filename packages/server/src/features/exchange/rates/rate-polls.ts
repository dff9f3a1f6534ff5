import type { CurrencyCode } from '@tern/money/currency'
import type { RatesProvider } from '@tern/providers/rates/port'
import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { latestFixes, ratePolicies, loadHistorySpan, storeHistory, storeLatest } from './rate-store.ts'
import type { Rates } from './rates.ts'

const dayMs = 86_400_000
const historyDays = 400
// Age of the oldest stored fix from which the history counts as filled; younger fixes may come from polls alone.
const filledDays = 300
const firstRetryMs = 500

/** Loads the stored rates into memory without polling the sources. */
export async function readRates({ use, sources }: Rates, db: Db): Promise<void> {
  const { rows } = await db.query<{ source: CurrencyCode; target: CurrencyCode; parts: number }>(
    'select source_currency as source, target_currency as target, parts_per_million as parts from spread',
  )
  const fixes = await latestFixes(db)
  use({
    fixes: fixes.map((fix) => Object.assign(fix, { maxAgeSeconds: sources.find(fix.source)?.maxAgeSeconds })),
    policies: await ratePolicies(db),
    spreads: new Map(rows.map(({ source, target, parts }) => [`${source}/${target}`, BigInt(parts)])),
  })
}

/**
 * Polls sources, by default all, then loads the stored rates into memory. A source that fails does not stop the others.
 * Sources with an anchor follow the others, so that the anchor's fixes are stored.
 */
export async function refreshRates(rates: Rates, pool: pg.Pool, sources = rates.sources.all): Promise<void> {
  for (const isAnchored of [false, true]) {
    const group = sources.filter(({ anchor }) => (anchor !== undefined) === isAnchored)
    for (const result of await Promise.allSettled(group.map((source) => pollProvider(rates, pool, source)))) {
      if (result.status === 'rejected') rates.log.warn({ err: result.reason as unknown }, 'rates were not refreshed')
    }
  }
  await readRates(rates, pool)
}

/** Polls the sources that are due; does nothing if none is. */
export async function refreshDueRates(rates: Rates, pool: pg.Pool): Promise<void> {
  const dueSources = rates.sources.all.filter((source) => isPollDue(rates, source))
  if (dueSources.length > 0) await refreshRates(rates, pool, dueSources)
}

function isPollDue({ polls }: Rates, { name, pollEveryMs }: RatesProvider): boolean {
  const last = polls.get(name)
  if (!last) return true
  // Retries after a failure with exponential backoff, up to the regular interval.
  const pauseMs = last.failures === 0 ? pollEveryMs : Math.min(pollEveryMs, firstRetryMs * 2 ** last.failures)
  return performance.now() - last.at >= pauseMs
}

/** Polls a source for its newest fixes and stores them. Logs jumps, and the problem if it is new. */
async function pollProvider({ polls, now, log }: Rates, pool: pg.Pool, provider: RatesProvider): Promise<void> {
  const { name: source, anchor } = provider
  const { failures, problem: lastProblem } = polls.get(source) ?? { failures: 0 }
  polls.set(source, { at: performance.now(), failures, problem: lastProblem })
  const answer = await provider.latest()
  let problem = answer.status === 'known' ? answer.missing : answer.reason
  if (answer.status === 'known') {
    const { heldBackFixes, futureFixes } = await storeLatest(pool, { source, anchor }, answer.fixes, now())
    for (const { base, quote, asOf } of heldBackFixes) {
      log.error({ source, base, quote, asOf }, 'a rate jumped and is held back')
    }
    const [first] = futureFixes
    if (first) problem ??= `${first.base}/${first.quote} is dated in the future: ${first.asOf.toISOString()}`
  }
  polls.set(source, { at: performance.now(), failures: problem === undefined ? 0 : failures + 1, problem })
  const isNew = failures === 0 || (answer.status === 'known' && problem !== lastProblem)
  // A repeated problem is not logged again.
  if (problem !== undefined && isNew) log.warn({ source, reason: problem }, 'rates were not read')
}

/** Fetches and stores each source's history: `historyDays` at first, then from the newest fix that is a day old. */
export async function fillHistory({ sources, now, log }: Rates, pool: pg.Pool): Promise<void> {
  for (const provider of sources.all) {
    const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs)
    const historySpan = await loadHistorySpan(pool, provider.name, daysAgo(1))
    const isFilled = historySpan !== undefined && historySpan.oldest < daysAgo(filledDays)
    const from = isFilled ? historySpan.newest : daysAgo(historyDays)
    const answer = await provider.history(from)
    if (answer.status === 'known') await storeHistory(pool, provider.name, answer.fixes, now())
    else log.warn({ source: provider.name, reason: answer.reason }, 'the history of rates was not read')
  }
}
