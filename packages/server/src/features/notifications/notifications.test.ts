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
import { type Catalogues, currentRequestMessages, withMessages } from '../../platform/messages.ts'
import { createSeal } from '../../platform/seal.ts'
import { createNotifications } from './notifications.ts'

const publicUrl = 'https://tern.example'
const link = `${publicUrl}/verify-email?token=a-secret-token`
const minuteMs = 60_000

let sentMails: Mail[] = []
let logLines: string[] = []
let offsetMs = 0

const database = await openTestDatabase()
/** Pool with the application's restricted role. */
const application = connect(database.applicationUrl)
const jobs = connectQueue(database.applicationUrl)
const deliver = (mail: Mail): Promise<MailResult> => {
  sentMails.push(mail)
  return Promise.resolve({ status: 'sent', id: 'x' })
}
// The first worker registers its tasks with the queue.
await startProcess().sendDueMails()
afterAll(async () => {
  await jobs.end()
  await application.end()
})
beforeEach(async () => {
  await database.pool.query('delete from mail; delete from graphile_worker._private_jobs')
  sentMails = []
  logLines = []
  offsetMs = 0
})

/** Simulates a process. All processes share the database, the clock and the log. */
function startProcess(send: (mail: Mail) => Promise<MailResult> = deliver, catalogues?: Catalogues) {
  const log = (details: object, message: string) => void logLines.push(JSON.stringify({ details, message }))
  const notifications = createNotifications({
    pool: application,
    secret: Buffer.alloc(32, 7),
    provider: { name: 'double', send },
    publicUrl,
    realNow: () => new Date(Date.now() + offsetMs),
    log: { info: log, warn: log },
    ...(catalogues ? { catalogues: Promise.resolve(catalogues) } : {}),
  })
  /** Runs a worker until no job is due. Returns the number of attempted mails. */
  async function sendDueMails(): Promise<number> {
    let attemptCount = 0
    await runOnce({
      pgPool: jobs,
      noHandleSignals: true,
      preset,
      logger: new Logger(() => (level, message) => void (level === 'error' && logLines.push(message))),
      taskList: {
        send_mail: async (payload) => {
          attemptCount += 1
          await notifications.send((payload as { mailId: string }).mailId)
        },
      },
    })
    return attemptCount
  }
  return { ...notifications, sendDueMails }
}
type Notifications = ReturnType<typeof startProcess>

const queueMail = ({ mail }: Notifications, email = 'ana@example.com') =>
  transact(application, (tx) => mail(tx, { to: { email }, template: 'verify_email', data: { link } }))

/** Simulates the passing of time for the queue, which uses the database's clock. */
const advanceJobs = (interval: string) =>
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
async function loadMailRows(): Promise<Row[]> {
  return (await database.pool.query<Row>('select * from mail order by created_at, id')).rows
}
const onlyRow = async () => {
  const allRows = await loadMailRows()
  expect(allRows).toHaveLength(1)
  return allRows[0] as Row
}
/** Returns the whole table as text, as an attacker with the database could read it. */
async function dumpMails(): Promise<string> {
  const { rows: mailRows } = await database.pool.query<{ whole: string; bytes: Buffer | null }>(
    'select mail::text as whole, content as bytes from mail',
  )
  return mailRows.map(({ whole, bytes }) => whole + (bytes?.toString('latin1') ?? '')).join('\n')
}
const secretParts = ['ana@example.com', 'a-secret-token', 'Confirm', '<html']

test('a mail leaves after the commit of its transaction, under a key of its own', async () => {
  const tern = startProcess()
  await transact(application, async (tx) => {
    await tern.mail(tx, { to: { email: 'ana@example.com' }, template: 'verify_email', data: { link } })
    expect(await startProcess().sendDueMails(), 'before the commit').toBe(0)
  })
  expect(await tern.sendDueMails()).toBe(1)
  const { id, sent_at: sentAt } = await onlyRow()
  expect(sentAt).not.toBeNull()
  expect(sentMails).toMatchObject([
    { to: 'ana@example.com', subject: 'Confirm your email address', idempotencyKey: id },
  ])
  expect(sentMails[0]?.text).toContain(link)
  expect(sentMails[0]?.html).toContain(link)
  expect(await tern.sendDueMails(), 'once more').toBe(0)
})

test('a mail of a failed transaction is never sent', async () => {
  const tern = startProcess()
  const failingTransaction = transact(application, async (tx) => {
    await tern.mail(tx, { to: { email: 'ana@example.com' }, template: 'verify_email', data: { link } })
    throw new Error('the sign-up failed')
  })
  await expect(failingTransaction).rejects.toThrow('the sign-up failed')
  expect(await tern.sendDueMails()).toBe(0)
  expect(await loadMailRows()).toEqual([])
})

