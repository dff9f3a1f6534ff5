import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Mail, MailResult } from '@tern/providers/mail/port'
import { Logger, runOnce } from 'graphile-worker'
import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { readPseudoMessages } from '../../../../../tools/pseudo-language.ts'
import { connect, transact } from '../../platform/database/db.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import { runJobs } from '../../platform/database/queue/jobs.ts'
import { connectQueue } from '../../platform/database/queue/queue-pool.ts'
import { preset } from '../../platform/database/queue/queue-runner.ts'
import { type Catalogues, messagesHere, speaking } from '../../platform/messages.ts'
import { createSeal } from '../../platform/seal.ts'
import { createNotifications } from './notifications.ts'

const publicUrl = 'https://tern.example'
const link = `${publicUrl}/verify-email?token=a-secret-token`
const minuteMs = 60_000

let sent: Mail[] = []
let logged: string[] = []
let offsetMs = 0

const database = await openTestDatabase()
/** Pool with the application's minimal role. */
const application = connect(database.applicationUrl)
const jobs = connectQueue(database.applicationUrl)
const deliver = (mail: Mail): Promise<MailResult> => {
  sent.push(mail)
  return Promise.resolve({ status: 'sent', id: 'x' })
}
// The first worker registers its tasks with the queue.
await start().sendDue()
afterAll(async () => {
  await jobs.end()
  await application.end()
})
beforeEach(async () => {
  await database.pool.query('delete from mail; delete from graphile_worker._private_jobs')
  sent = []
  logged = []
  offsetMs = 0
})

/** One process: all share the database, the clock and the log. */
function start(send: (mail: Mail) => Promise<MailResult> = deliver, catalogues?: Catalogues) {
  const write = (details: object, message: string) => void logged.push(JSON.stringify({ details, message }))
  const notifications = createNotifications({
    pool: application,
    secret: Buffer.alloc(32, 7),
    provider: { name: 'double', send },
    publicUrl,
    realNow: () => new Date(Date.now() + offsetMs),
    log: { info: write, warn: write },
    ...(catalogues ? { catalogues: Promise.resolve(catalogues) } : {}),
  })
  /** Runs a worker until no job is due; returns the number of attempted mails. */
  async function sendDue(): Promise<number> {
    let attempted = 0
    await runOnce({
      pgPool: jobs,
      noHandleSignals: true,
      preset,
      logger: new Logger(() => (level, message) => void (level === 'error' && logged.push(message))),
      taskList: {
        send_mail: (payload) => {
          attempted += 1
          return notifications.send((payload as { mailId: string }).mailId)
        },
      },
    })
    return attempted
  }
  return { ...notifications, sendDue }
}
type Notifications = ReturnType<typeof start>

const queue = ({ mail }: Notifications, email = 'ana@example.com') =>
  transact(application, (tx) => mail(tx, { to: { email }, template: 'verify_email', data: { link } }))

/** Simulates that this time has passed for the queue, which uses the database's clock. */
const letPass = (interval: string) =>
  database.pool.query(
    `update graphile_worker._private_jobs set run_at = run_at - $1::interval, locked_at = locked_at - $1::interval`,
    [interval],
  )

interface Row {
  id: string
  content: Buffer | null
  sent_at: Date | null
  given_up_at: Date | null
  given_up_reason: string | null
}
async function rows(): Promise<Row[]> {
  return (await database.pool.query<Row>('select * from mail order by created_at, id')).rows
}
const onlyRow = async () => {
  const all = await rows()
  expect(all).toHaveLength(1)
  return all[0] as Row
}
/** Dump of the whole table, as an attacker with the database would see it. */
async function dump(): Promise<string> {
  const { rows: found } = await database.pool.query<{ whole: string; bytes: Buffer | null }>(
    'select mail::text as whole, content as bytes from mail',
  )
  return found.map(({ whole, bytes }) => whole + (bytes?.toString('latin1') ?? '')).join('\n')
}
const secretParts = ['ana@example.com', 'a-secret-token', 'Confirm', '<html']

test('a mail leaves after the commit of its transaction, under a key of its own', async () => {
  const tern = start()
  await transact(application, async (tx) => {
    await tern.mail(tx, { to: { email: 'ana@example.com' }, template: 'verify_email', data: { link } })
    expect(await start().sendDue(), 'before the commit').toBe(0)
  })
  expect(await tern.sendDue()).toBe(1)
  const { id, sent_at: sentAt } = await onlyRow()
  expect(sentAt).not.toBeNull()
  expect(sent).toMatchObject([{ to: 'ana@example.com', subject: 'Confirm your email address', idempotencyKey: id }])
  expect(sent[0]?.text).toContain(link)
  expect(sent[0]?.html).toContain(link)
  expect(await tern.sendDue(), 'once more').toBe(0)
})

