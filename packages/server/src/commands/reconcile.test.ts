import { randomUUID } from 'node:crypto'
import { payoutStatus, withdraw } from '@tern/contract/banking'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { linkAccount } from '@tern/testkit/payments'
import { openCase } from '../features/payments/records/reconciliation-exceptions.ts'

let world: TestApp
let alice: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  await world.fund(alice, 12_300)
})
afterAll(() => world.close())

const runCommand = (parameters: readonly string[] = [], changes: Record<string, string> = {}) =>
  callTern({ ...ternEnvironment(world), ...changes }, 'reconcile', ...parameters)

const shortlyLater = () => new Date(Date.now() + 60_000).toISOString()

test('matching books exit with 0 and show what moved on both sides', async () => {
  const { code, text } = await runCommand(['--until', shortlyLater()])
  expect([code, text]).toEqual([0, expect.stringMatching(/capture +USD +123\.00 +123\.00\n/)])
  expect(text).toContain('1 movement, 0 taken in.')
  expect(text).toContain('No exception is open.')
})

/** Opens an exception for a loss of 500 yen; returns its id. */
async function openLoss(): Promise<string> {
  const subject = randomUUID()
  const { pool } = world.database
  await openCase(
    pool,
    {
      kind: 'loss',
      provider: 'sandbox',
      subject,
      amount: { currency: 'JPY', minor: 500n },
      detail: { code: 'loss', params: { kind: 'refund', amount: '900 JPY', lost: '500 JPY', user: '1234567890' } },
    },
    new Date(),
  )
  const { rows } = await pool.query<{ id: string }>('select id from reconciliation_exception where subject = $1', [
    subject,
  ])
  return rows[0]!.id
}

const ageCase = (caseId: string, interval: string) =>
  world.database.pool.query(
    `update reconciliation_exception set opened_at = opened_at - $2::interval, taken_up_until = taken_up_until - $2::interval where id = $1`,
    [caseId, interval],
  )

test('a new exception exits with 1 once, and is shown until closed with a reason', async () => {
  const caseId = await openLoss()
  const firstRun = await runCommand()
  expect(firstRun.code).toBe(1)
  expect(firstRun.text).toMatch(
    new RegExp(
      `1 open exception, of which 1 new and 0 overdue; 0 closed now\\.\\n +${caseId}  since .*  NEW\\n +loss  .*  500 JPY\\n +A refund took back 900 JPY\\.`,
    ),
  )
  const secondRun = await runCommand()
  expect(secondRun).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 open exception, of which 0 new and 0 overdue'),
  })
  expect(secondRun.text).toContain(caseId)
  expect(await runCommand(['--close', caseId])).toMatchObject({ code: 2, text: expect.stringContaining('--because') })
  expect(await runCommand(['--close', caseId, '--because', 'Written off.'])).toMatchObject({ code: 0 })
  expect(await runCommand(['--close', caseId, '--because', 'Again.'])).toMatchObject({
    code: 2,
    text: `There is no open exception ${caseId}.`,
  })
  expect(await runCommand()).toMatchObject({ code: 0, text: expect.stringContaining('No exception is open.') })
  const { rows } = await world.database.pool.query(
    'select resolution_note as resolution from reconciliation_exception where id = $1',
    [caseId],
  )
  expect(rows).toEqual([{ resolution: 'Written off.' }])
})

test('an unassigned exception is overdue after three days, until assigned for a stated time', async () => {
  const caseId = await openLoss()
  expect((await runCommand()).code).toBe(1)
  await ageCase(caseId, '71 hours')
  expect((await runCommand()).code).toBe(0)
  await ageCase(caseId, '1 hour')
  const overdueText = 'OVERDUE: not assigned to anyone'
  expect(await runCommand()).toMatchObject({ code: 1, text: expect.stringContaining('0 new and 1 overdue') })
  expect(await runCommand()).toMatchObject({ code: 1, text: expect.stringContaining(overdueText) })

  const untilDate = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const reasonArguments = ['--because', 'In court.']
  expect(await runCommand(['--take-up', caseId, ...reasonArguments, '--until', untilDate, '--by', 'Kim'])).toEqual({
    code: 0,
    text: `Exception ${caseId} is assigned to Kim.`,
  })
  const assignedText = `assigned to Kim until ${untilDate.slice(0, 16).replace('T', ' ')}: In court.`
  expect(await runCommand()).toMatchObject({ code: 0, text: expect.stringContaining(`  ${assignedText}\n`) })
  await ageCase(caseId, '8 days')
  expect(await runCommand()).toMatchObject({ code: 1, text: expect.stringContaining('OVERDUE: assigned to Kim until') })

  expect((await runCommand(['--take-up', caseId, '--because', 'Lost in court.'])).text).toMatch(/is assigned to \w+\.$/)
  await ageCase(caseId, '1000 days')
  expect((await runCommand()).code).toBe(0)
  expect(await runCommand(['--close', caseId, '--because', 'Written off.'])).toMatchObject({ code: 0 })
  expect(await runCommand(['--take-up', caseId, ...reasonArguments])).toMatchObject({
    code: 2,
    text: `There is no open exception ${caseId}.`,
  })
})