test('its content cannot be read from the database before, and is gone afterwards', async () => {
  const tern = startProcess()
  await queueMail(tern)
  const dumpBefore = await dumpMails()
  for (const part of secretParts) expect(dumpBefore).not.toContain(part)
  await tern.sendDueMails()
  expect((await onlyRow()).content).toBeNull()
})

test('content moved to another row is sent to no one', async () => {
  const tern = startProcess()
  await queueMail(tern, 'ana@example.com')
  await queueMail(tern, 'ben@example.com')
  await database.pool.query(
    `update mail set content = (select content from mail order by id limit 1) where id = (select max(id::text) from mail)::uuid`,
  )
  expect(await tern.sendDueMails()).toBe(2)
  expect(sentMails.map(({ to }) => to)).toEqual(['ana@example.com'])
})

test('many concurrent processes send each mail once', async () => {
  const first = startProcess()
  const total = 60
  await Promise.all(Array.from({ length: total }, (_, index) => queueMail(first, `person${index}@example.com`)))
  const busyProcesses = new Set<number>()
  const concurrentSends = Promise.withResolvers<void>()
  // Each process waits until another one has a mail, so that both send even on a slow machine.
  const sendSlowly = (process: number) => async (mail: Mail) => {
    if (busyProcesses.add(process).size > 1) concurrentSends.resolve()
    await concurrentSends.promise
    await delay(5)
    return deliver(mail)
  }
  const counts = await Promise.all(
    Array.from({ length: 4 }, (_, index) => startProcess(sendSlowly(index)).sendDueMails()),
  )
  expect(counts.reduce((sum, count) => sum + count)).toBe(total)
  expect(counts.filter((count) => count > 0).length, 'several had a share').toBeGreaterThan(1)
  expect(new Set(sentMails.map(({ to }) => to)).size).toBe(total)
  expect(sentMails).toHaveLength(total)
})

test('a silent provider is retried more and more slowly, until the mail is sent', async () => {
  let answers = false
  const tern = startProcess((mail) =>
    answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' }),
  )
  await queueMail(tern)
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    expect(await tern.sendDueMails()).toBe(1)
    expect(await tern.sendDueMails(), 'not before its pause is over').toBe(0)
    await tern.resumeSending()
    const { rows: retryRows } = await jobs.query<{ pause: number; error: string }>(
      'select extract(epoch from run_at - now())::int as pause, last_error as error from graphile_worker.jobs',
    )
    expect(retryRows).toMatchObject([{ error: 'no answer' }])
    pauses.push(retryRows[0]?.pause ?? 0)
    await advanceJobs('1 hour')
  }
  expect(pauses.slice(0, 3).every((pause) => pause <= 21)).toBe(true)
  // On a slow machine, a second or two of the longest pause of an hour may already have passed.
  const cappedPauses = pauses.map((pause) => Math.min(pause, 3500))
  expect(cappedPauses).toEqual(cappedPauses.toSorted((a, b) => a - b))
  expect(pauses.at(-1)).toBeGreaterThan(3500)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(3600)
  expect(sentMails).toEqual([])

  answers = true
  expect(await tern.sendDueMails()).toBe(1)
  expect(sentMails.map(({ idempotencyKey }) => idempotencyKey)).toEqual([(await onlyRow()).id])
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
  const tern = startProcess((mail) =>
    answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' }),
  )
  await transact(application, (tx) => tern.mail(tx, { to: { email: 'ana@example.com' }, template, data }))
  await tern.sendDueMails()
  offsetMs = (minutes - 1) * minuteMs
  await advanceJobs('1 hour')
  expect(await tern.sendDueMails()).toBe(1)
  expect(await onlyRow()).toMatchObject({ given_up_at: null })
  offsetMs = minutes * minuteMs + 1000
  await advanceJobs('1 hour')
  answers = true
  await tern.sendDueMails()
  expect(sentMails).toEqual([])
  const row = await onlyRow()
  expect(row).toMatchObject({ content: null, given_up_reason: 'outlived' })
  expect(row.given_up_at).not.toBeNull()
})