test('a mail of a failed transaction is never sent', async () => {
  const tern = start()
  const failing = transact(application, async (tx) => {
    await tern.mail(tx, { to: { email: 'ana@example.com' }, template: 'verify_email', data: { link } })
    throw new Error('the sign-up failed')
  })
  await expect(failing).rejects.toThrow('the sign-up failed')
  expect(await tern.sendDue()).toBe(0)
  expect(await rows()).toEqual([])
})

test('its content cannot be read from the database before, and is gone afterwards', async () => {
  const tern = start()
  await queue(tern)
  const before = await dump()
  for (const part of secretParts) expect(before).not.toContain(part)
  await tern.sendDue()
  expect((await onlyRow()).content).toBeNull()
})

test('content moved to another row is sent to no one', async () => {
  const tern = start()
  await queue(tern, 'ana@example.com')
  await queue(tern, 'ben@example.com')
  await database.pool.query(
    `update mail set content = (select content from mail order by id limit 1) where id = (select max(id::text) from mail)::uuid`,
  )
  expect(await tern.sendDue()).toBe(2)
  expect(sent.map(({ to }) => to)).toEqual(['ana@example.com'])
})

test('many concurrent processes send each mail once', async () => {
  const first = start()
  const total = 60
  await Promise.all(Array.from({ length: total }, (_, index) => queue(first, `person${index}@example.com`)))
  const busy = new Set<number>()
  const several = Promise.withResolvers<void>()
  // Each process waits until a second one has a mail, however late a busy machine starts it.
  const slowly = (process: number) => async (mail: Mail) => {
    if (busy.add(process).size > 1) several.resolve()
    await several.promise
    await delay(5)
    return deliver(mail)
  }
  const counts = await Promise.all(Array.from({ length: 4 }, (_, index) => start(slowly(index)).sendDue()))
  expect(counts.reduce((sum, count) => sum + count)).toBe(total)
  expect(counts.filter((count) => count > 0).length, 'several had a share').toBeGreaterThan(1)
  expect(new Set(sent.map(({ to }) => to)).size).toBe(total)
  expect(sent).toHaveLength(total)
})

