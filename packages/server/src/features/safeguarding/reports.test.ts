import { callSandbox, chargeFees, enrollTrader, runNight, setTime } from '@tern/testkit/safeguarding'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { openTestApp } from '@tern/testkit/open-test-app'
import { beforeAll, expect, test } from 'vitest'
import { openCases } from '../payments/payments.ts'
import { nextDay } from './days.ts'
import { createSafeguarding } from './safeguarding.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { product } = world.app
const { pool } = world.database
const { safeguarding } = product

// A Monday without holidays in the three weeks after it.
let today = '2027-06-07'
let ana: Awaited<ReturnType<typeof enrollTrader>>['person']

beforeAll(async () => {
  await chargeFees(world)
  await setTime(world, `${today}T09:30:00Z`)
  ;({ person: ana } = await enrollTrader(world, 'ana', { country: 'United States', code: 'US', currency: 'USD' }))
  await world.fund(ana, 20_000)
  await safeguarding.compare()
  expect((await safeguarding.readState()).findings, 'before the first night').toEqual([])
  await passNight()
  await passNight()
})

async function passNight(): Promise<string> {
  const day = today
  today = nextDay(day)
  await setTime(world, `${today}T06:00:00Z`)
  await runNight(world)
  return day
}

const listOpen = async () =>
  (await safeguarding.readState()).findings.map(({ day, bank, kind, cause, notifiable_at: at }) => ({
    day,
    bank,
    kind,
    cause,
    notifiable: at !== null,
  }))

const listCompared = async (day: string) => {
  const { rows } = await pool.query<{ bank: string }>(
    'select distinct bank from safeguarding_day where day = $1 order by 1',
    [day],
  )
  return rows.map(({ bank }) => bank)
}

const withhold = (body: object) => callSandbox(world, 'PUT', 'safeguarding/withheld', body)

test('a missing statement becomes a finding at nine, is notifiable at the deadline, and ends with the statement', async () => {
  await withhold({ bank: 'anchorage', day: today })
  const day = await passNight()
  expect([await listOpen(), await listCompared(day)], 'not due yet').toEqual([[], ['breakwater']])
  await setTime(world, `${today}T09:05:00Z`)
  await safeguarding.compare()
  const finding = { day, bank: 'anchorage', kind: 'not_compared', cause: 'no_statement' }
  expect(await listOpen()).toEqual([{ ...finding, notifiable: false }])
  expect(await openCases(pool)).toMatchObject([{ kind: 'safeguarding', provider: 'anchorage', amount: null }])
  await passNight()
  expect(await listOpen(), 'one finding for all days that wait').toEqual([{ ...finding, notifiable: true }])
  // After the close of the days that wait.
  await world.fund(ana, 5000)
  await withhold({})
  await safeguarding.compare()
  expect(await listOpen()).toEqual([])
  expect(await listCompared(nextDay(day)), 'the day after it, too').toEqual(['anchorage', 'breakwater'])
  expect(await openCases(pool)).toEqual([])
})

test('a bank that does not answer is a finding, as are books of a provider that were not compared', async () => {
  today = nextDay(today)
  await setTime(world, `${today}T09:05:00Z`)
  await safeguarding.compare()
  expect(await listOpen()).toMatchObject([
    { bank: 'anchorage', cause: 'not_reconciled' },
    { bank: 'breakwater', cause: 'not_reconciled' },
  ])
  await product.payments.reconcile()
  await safeguarding.compare()
  expect(await listOpen()).toEqual([])

  today = nextDay(today)
  await setTime(world, `${today}T09:05:00Z`)
  await product.payments.reconcile()
  await callSandbox(world, 'PUT', 'faults', { error_percent: 100 })
  await safeguarding.compare()
  await callSandbox(world, 'PUT', 'faults', {})
  const finding = { kind: 'not_compared', cause: 'no_answer' }
  expect(await listOpen()).toMatchObject([
    { bank: 'anchorage', ...finding },
    { bank: 'breakwater', ...finding },
  ])
  await safeguarding.compare()
  expect(await listOpen()).toEqual([])
})

test('of many comparisons at once, each day is stored once, with one finding and one transfer', async () => {
  await callSandbox(world, 'POST', 'safeguarding/entries', { currency: 'EUR', amount_minor: '-77', booked_on: today })
  today = nextDay(today)
  await setTime(world, `${today}T06:00:00Z`)
  await product.payments.reconcile()
  await Promise.all(Array.from({ length: 8 }, () => safeguarding.compare()))
  expect(await listOpen()).toMatchObject([{ bank: 'breakwater', kind: 'shortfall', cause: 'unknown_entry' }])
  const { rows } = await pool.query(
    `select day, bank, currency from safeguarding_transfer where finding_id is null
      group by 1, 2, 3 having count(*) > 1`,
  )
  expect(rows).toEqual([])
  expect(await openCases(pool)).toHaveLength(1)
})