test('a refused mail is dropped at once, with the reason', async () => {
  const tern = startProcess(() => Promise.resolve({ status: 'refused', reason: 'The mail server answered 550' }))
  await queueMail(tern)
  expect(await tern.sendDueMails()).toBe(1)
  expect(await onlyRow()).toMatchObject({ content: null, sent_at: null, given_up_reason: 'refused' })
  expect(logLines.join()).toContain('The mail server answered 550')
  await advanceJobs('1 hour')
  expect(await startProcess().sendDueMails()).toBe(0)
})

test('a worker that died with a mail leaves it to the next, under the same key', async () => {
  const keys: (string | undefined)[] = []
  let release: (result: MailResult) => void = () => {}
  const crashingSender = startProcess(({ idempotencyKey }) => {
    keys.push(idempotencyKey)
    return new Promise((resolve) => (release = resolve))
  })
  await queueMail(crashingSender)
  const firstRun = crashingSender.sendDueMails()
  await expect.poll(() => keys.length).toBe(1)
  await advanceJobs('1 minute')
  await startProcess().resumeSending()
  expect(await startProcess().sendDueMails(), 'it may still be alive').toBe(0)
  await advanceJobs('2 minutes')
  await startProcess().resumeSending()
  expect(await startProcess().sendDueMails()).toBe(1)
  expect(sentMails.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys)
  // The first attempt was only slow and now reports an unknown result.
  release({ status: 'unknown', reason: 'no answer' })
  await firstRun
  await advanceJobs('2 hours')
  expect(await startProcess().sendDueMails()).toBe(0)
  expect((await onlyRow()).sent_at).not.toBeNull()
})

test('a slow worker does not take a mail from the next one', async () => {
  const answers: ((result: MailResult) => void)[] = []
  const startSlow = () => startProcess(() => new Promise((resolve) => answers.push(resolve)))
  await queueMail(startSlow())
  const first = startSlow().sendDueMails()
  await expect.poll(() => answers.length).toBe(1)
  await advanceJobs('3 minutes')
  await startProcess().resumeSending()
  const second = startSlow().sendDueMails()
  await expect.poll(() => answers.length).toBe(2)
  answers[0]?.({ status: 'unknown', reason: 'no answer' })
  await first
  await advanceJobs('1 minute')
  await startProcess().resumeSending()
  expect(await startProcess().sendDueMails()).toBe(0)
  answers[1]?.({ status: 'sent', id: 'x' })
  expect(await second).toBe(1)
  expect((await onlyRow()).sent_at).not.toBeNull()
})

test('a provider that throws delays only its own mail, and leaks nothing into the log', async () => {
  const tern = startProcess((mail) => {
    if (mail.to === 'ana@example.com') throw new TypeError(`cannot send ${JSON.stringify(mail)}\n    at ${mail.to}`)
    return deliver(mail)
  })
  await queueMail(tern, 'ana@example.com')
  await queueMail(tern, 'ben@example.com')
  expect(await tern.sendDueMails()).toBe(2)
  expect(logLines.join('\n')).toContain('TypeError')
  const jobTexts = await jobs.query<{ whole: string }>(
    'select jobs::text as whole from graphile_worker._private_jobs as jobs',
  )
  for (const part of secretParts) expect(logLines.join('\n') + jobTexts.rows[0]?.whole).not.toContain(part)
  await advanceJobs('3 minutes')
  expect(await startProcess().sendDueMails()).toBe(1)
  expect(sentMails.map(({ to }) => to)).toEqual(['ben@example.com', 'ana@example.com'])
})

