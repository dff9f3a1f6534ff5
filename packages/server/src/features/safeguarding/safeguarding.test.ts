import type { CurrencyCode } from '@tern/money/currency'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import {
  callSandbox,
  chargeFees,
  enrollTrader,
  listEntries,
  runNight,
  type SandboxEntry,
  setTime,
  trade,
} from '@tern/testkit/safeguarding'
import { beforeAll, expect, test } from 'vitest'
import { loadFailedChecks } from '@tern/testkit/banking'
import { nextDay } from './days.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { safeguarding } = world.app.product
const { pool } = world.database

let traders: Awaited<ReturnType<typeof enrollTrader>>[] = []
let today = '2027-03-01'
let dayNumber = 0

beforeAll(async () => {
  await chargeFees(world)
  await raiseLimits(pool)
  await setTime(world, `${today}T09:00:00Z`)
  traders = [
    await enrollTrader(world, 'ana', { country: 'United States', code: 'US', currency: 'USD' }),
    await enrollTrader(world, 'ben', { country: 'Germany', code: 'DE', currency: 'EUR' }),
    await enrollTrader(world, 'cleo', { country: 'United Kingdom', code: 'GB', currency: 'GBP' }),
    await enrollTrader(world, 'dai', { country: 'Japan', code: 'JP', currency: 'JPY' }),
  ]
})

interface Sum {
  readonly currency: CurrencyCode
  readonly minor: bigint
}

async function loadCustomersMoney(): Promise<Sum[]> {
  const { rows } = await pool.query<Sum>(
    `select a.currency, sum(a.balance) as minor from ledger.account a join ledger.currency c on c.code = a.currency
      where a.kind in ('wallet', 'hold') and c.kind = 'fiat' group by 1 having sum(a.balance) <> 0 order by 1`,
  )
  return rows
}

async function loadRequirement(day: string): Promise<Sum[]> {
  const { rows } = await pool.query<Sum>(
    `select currency, requirement_minor as minor from safeguarding_day
      where day = $1 and requirement_minor <> 0 order by 1`,
    [day],
  )
  return rows
}

/** Lets a day pass with ordinary traffic and, at its end, the given faults at the banks; then the night after it. */
async function passDay(plant: (day: string) => Promise<void> = async () => {}): Promise<string> {
  const day = today
  await setTime(world, `${day}T10:00:00Z`)
  await trade(world, traders, dayNumber)
  await setTime(world, `${day}T13:00:00Z`)
  await world.app.product.payments.checkPendingPayouts(new Date(`${nextDay(day)}T00:00:00Z`))
  await plant(day)
  const owed = await loadCustomersMoney()
  today = nextDay(day)
  dayNumber += 1
  await setTime(world, `${today}T06:00:00Z`)
  await runNight(world)
  expect(await loadRequirement(day), day).toEqual(owed)
  return day
}

interface Named {
  readonly day: string
  readonly bank: string
  readonly currency: string | null
  readonly kind: string
  readonly cause: string
  readonly minor: bigint | null
}

async function loadFindings(): Promise<(Named & { endedOn: string | null; notifiable: boolean })[]> {
  const { rows } = await pool.query<Named & { endedOn: string | null; notifiable: boolean }>(
    `select day, bank, currency, kind, cause, amount_minor as minor, ended_on as "endedOn",
         notifiable_at is not null as notifiable
       from safeguarding_finding order by day, bank, currency, kind`,
  )
  return rows
}

/** Lists the days on which a bank's balance less ours differs from the sum of the open findings. */
async function loadUnexplained() {
  const { rows } = await pool.query(
    `select d.day, d.currency, d.closing_minor - d.records_minor as differs, coalesce(sum(f.amount_minor), 0) as found
       from safeguarding_day d
       left join safeguarding_finding f on f.bank = d.bank and f.currency = d.currency and f.day <= d.day
         and (f.ended_on is null or f.ended_on > d.day)
      group by d.day, d.bank, d.currency having d.closing_minor - d.records_minor <> coalesce(sum(f.amount_minor), 0)`,
  )
  return rows
}