test('a shortfall that the next business day’s statement still shows is notifiable; a corrected one ends', async () => {
  expect(await listOpen()).toMatchObject([{ kind: 'shortfall', notifiable: false }])
  await passNight()
  expect(await listOpen()).toMatchObject([{ kind: 'shortfall', notifiable: true }])
  expect(await safeguarding.countFindings()).toEqual({ open: 0, notifiable: 1 })
  const { subject } = (await safeguarding.readState()).findings[0]!
  await callSandbox(world, 'POST', `safeguarding/entries/${subject}/correct`)
  await passNight()
  expect(await listOpen()).toEqual([])
})

test('the figures of a month contain every compared day, the findings, and what is notifiable', async () => {
  const figures = await safeguarding.readMonth('2027-06')
  const dollars = figures.currencies.find(({ currency }) => currency === 'USD')
  expect(dollars?.days[0]).toMatchObject({
    day: '2027-06-07',
    bank: 'anchorage',
    requirement: 20_000n,
    transfer: 20_000n,
  })
  expect(dollars?.days[1], 'the provider pays in, less its fee; then the operator takes its part out').toMatchObject({
    ...{ requirement: 20_000n, resource: 39_420n, transfer: -19_420n },
  })
  const later = dollars?.days.slice(2, 5).map(({ requirement, resource }) => [requirement, resource])
  expect(later, 'money that came after a day’s close counts from the next day on').toEqual([
    [20_000n, 20_000n],
    [20_000n, 20_000n],
    [25_000n, 20_000n],
  ])
  expect(dollars).toMatchObject({ highestRequirement: 25_000n, lowestResource: 0n, highestResource: 39_420n })
  const euros = figures.currencies.find(({ currency }) => currency === 'EUR')
  expect(euros).toMatchObject({ shortfalls: { count: 1, minor: 77n }, excesses: { count: 0 }, notifiable: 1 })
  expect(figures.notCompared).toEqual([
    { bank: 'anchorage', days: [] },
    { bank: 'breakwater', days: [] },
  ])
  expect(figures.findings.filter(({ notifiable_at: at }) => at !== null)).toHaveLength(2)
})

const runCommand = (...parameters: readonly string[]) => callTern(ternEnvironment(world), 'safeguarding', ...parameters)

test('npx tern safeguarding shows each account, and the month as text, CSV and JSON', async () => {
  const state = await runCommand()
  expect([state.code, state.text]).toEqual([
    0,
    expect.stringMatching(/^anchorage +USD +2027-06-15 +250\.00 +250\.00 +0\.00$/m),
  ])
  expect(state.text).toContain('No finding is open.')
  const month = await runCommand('--month', '2027-06')
  expect(month.text).toContain('shortfalls 1 (0.77), excesses 0 (0.00), late postings 0 (0.00), notifiable 1')
  expect(month.text).toContain('anchorage: every day is compared.')
  const { text: csv } = await runCommand('--month', '2027-06', '--csv')
  expect(csv).toContain('"2027-06-08","anchorage","USD",200.00,394.20,-194.20')
  const { text: json } = await runCommand('--month', '2027-06', '--json')
  const figures = JSON.parse(json) as { currencies: { currency: string; shortfalls: object }[]; findings: object[] }
  expect(figures.currencies.find(({ currency }) => currency === 'EUR')).toMatchObject({
    shortfalls: { count: 1, sum: '0.77' },
  })
  expect(figures.findings).toContainEqual(
    expect.objectContaining({ kind: 'shortfall', amount: '-0.77', action: 'top up' }),
  )
})

test('--cover tops up a shortfall, and the command exits with 1 while it is open', async () => {
  await callSandbox(world, 'POST', 'safeguarding/entries', { currency: 'USD', amount_minor: '-250', booked_on: today })
  await passNight()
  const [finding] = (await safeguarding.readState()).findings
  const state = await runCommand()
  expect([state.code, state.text]).toEqual([1, expect.stringContaining('shortfall -2.50 USD (unknown_entry')])
  const order = ['--cover', finding!.id, '--because', 'A charge of the bank.', '--by', 'Kim']
  expect(await runCommand(...order)).toMatchObject({ code: 0 })
  expect(await runCommand(...order)).toEqual({ code: 2, text: 'The transfer for this finding was ordered before.' })
  expect(await runCommand('--cover', finding!.id), 'without a reason').toMatchObject({ code: 2 })
  await passNight()
  expect((await runCommand()).code).toBe(0)
})

test('money in a currency without an account is a shortfall of that currency', async () => {
  // Banks of the same statements without any account in dollars.
  const banks = product.providers.safeguarding.map((bank) => ({
    name: `new ${bank.name}`,
    transfer: bank.transfer,
    async statement(day: string) {
      const found = await bank.statement(day)
      if (found.status !== 'known') return found
      const accounts = found.accounts.filter(({ closing }) => closing.currency !== 'USD')
      return { status: 'known', accounts } as const
    },
  }))
  const other = createSafeguarding({ ...product, banks, providers: product.providers.money })
  await other.compare()
  const { findings } = await other.readState()
  expect(findings.filter(({ bank }) => bank === 'none')).toMatchObject([
    { currency: 'USD', kind: 'shortfall', cause: 'no_account', amount_minor: -25_000n },
  ])
})