test('an exception assigned before it was first shown exits with 0', async () => {
  const caseId = await openLoss()
  expect(await runCommand(['--take-up', caseId, '--because', 'Seen in the log.'])).toMatchObject({ code: 0 })
  expect((await runCommand()).code).toBe(0)
  expect(await runCommand(['--close', caseId, '--because', 'Done.'])).toMatchObject({ code: 0 })
})

test('a withdrawal that never ends by itself is ended by hand, with a reason', async () => {
  const bankAccountId = await linkAccount(world, alice)
  const { payout_id: id } = await alice.call(withdraw, {
    body: { amount: '3.00', currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  expect(await runCommand(['--release', id])).toMatchObject({ code: 2, text: expect.stringContaining('--because') })
  for (const verdict of ['--release', '--settle']) {
    expect(await runCommand([verdict, randomUUID(), '--because', 'So.'])).toMatchObject({
      code: 2,
      text: expect.stringContaining('There is no payment or payout'),
    })
  }
  expect(await runCommand(['--settle', id, '--line', 'nowhere', '--because', 'So.'])).toMatchObject({ code: 2 })
  expect(await runCommand(['--release', id, '--because', 'So.'])).toMatchObject({
    code: 2,
    text: `No exception is open about ${id}.`,
  })
  await openCase(
    world.database.pool,
    { kind: 'unmatched', provider: 'sandbox', subject: id, reference: id, detail: { code: 'payment_unanswered' } },
    new Date(),
  )
  expect(await runCommand(['--release', id, '--because', 'It never left.'])).toMatchObject({ code: 0 })
  expect((await alice.call(payoutStatus, { params: { id } })).status).toBe('failed')
  expect(await alice.wallet()).toMatchObject({ fiat_balance: '123.00' })
  expect((await runCommand()).code).toBe(0)
})

test.each([
  ['no database', { DATABASE_URL: '' }, 'No database is running over /nowhere.'],
  ['no secret', { SANDBOX_SECRET: '' }, 'SANDBOX_SECRET must be set'],
])('%s exits with 78 and a sentence', async (_case, changes, sentence) => {
  expect(await runCommand([], changes)).toEqual({ code: 78, text: expect.stringContaining(sentence) })
})

test.each([
  ['no provider', [], { SANDBOX_URL: 'http://127.0.0.1:9' }, 'The provider did not return its records: No answer'],
  ['a wrong time', ['--from', 'yesterday'], {}, '"yesterday" is not a time such as'],
  ['an unknown parameter', ['--everything'], {}, 'npx tern reconcile'],
  ['two verdicts', ['--release', 'a', '--settle', 'b', '--because', 'So.'], {}, 'npx tern reconcile'],
  ['a movement for nothing', ['--line', 'a'], {}, 'npx tern reconcile'],
  ['an exception taken up for no reason', ['--take-up', randomUUID()], {}, 'npx tern reconcile'],
  [
    'an exception closed for a while',
    ['--close', 'a', '--because', 'So.', '--until', '2100-01-01'],
    {},
    'npx tern reconcile',
  ],
  [
    'an exception taken up until yesterday',
    ['--take-up', 'a', '--because', 'So.', '--until', '2020-01-01'],
    {},
    'in the future',
  ],
  ['a name for nothing', ['--by', 'Kim'], {}, 'npx tern reconcile'],
])('%s exits with 2 and a sentence', async (_case, parameters, changes, sentence) => {
  const { code, text } = await runCommand(parameters, changes)
  expect([code, text]).toEqual([2, expect.stringContaining(sentence)])
})