test('90 days of ordinary traffic give no finding, and the resource follows the requirement', async () => {
  for (let day = 0; day < 90; day += 1) await passDay()
  expect(await loadFindings()).toEqual([])
  expect(await loadUnexplained()).toEqual([])
  const { accounts, findings } = await safeguarding.readState()
  expect(findings).toEqual([])
  const used = accounts.filter(({ requirement }) => requirement > 0n)
  expect(used.map(({ bank, currency }) => `${bank} ${currency}`)).toEqual(
    expect.arrayContaining(['anchorage GBP', 'anchorage USD', 'breakwater EUR', 'breakwater JPY']),
  )
  for (const { resource } of used) expect(resource).toBeGreaterThan(0n)
})

const bankOf: Readonly<Record<string, string>> = {
  USD: 'anchorage',
  GBP: 'anchorage',
  EUR: 'breakwater',
  JPY: 'breakwater',
}
const currencies = ['USD', 'EUR', 'GBP', 'JPY'] as const

/** Plants an entry that no one ordered, or a change of the balance without one. */
async function plantEntry(day: string, currency: string, minor: bigint, isHidden: boolean): Promise<Named> {
  const body = { currency, amount_minor: String(minor), booked_on: day, hidden: isHidden }
  await callSandbox(world, 'POST', 'safeguarding/entries', body)
  const kind = minor < 0n ? 'shortfall' : 'excess'
  return { day, bank: bankOf[currency] ?? '', currency, kind, cause: isHidden ? 'balance' : 'unknown_entry', minor }
}

/** Does something to an entry of the day that was not changed before. */
async function changeEntry(
  day: string,
  action: string,
  isWanted: (entry: SandboxEntry) => boolean,
): Promise<SandboxEntry> {
  const entry = (await listEntries(world, day)).find((candidate) => isWanted(candidate))
  if (!entry) throw new Error(`the banks have no such entry on ${day}`)
  await callSandbox(world, 'POST', `safeguarding/entries/${entry.id}/${action}`)
  return entry
}

test('30 planted shortfalls, excesses and late postings are all named, and nothing else', async () => {
  const planted: (Named & { endedOn: string; notifiable: boolean })[] = []
  const ordered = (await loadFindings()).length
  for (let number = 0; number < 30; number += 1) {
    const kind = (['shortfall', 'excess', 'late_posting'] as const)[number % 3]!
    const currency = currencies[number % currencies.length]!
    const minor = BigInt(1001 + 17 * number)
    let fact: Named | undefined
    const day = await passDay(async (on) => {
      if (kind === 'late_posting') {
        const entry = await changeEntry(on, 'postpone', () => true)
        const { bank, currency: code, amount_minor } = entry
        fact = { day: on, bank, currency: code, kind, cause: 'posted_late', minor: -BigInt(amount_minor) }
      } else if (number % 6 < 2) {
        fact = await plantEntry(on, currency, kind === 'shortfall' ? -minor : minor, number % 12 < 2)
      } else {
        const isOutgoing = kind === 'shortfall'
        const entry = await changeEntry(on, 'duplicate', (each) => each.amount_minor.startsWith('-') === isOutgoing)
        const { bank, currency: code, amount_minor } = entry
        fact = { day: on, bank, currency: code, kind, cause: 'duplicate', minor: BigInt(amount_minor) }
      }
    })
    if (!fact) throw new Error('nothing was planted')
    const open = (await safeguarding.readState()).findings
    expect(open, `${number}: ${kind}`).toMatchObject([{ day, bank: fact.bank, cause: fact.cause }])
    if (kind !== 'late_posting') {
      const order = { findingId: open[0]!.id, by: 'Kim', because: 'Agreed with the bank.' }
      expect(await safeguarding.cover(order)).toBeUndefined()
      expect(await safeguarding.cover(order), 'once').toBe('ordered_before')
    }
    planted.push({ ...fact, endedOn: nextDay(day), notifiable: false })
    await passDay()
    expect((await safeguarding.readState()).findings, `${number} has ended`).toEqual([])
  }
  const key = ({ day, bank, currency, kind }: Named) => `${day} ${bank} ${currency} ${kind}`
  const named = (await loadFindings()).slice(ordered)
  expect(named.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))).toEqual(
    planted.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
  )
  expect(named).toHaveLength(30)
  for (const kind of ['shortfall', 'excess', 'late_posting'])
    expect(named.filter((each) => each.kind === kind)).toHaveLength(10)
  expect(await loadUnexplained()).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
})
