// Sanctions lists and exchange rates: their age, and what their sources answer.

import { fault, notChecked, ok, type SetupFinding, warning } from '@tern/providers/setup'
import type { RatesProvider } from '@tern/providers/rates/port'
import { readFailures } from '../../features/compliance/screening/fetch/fetch-lists.ts'
import { type ListStatus, readListStatus } from '../../features/compliance/screening/store/list-status.ts'
import { latestFixes, listHeldBackFixes } from '../../features/exchange/exchange.ts'
import { findPolicy, type RatePolicies } from '../../features/exchange/rates/rate-book.ts'
import { ratePolicies } from '../../features/exchange/rates/rate-store.ts'
import { usableUntil } from '../../features/exchange/rates/usable-until.ts'
import { type Check, type DoctorContext, readProductTime } from './check.ts'
import { countText, formatDuration } from './durations.ts'

async function checkLists({ db, config, machine, providers }: DoctorContext): Promise<readonly SetupFinding[]> {
  const now = readProductTime({ config, providers, machine })
  const failures = await readFailures(db)
  const { rows } = await db.query<{ source: string }>('select source from screening_policy where is_required')
  const required = new Set(config.lists.areRequired ? rows.map(({ source }) => source) : [])
  const findings = (await readListStatus(db, now)).map((list) => judgeList(list, required.has(list.source), now))
  return [
    ...findings,
    ...failures.map(({ source, failure, since }) =>
      warning(
        `${source} could not be fetched since ${since.toISOString()}: ${failure}`,
        'Correct SCREENING_LIST_URLS, or import the list with `npx tern lists import FILE`.',
      ),
    ),
  ]
}

function judgeList(list: ListStatus, isRequired: boolean, now: Date): SetupFinding {
  const { source, version, entries, checkedAt, isStale } = list
  const todo = 'Run `npx tern lists fetch`, or `npx tern lists import FILE`.'
  const blame = isRequired ? fault : warning
  if (version === undefined) return blame(`${source} was never imported.`, todo)
  const ageMs = now.getTime() - (checkedAt?.getTime() ?? 0)
  const found = `${source} has ${entries} entries, checked ${formatDuration(ageMs)} ago.`
  return isStale ? blame(found, todo) : ok(found)
}

/** Asks a source, without storing its answer. */
async function askSource({ name, latest }: RatesProvider, now: Date): Promise<SetupFinding> {
  const tried = `Asks ${name} for its latest rates.`
  const answer = await latest()
  if (answer.status === 'unknown') {
    const todo = 'Let this machine reach the source; the stored rates are used until they are too old.'
    return notChecked(`${answer.reason}.`, todo, tried)
  }
  const newest = Math.max(...answer.fixes.map(({ asOf }) => asOf.getTime()))
  const age = answer.fixes.length === 0 ? '' : `, the newest ${formatDuration(Math.max(0, now.getTime() - newest))} old`
  const found = `${countText(answer.fixes.length, 'rate')}${age}.`
  if (answer.missing === undefined && answer.fixes.length > 0) return ok(found, tried)
  return warning(`${found} ${answer.missing ?? ''}`.trim(), 'Ask the source for what is missing.', tried)
}

async function askSources({ config, providers, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const now = readProductTime({ config, providers, machine })
  const answers = await Promise.all(providers.rates.all.map((source) => askSource(source, now)))
  return answers.length > 0 ? answers : [notChecked('No source of rates is configured.', 'See settings.providers.')]
}

async function checkStored({ db, config, providers, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const now = readProductTime({ config, providers, machine })
  const [fixes, policies] = await Promise.all([latestFixes(db), ratePolicies(db)])
  const stored = providers.rates.all.map((provider) =>
    judgeStored(
      provider,
      fixes.filter(({ source }) => source === provider.name),
      { policies, now },
    ),
  )
  return stored.length > 0 ? stored : [notChecked('No source of rates is configured.', 'See settings.providers.')]
}

const anchorTodo = 'Read the log of the apps for "rates were not read".'

type Fix = Awaited<ReturnType<typeof latestFixes>>[number]

function judgeStored(
  { name: source, maxAgeSeconds, anchor }: RatesProvider,
  fixes: readonly Fix[],
  { policies, now }: { readonly policies: RatePolicies; readonly now: Date },
): SetupFinding {
  const tried = `Reads the stored rates of ${source}.`
  if (fixes.length === 0) return fault(`No rate of ${source} is stored.`, 'Start app and worker, which read it.', tried)
  const old = fixes.filter((fix) => usableUntil(fix.confirmedAt, findPolicy({ ...fix, maxAgeSeconds }, policies)) < now)
  if (old.length > 0) {
    const names = old.map(({ base, quote }) => `${base}/${quote}`).join(', ')
    const todo = 'Read the log of the apps for "rates were not read": quotes that need them are refused.'
    if (anchor !== undefined) return warning(`${names} is too old to use; ${anchor} stands in.`, anchorTodo, tried)
    return fault(`${names} is too old to use.`, todo, tried)
  }
  const oldest = Math.min(...fixes.map(({ confirmedAt }) => confirmedAt.getTime()))
  return ok(
    `${countText(fixes.length, 'rate')}, the oldest confirmed ${formatDuration(now.getTime() - oldest)} ago.`,
    tried,
  )
}

async function checkHeldBack({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const held = await listHeldBackFixes(db)
  if (held.length === 0) return [ok('None is held back.')]
  const names = held.map(({ source, base, quote }) => `${base}/${quote} of ${source}`).join(', ')
  return [warning(`${names}: it jumped.`, 'Compare it elsewhere, then `npx tern rates --accept ID` or `--reject ID`.')]
}

export const listAndRateChecks: readonly Check[] = [
  { name: 'lists.age', tried: 'Reads age and size of each sanctions list.', run: checkLists },
  { name: 'rates.sources', tried: 'Asks each source for its latest rates.', run: askSources },
  { name: 'rates.stored', tried: 'Reads the age of the stored rates.', run: checkStored },
  { name: 'rates.held_back', tried: 'Lists rates that are held back.', run: checkHeldBack },
]