test('a silent provider is retried more and more slowly, until the mail is sent', async () => {
  let answers = false
  const tern = start((mail) => (answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' })))
  await queue(tern)
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    expect(await tern.sendDue()).toBe(1)
    expect(await tern.sendDue(), 'not before its pause is over').toBe(0)
    await tern.resumeSending()
    const { rows: waiting } = await jobs.query<{ pause: number; error: string }>(
      'select extract(epoch from run_at - now())::int as pause, last_error as error from graphile_worker.jobs',
    )
    expect(waiting).toMatchObject([{ error: 'no answer' }])
    pauses.push(waiting[0]?.pause ?? 0)
    await letPass('1 hour')
  }
  expect(pauses.slice(0, 3).every((pause) => pause <= 21)).toBe(true)
  // A busy machine may have used up a second or two of the longest pause, an hour.
  const growing = pauses.map((pause) => Math.min(pause, 3500))
  expect(growing).toEqual(growing.toSorted((a, b) => a - b))
  expect(pauses.at(-1)).toBeGreaterThan(3500)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(3600)
  expect(sent).toEqual([])

  answers = true
  expect(await tern.sendDue()).toBe(1)
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([(await onlyRow()).id])
  expect((await jobs.query('select from graphile_worker.jobs')).rowCount).toBe(0)
})

const from = { device: { browser: 'Firefox' }, place: { country: 'BR', network: '' } } as const

test.each([
  ['verify_email', { link }, 24 * 60],
  ['log_in', { link, ...from }, 15],
  ['step_up_code', { code: '123456', action: 'change_password', subject: [] }, 5],
  ['new_sign_in', { ...from, at: new Date(0), link }, 30 * 24 * 60],
  ['security_change', { change: 'password_changed', ...from, at: new Date(0), link }, 30 * 24 * 60],
] as const)('a %s that outlived its use is dropped', async (template, data, minutes) => {
  let answers = false
  const tern = start((mail) => (answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' })))
  await transact(application, (tx) => tern.mail(tx, { to: { email: 'ana@example.com' }, template, data }))
  await tern.sendDue()
  offsetMs = (minutes - 1) * minuteMs
  await letPass('1 hour')
  expect(await tern.sendDue()).toBe(1)
  expect(await onlyRow()).toMatchObject({ given_up_at: null })
  offsetMs = minutes * minuteMs + 1000
  await letPass('1 hour')
  answers = true
  await tern.sendDue()
  expect(sent).toEqual([])
  const row = await onlyRow()
  expect(row).toMatchObject({ content: null, given_up_reason: 'outlived' })
  expect(row.given_up_at).not.toBeNull()
})

test('a refused mail is dropped at once, with the reason', async () => {
  const tern = start(() => Promise.resolve({ status: 'refused', reason: 'The mail server answered 550' }))
  await queue(tern)
  expect(await tern.sendDue()).toBe(1)
  expect(await onlyRow()).toMatchObject({ content: null, sent_at: null, given_up_reason: 'refused' })
  expect(logged.join()).toContain('The mail server answered 550')
  await letPass('1 hour')
  expect(await start().sendDue()).toBe(0)
})

test('a worker that died with a mail leaves it to the next, under the same key', async () => {
  const keys: (string | undefined)[] = []
  let release: (result: MailResult) => void = () => {}
  const dying = start(({ idempotencyKey }) => {
    keys.push(idempotencyKey)
    return new Promise((resolve) => (release = resolve))
  })
  await queue(dying)
  const run = dying.sendDue()
  await expect.poll(() => keys.length).toBe(1)
  await letPass('1 minute')
  await start().resumeSending()
  expect(await start().sendDue(), 'it may still be alive').toBe(0)
  await letPass('2 minutes')
  await start().resumeSending()
  expect(await start().sendDue()).toBe(1)
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys)
  // The first attempt was only slow, and finally reports an unknown result.
  release({ status: 'unknown', reason: 'no answer' })
  await run
  await letPass('2 hours')
  expect(await start().sendDue()).toBe(0)
  expect((await onlyRow()).sent_at).not.toBeNull()
})

test('a slow worker does not take a mail from the next one', async () => {
  const answers: ((result: MailResult) => void)[] = []
  const slow = () => start(() => new Promise((resolve) => answers.push(resolve)))
  await queue(slow())
  const first = slow().sendDue()
  await expect.poll(() => answers.length).toBe(1)
  await letPass('3 minutes')
  await start().resumeSending()
  const second = slow().sendDue()
  await expect.poll(() => answers.length).toBe(2)
  answers[0]?.({ status: 'unknown', reason: 'no answer' })
  await first
  await letPass('1 minute')
  await start().resumeSending()
  expect(await start().sendDue()).toBe(0)
  answers[1]?.({ status: 'sent', id: 'x' })
  expect(await second).toBe(1)
  expect((await onlyRow()).sent_at).not.toBeNull()
})

test('a provider that throws delays only its own mail, and leaks nothing into the log', async () => {
  const tern = start((mail) => {
    if (mail.to === 'ana@example.com') throw new TypeError(`cannot send ${JSON.stringify(mail)}\n    at ${mail.to}`)
    return deliver(mail)
  })
  await queue(tern, 'ana@example.com')
  await queue(tern, 'ben@example.com')
  expect(await tern.sendDue()).toBe(2)
  expect(logged.join('\n')).toContain('TypeError')
  const kept = await jobs.query<{ whole: string }>(
    'select jobs::text as whole from graphile_worker._private_jobs as jobs',
  )
  for (const part of secretParts) expect(logged.join('\n') + kept.rows[0]?.whole).not.toContain(part)
  await letPass('3 minutes')
  expect(await start().sendDue()).toBe(1)
  expect(sent.map(({ to }) => to)).toEqual(['ben@example.com', 'ana@example.com'])
})

test('a mail is stored without its sentences, and rendered in its reader’s language when it leaves', async () => {
  const catalogue = await readPseudoMessages('qps')
  const tern = start(
    deliver,
    new Map([
      ['en', messagesHere()],
      ['qps', catalogue],
    ]),
  )
  await transact(application, async (tx) => {
    const at = new Date('2026-03-05T23:04:59Z')
    await tern.mail(tx, {
      to: { email: 'a@example.com', language: 'qps' },
      template: 'new_sign_in',
      data: { ...from, at, link },
    })
    await speaking(catalogue, () =>
      tern.mail(tx, { to: { email: 'b@example.com' }, template: 'verify_email', data: { link } }),
    )
    await tern.mail(tx, { to: { email: 'c@example.com' }, template: 'verify_email', data: { link } })
    await tern.mail(tx, { to: { email: 'd@example.com', language: 'xx' }, template: 'verify_email', data: { link } })
  })
  const seal = createSeal(Buffer.alloc(32, 7), 'notifications/mail')
  for (const { id, content } of await rows()) {
    expect(seal.open(content as Buffer, id)).not.toMatch(/Confirm|sign-in|html|account/)
  }
  await tern.sendDue()
  const subjects = Object.fromEntries(sent.map(({ to, subject }) => [to, subject]))
  expect(subjects['a@example.com']).toMatch(/^\[!! .+ !!\]$/)
  expect(subjects['b@example.com']).toMatch(/^\[!! .+ !!\]$/)
  expect(subjects['c@example.com']).toBe('Confirm your email address')
  expect(subjects['d@example.com']).toBe('Confirm your email address')
  expect(sent.find(({ to }) => to === 'a@example.com')?.html).toContain('2026年3月5日')
})

test('a waiting mail without a job gets one, and no other does', async () => {
  const tern = start()
  await queue(tern, 'sent@example.com')
  expect(await tern.sendDue()).toBe(1)
  // As in a database that was upgraded, or restored without its queue.
  for (const email of ['ana@example.com', 'ben@example.com']) await queue(tern, email)
  await database.pool.query('delete from graphile_worker._private_jobs')
  await queue(tern, 'carl@example.com')
  await Promise.all([tern.resumeSending(), start().resumeSending()])
  expect(await tern.sendDue()).toBe(3)
  expect(sent.map(({ to }) => to).toSorted()).toEqual(
    ['ana', 'ben', 'carl', 'sent'].map((name) => `${name}@example.com`),
  )
  await tern.resumeSending()
  expect(await tern.sendDue()).toBe(0)
})

test('a stopping worker finishes its mails, and leaves the others to the next', async () => {
  const tern = start(async (mail) => {
    await delay(300)
    return deliver(mail)
  })
  for (let index = 0; index < 20; index += 1) await queue(tern, `person${index}@example.com`)
  const taken: string[] = []
  const send = (id: string) => {
    taken.push(id)
    return tern.send(id)
  }
  const worker = await runJobs(pino({ level: 'silent' }), jobs, {
    name: 'send_mail',
    atOnce: 8,
    run: (payload) => send(readJobId(payload, 'mailId')),
  })
  await expect.poll(() => taken.length, { interval: 5 }).toBeGreaterThan(0)
  await worker.stop()
  const before = taken.length
  expect(before).toBeLessThan(20)
  expect(sent).toHaveLength(before)
  expect((await rows()).filter(({ sent_at: at }) => at !== null)).toHaveLength(before)
  expect(await start().sendDue(), 'nobody holds the others').toBe(20 - before)
})

test('the documented statements for operators find waiting and dropped mails', async () => {
  const statuses: MailResult['status'][] = ['unknown', 'refused']
  const tern = start(() => Promise.resolve({ status: statuses.pop() ?? 'sent', id: 'x', reason: 'a reason' }))
  for (let index = 0; index < 3; index += 1) await queue(tern)
  await tern.sendDue()
  const manual = await readFile(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
  const statements = manual.match(/^ {4}select .* from mail .*$|^ {4}select .*\n {6}from mail .*$/gm) ?? []
  const found = await Promise.all(statements.map((statement) => database.pool.query(statement)))
  expect(found.map(({ rows: [first, ...others] }) => [first, others.length])).toMatchObject([
    [{ template: 'verify_email', attempts: 1, last_error: 'a reason' }, 0],
    [{ template: 'verify_email', given_up_reason: 'refused' }, 0],
  ])
})

test('a mail rendered by an earlier version is sent unchanged', async () => {
  const tern = start()
  await queue(tern)
  const { id } = await onlyRow()
  const written = { to: 'ana@example.com', subject: 'Hello', text: 'Words.', html: '<p>Words.</p>' }
  const content = createSeal(Buffer.alloc(32, 7), 'notifications/mail').seal(JSON.stringify(written), id)
  await database.pool.query('update mail set content = $1', [content])
  expect(await tern.sendDue()).toBe(1)
  expect(sent).toEqual([{ ...written, idempotencyKey: id }])
})

test('nothing of this is in the log', async () => {
  const results: MailResult['status'][] = ['sent', 'refused', 'unknown']
  const answers = results.map((status): MailResult => ({ status, id: 'x', reason: 'a reason' }))
  const tern = start(() => Promise.resolve(answers.pop() as MailResult))
  for (let index = 0; index < 3; index += 1) await queue(tern)
  await tern.sendDue()
  // Two of ours, and one of the queue about the job that failed.
  expect(logged).toHaveLength(3)
  expect(logged.join()).toContain('a reason')
  for (const { id, sent_at: at } of await rows()) expect(logged.join().includes(id), 'is named').toBe(at === null)
  for (const part of secretParts) expect(logged.join('\n')).not.toContain(part)
})