test('a mail is stored without its sentences, and rendered in its reader’s language when it leaves', async () => {
  const catalogue = await readPseudoMessages('qps')
  const tern = startProcess(
    deliver,
    new Map([
      ['en', currentRequestMessages()],
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
    await withMessages(catalogue, () =>
      tern.mail(tx, { to: { email: 'b@example.com' }, template: 'verify_email', data: { link } }),
    )
    await tern.mail(tx, { to: { email: 'c@example.com' }, template: 'verify_email', data: { link } })
    await tern.mail(tx, { to: { email: 'd@example.com', language: 'xx' }, template: 'verify_email', data: { link } })
  })
  const seal = createSeal(Buffer.alloc(32, 7), 'notifications/mail')
  for (const { id, content } of await loadMailRows()) {
    expect(seal.open(content as Buffer, id)).not.toMatch(/Confirm|sign-in|html|account/)
  }
  await tern.sendDueMails()
  const subjects = Object.fromEntries(sentMails.map(({ to, subject }) => [to, subject]))
  expect(subjects['a@example.com']).toMatch(/^\[!! .+ !!\]$/)
  expect(subjects['b@example.com']).toMatch(/^\[!! .+ !!\]$/)
  expect(subjects['c@example.com']).toBe('Confirm your email address')
  expect(subjects['d@example.com']).toBe('Confirm your email address')
  expect(sentMails.find(({ to }) => to === 'a@example.com')?.html).toContain('2026年3月5日')
})

test('a waiting mail without a job gets one, and no other does', async () => {
  const tern = startProcess()
  await queueMail(tern, 'sent@example.com')
  expect(await tern.sendDueMails()).toBe(1)
  // As in a database that was upgraded, or restored without its queue.
  for (const email of ['ana@example.com', 'ben@example.com']) await queueMail(tern, email)
  await database.pool.query('delete from graphile_worker._private_jobs')
  await queueMail(tern, 'carl@example.com')
  await Promise.all([tern.resumeSending(), startProcess().resumeSending()])
  expect(await tern.sendDueMails()).toBe(3)
  expect(sentMails.map(({ to }) => to).toSorted()).toEqual(
    ['ana', 'ben', 'carl', 'sent'].map((name) => `${name}@example.com`),
  )
  await tern.resumeSending()
  expect(await tern.sendDueMails()).toBe(0)
})

test('a stopping worker finishes its mails, and leaves the others to the next', async () => {
  const tern = startProcess(async (mail) => {
    await delay(300)
    return deliver(mail)
  })
  for (let index = 0; index < 20; index += 1) await queueMail(tern, `person${index}@example.com`)
  const takenIds: string[] = []
  const send = (id: string) => {
    takenIds.push(id)
    return tern.send(id)
  }
  const worker = await runJobs(pino({ level: 'silent' }), jobs, {
    name: 'send_mail',
    atOnce: 8,
    run: (payload) => send(readJobId(payload, 'mailId')),
  })
  await expect.poll(() => takenIds.length, { interval: 5 }).toBeGreaterThan(0)
  await worker.stop()
  const takenBefore = takenIds.length
  expect(takenBefore).toBeLessThan(20)
  expect(sentMails).toHaveLength(takenBefore)
  expect((await loadMailRows()).filter(({ sent_at: at }) => at !== null)).toHaveLength(takenBefore)
  expect(await startProcess().sendDueMails(), 'nobody holds the others').toBe(20 - takenBefore)
})

test('the documented statements for operators find waiting and dropped mails', async () => {
  const statuses: MailResult['status'][] = ['unknown', 'refused']
  const tern = startProcess(() => Promise.resolve({ status: statuses.pop() ?? 'sent', id: 'x', reason: 'a reason' }))
  for (let index = 0; index < 3; index += 1) await queueMail(tern)
  await tern.sendDueMails()
  const operatingGuide = await readFile(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
  const statements = operatingGuide.match(/^ {4}select .* from mail .*$|^ {4}select .*\n {6}from mail .*$/gm) ?? []
  const results = await Promise.all(statements.map((statement) => database.pool.query(statement)))
  expect(results.map(({ rows: [first, ...otherRows] }) => [first, otherRows.length])).toMatchObject([
    [{ template: 'verify_email', attempts: 1, last_error: 'a reason' }, 0],
    [{ template: 'verify_email', given_up_reason: 'refused' }, 0],
  ])
})

test('a mail rendered by an earlier version is sent unchanged', async () => {
  const tern = startProcess()
  await queueMail(tern)
  const { id } = await onlyRow()
  const mailContent = { to: 'ana@example.com', subject: 'Hello', text: 'Words.', html: '<p>Words.</p>' }
  const content = createSeal(Buffer.alloc(32, 7), 'notifications/mail').seal(JSON.stringify(mailContent), id)
  await database.pool.query('update mail set content = $1', [content])
  expect(await tern.sendDueMails()).toBe(1)
  expect(sentMails).toEqual([{ ...mailContent, idempotencyKey: id }])
})

test('nothing of this is in the log', async () => {
  const results: MailResult['status'][] = ['sent', 'refused', 'unknown']
  const answers = results.map((status): MailResult => ({ status, id: 'x', reason: 'a reason' }))
  const tern = startProcess(() => Promise.resolve(answers.pop() as MailResult))
  for (let index = 0; index < 3; index += 1) await queueMail(tern)
  await tern.sendDueMails()
  // Two lines of our own, and one that the queue writes about the failed job.
  expect(logLines).toHaveLength(3)
  expect(logLines.join()).toContain('a reason')
  for (const { id, sent_at: at } of await loadMailRows())
    expect(logLines.join().includes(id), 'is named').toBe(at === null)
  for (const part of secretParts) expect(logLines.join('\n')).not.toContain(part)
})
