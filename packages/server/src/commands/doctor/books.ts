// The books: the last audit, and the comparison with the payment providers.

import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { openCases } from '../../features/payments/payments.ts'
import { countFindings, readAges } from '../../features/safeguarding/safeguarding.ts'
import { chooseAlarm } from '../../features/payments/records/reconciliation-exceptions.ts'
import { type Check, type DoctorContext, readProductTime } from './check.ts'
import { countText, formatDuration } from './durations.ts'

/** A daily run may start an hour later than the day before. */
const longestPauseMs = 25 * 3_600_000

/** A weekly run may start a day later than the week before. */
const longestFullPauseMs = 8 * 86_400_000

interface LastAudit {
  readonly finishedAt: Date
  readonly broken: number
  readonly checks: number
  /** End of the last audit that read everything. */
  readonly fullAt: Date | null
  readonly now: Date
}

async function checkAudit({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<LastAudit>(
    `select finished_at as "finishedAt", broken, checks, now() as now,
        (select max(finished_at) from audit_run where since is null) as "fullAt"
       from audit_run order by finished_at desc limit 1`,
  )
  const [run] = rows
  const todo = 'Run `npx tern audit` at least daily, by a timer, and alert on its exit code.'
  if (!run) return [warning('No audit has run.', todo)]
  if (run.broken > 0) {
    const found = `The last audit found ${run.broken} of ${run.checks} checks broken.`
    return [fault(found, 'Run `npx tern audit` and read what it names before money moves on.')]
  }
  const ageMs = run.now.getTime() - run.finishedAt.getTime()
  const found = `The last audit passed all ${run.checks} checks, ${formatDuration(ageMs)} ago.`
  const isFullOld = run.fullAt === null || run.now.getTime() - run.fullAt.getTime() > longestFullPauseMs
  return [
    ageMs > longestPauseMs ? warning(found, todo) : ok(found),
    ...(isFullOld
      ? [warning('No full audit has run for more than eight days.', 'Run `npx tern audit` in full at least weekly.')]
      : []),
  ]
}

async function checkExceptions({ db, config, providers, machine }: DoctorContext): Promise<SetupFinding> {
  const now = readProductTime({ config, providers, machine })
  const open = await openCases(db)
  const count = (alarm: 'new' | 'overdue') => open.filter((each) => chooseAlarm(each, now) === alarm).length
  const [fresh, overdue] = [count('new'), count('overdue')]
  const found = `${countText(open.length, 'exception')} open, of which ${fresh} new and ${overdue} overdue.`
  const todo = 'Run `npx tern reconcile`, and assign or resolve each.'
  if (overdue > 0) return fault(found, todo)
  return fresh > 0 ? warning(found, todo) : ok(found)
}

async function checkComparisons({ db, providers }: DoctorContext): Promise<SetupFinding[]> {
  const tried = 'Reads when the records were last compared completely.'
  const { rows } = await db.query<{ provider: string; until: Date; now: Date }>(
    `select provider, max(until_at) as until, now() as now from reconciliation_run where unresolved = 0 group by 1`,
  )
  const compared = providers.money.all.filter(({ report }) => report !== undefined)
  return compared.map(({ name }) => {
    const run = rows.find(({ provider }) => provider === name)
    const todo = 'See that a worker runs, and run `npx tern reconcile`, which says what is missing.'
    if (!run) return warning(`${name} has never been compared completely.`, todo, tried)
    const ageMs = run.now.getTime() - run.until.getTime()
    const found = `${name} is compared until ${formatDuration(ageMs)} ago.`
    return ageMs > 2 * longestPauseMs ? warning(found, todo, tried) : ok(found, tried)
  })
}

async function checkSafeguarding({ db, config, providers, machine }: DoctorContext): Promise<SetupFinding[]> {
  const banks = providers.safeguarding.map(({ name }) => name)
  const { open, notifiable } = await countFindings(db)
  const found = `${countText(open + notifiable, 'finding')} open, of which ${notifiable} notifiable.`
  const todo = 'Run `npx tern safeguarding`, and do what each finding says.'
  const findings = notifiable > 0 ? fault(found, todo) : open > 0 ? warning(found, todo) : ok(found)
  const ages = await readAges(
    { banks: providers.safeguarding, now: () => readProductTime({ config, providers, machine }) },
    db,
  )
  if (banks.length === 0) {
    return [findings, warning("No bank that keeps customers' money is configured.", 'See docs/safeguarding.md.')]
  }
  return [findings, ...banks.map((bank) => judgeAge(bank, ages[bank] ?? Number.NaN))]
}

const longestSafeguardingPauseMs = 36 * 3_600_000

function judgeAge(bank: string, seconds: number): SetupFinding {
  const todo = 'See that a worker runs, and run `npx tern safeguarding`.'
  const tried = 'Reads up to which day the bank was compared.'
  if (Number.isNaN(seconds)) return warning(`${bank} has never been compared.`, todo, tried)
  const found = `${bank} is compared until ${formatDuration(seconds * 1000)} ago.`
  return seconds * 1000 > longestSafeguardingPauseMs ? warning(found, todo, tried) : ok(found, tried)
}

export const bookChecks: readonly Check[] = [
  { name: 'books.audit', tried: 'Reads the result of the last audit.', run: checkAudit },
  {
    name: 'books.reconciliation',
    tried: 'Lists the open exceptions of the reconciliation.',
    run: async (ctx) => [await checkExceptions(ctx), ...(await checkComparisons(ctx))],
  },
  {
    name: 'books.safeguarding',
    tried: "Lists the open findings about customers' money at banks.",
    run: checkSafeguarding,
  },
]
