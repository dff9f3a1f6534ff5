import { setTimeout as delay } from 'node:timers/promises'
import type { Mail, MailResult } from '@tern/providers/mail/port'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tools/testing/test-database.ts'
import { readPseudoMessages } from '../../../../../tools/pseudo-language.ts'
import { transact } from '../../platform/database/db.ts'
import { type Catalogues, messagesHere, speaking } from '../../platform/messages.ts'
import { createSeal } from '../../platform/seal.ts'
import { createNotifications } from './notifications.ts'

const publicUrl = 'https://tern.example'
const link = `${publicUrl}/verify-email?token=a-secret-token`
const minuteMs = 60_000
const hourMs = 60 * minuteMs

let database: TestDatabase
let sent: Mail[]
let logged: string[]
let offsetMs: number

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query('delete from mail')
  sent = []
  logged = []
  offsetMs = 0
})

const deliver = (mail: Mail): Promise<MailResult> => {
  sent.push(mail)
  return Promise.resolve({ status: 'sent', id: 'x' })
}

/** One process, as it were: all share the database, the clock and the log. */
function start(send: (mail: Mail) => Promise<MailResult> = deliver, catalogues?: Catalogues) {
  const write = (details: object, message: string) => void logged.push(JSON.stringify({ details, message }))
  return createNotifications({
    pool: database.pool,
    secret: Buffer.alloc(32, 7),
    provider: { name: 'double', send },
    publicUrl,
    realNow: () => new Date(Date.now() + offsetMs),
    log: { info: write, warn: write },
    ...(catalogues ? { catalogues: Promise.resolve(catalogues) } : {}),
  })
}
type Notifications = ReturnType<typeof start>

const queue = ({ mail }: Notifications, email = 'ana@example.com') =>
  transact(database.pool, (tx) => mail(tx, { email }, 'verify_email', { link }))

interface Row {
  id: string
  content: Buffer | null
  sent_at: Date | null
  given_up_at: Date | null
  given_up_reason: string | null
  attempts: number
}
async function rows(): Promise<Row[]> {
  return (await database.pool.query<Row>('select * from mail order by created_at, id')).rows
}
const onlyRow = async () => {
  const all = await rows()
  expect(all).toHaveLength(1)
  return all[0] as Row
}
/** A dump of the whole table, as somebody who got hold of the database would read it. */
async function dump(): Promise<string> {
  const { rows: found } = await database.pool.query<{ whole: string; bytes: Buffer | null }>(
    'select mail::text as whole, content as bytes from mail',
  )
  return found.map(({ whole, bytes }) => whole + (bytes?.toString('latin1') ?? '')).join('\n')
}
const secretParts = ['ana@example.com', 'a-secret-token', 'Confirm', '<html']

test('a mail leaves after the commit of what it tells, under a key of its own', async () => {
  const tern = start()
  await transact(database.pool, async (tx) => {
    await tern.mail(tx, { email: 'ana@example.com' }, 'verify_email', { link })
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

test('a mail of a transaction that failed is never sent', async () => {
  const tern = start()
  const failing = transact(database.pool, async (tx) => {
    await tern.mail(tx, { email: 'ana@example.com' }, 'verify_email', { link })
    throw new Error('the sign-up failed')
  })
  await expect(failing).rejects.toThrow('the sign-up failed')
  expect(await tern.sendDue()).toBe(0)
  expect(await rows()).toEqual([])
})

test('what it says cannot be read from the database before, and is gone afterwards', async () => {
  const tern = start()
  await queue(tern)
  const before = await dump()
  for (const part of secretParts) expect(before).not.toContain(part)
  await tern.sendDue()
  expect((await onlyRow()).content).toBeNull()
})

test('content moved to another row goes to nobody', async () => {
  const tern = start()
  await queue(tern, 'ana@example.com')
  await queue(tern, 'ben@example.com')
  await database.pool.query(
    `update mail set content = (select content from mail order by id limit 1) where id = (select max(id::text) from mail)::uuid`,
  )
  expect(await tern.sendDue()).toBe(1)
  expect(sent.map(({ to }) => to)).toEqual(['ana@example.com'])
})

test('many processes that send at once send each mail once', async () => {
  const first = start()
  const total = 120
  await Promise.all(Array.from({ length: total }, (_, index) => queue(first, `person${index}@example.com`)))
  const slow = async (mail: Mail) => {
    await delay(5)
    return deliver(mail)
  }
  const counts = await Promise.all(Array.from({ length: 6 }, () => start(slow).sendDue()))
  expect(counts.reduce((sum, count) => sum + count)).toBe(total)
  expect(counts.filter((count) => count > 0).length, 'several had a share').toBeGreaterThan(1)
  expect(new Set(sent.map(({ to }) => to)).size).toBe(total)
  expect(sent).toHaveLength(total)
})

test('a provider that says nothing is asked again, more and more slowly, and then it is sent', async () => {
  let answers = false
  let asked = 0
  const tern = start((mail) => {
    asked += 1
    return answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' })
  })
  await queue(tern)
  const lastPolledAt: number[] = []
  for (let seconds = 0; seconds <= 2 * 3600; seconds += 5) {
    offsetMs = seconds * 1000
    const before = asked
    await tern.sendDue()
    if (asked > before) lastPolledAt.push(seconds)
  }
  const pauses = lastPolledAt.slice(1).map((at, index) => at - (lastPolledAt[index] ?? 0))
  expect(pauses.slice(0, 4).map((pause, index) => pause / (10 * 2 ** index))).toEqual(
    Array.from({ length: 4 }, () => expect.closeTo(1, 0)),
  )
  expect(Math.max(...pauses)).toBeLessThanOrEqual(3605)
  expect(sent).toEqual([])

  answers = true
  offsetMs += hourMs
  expect(await tern.sendDue()).toBe(1)
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([(await onlyRow()).id])
})

const from = { device: { browser: 'Firefox' }, place: { country: 'BR', network: '' } } as const

test.each([
  ['verify_email', { link }, 24 * 60],
  ['log_in', { link, ...from }, 15],
  ['step_up_code', { code: '123456', action: 'change_password', subject: [] }, 5],
  ['new_sign_in', { ...from, at: new Date(0), link }, 30 * 24 * 60],
  ['security_change', { change: 'password_changed', ...from, at: new Date(0), link }, 30 * 24 * 60],
] as const)('a %s that nobody took while it was of use is given up', async (template, data, minutes) => {
  let answers = false
  const tern = start((mail) => (answers ? deliver(mail) : Promise.resolve({ status: 'unknown', reason: 'no answer' })))
  await transact(database.pool, (tx) => tern.mail(tx, { email: 'ana@example.com' }, template, data as never))
  await tern.sendDue()
  offsetMs = (minutes - 1) * minuteMs
  await tern.sendDue()
  expect(await onlyRow()).toMatchObject({ attempts: 2, given_up_at: null })
  offsetMs = minutes * minuteMs + 1000
  await database.pool.query('update mail set due_at = created_at')
  answers = true
  expect(await tern.sendDue()).toBe(0)
  expect(sent).toEqual([])
  const row = await onlyRow()
  expect(row).toMatchObject({ content: null, given_up_reason: 'outlived' })
  expect(row.given_up_at).not.toBeNull()
})

test('a mail that is turned down is given up at once, with the reason', async () => {
  const tern = start(() => Promise.resolve({ status: 'refused', reason: 'The mail server answered 550' }))
  await queue(tern)
  expect(await tern.sendDue()).toBe(0)
  expect(await onlyRow()).toMatchObject({
    content: null,
    sent_at: null,
    given_up_reason: 'refused',
    attempts: 1,
  })
  offsetMs = hourMs
  expect(await start().sendDue()).toBe(0)
})

test('one that died with a mail in its hands leaves it to the next, under the same key', async () => {
  const keys: (string | undefined)[] = []
  let release: (result: MailResult) => void = () => {}
  const dying = start(({ idempotencyKey }) => {
    keys.push(idempotencyKey)
    return new Promise((resolve) => (release = resolve))
  })
  await queue(dying)
  const run = dying.sendDue()
  await expect.poll(() => keys.length).toBe(1)
  offsetMs = minuteMs
  expect(await start().sendDue(), 'it may still be alive').toBe(0)
  offsetMs = 3 * minuteMs
  expect(await start().sendDue()).toBe(1)
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys)
  // It was only slow, and says at last that it does not know.
  release({ status: 'unknown', reason: 'no answer' })
  await run
  offsetMs = 2 * hourMs
  expect(await start().sendDue()).toBe(0)
  expect((await onlyRow()).sent_at).not.toBeNull()
})

test('one that was slow does not take the mail out of the hands of the next', async () => {
  const answers: ((result: MailResult) => void)[] = []
  const slow = () => start(() => new Promise((resolve) => answers.push(resolve)))
  await queue(slow())
  const first = slow().sendDue()
  await expect.poll(() => answers.length).toBe(1)
  offsetMs = 3 * minuteMs
  const second = slow().sendDue()
  await expect.poll(() => answers.length).toBe(2)
  answers[0]?.({ status: 'unknown', reason: 'no answer' })
  await first
  offsetMs += minuteMs
  expect(await start().sendDue()).toBe(0)
  answers[1]?.({ status: 'sent', id: 'x' })
  expect(await second).toBe(1)
})

test('a provider that throws costs only its own mail a pause, and the log nothing', async () => {
  const tern = start((mail) => {
    if (mail.to === 'ana@example.com') throw new TypeError(`cannot send ${JSON.stringify(mail)}\n    at ${mail.to}`)
    return deliver(mail)
  })
  await queue(tern, 'ana@example.com')
  await queue(tern, 'ben@example.com')
  expect(await tern.sendDue()).toBe(1)
  expect(logged.join('\n')).toContain('TypeError')
  offsetMs = 3 * minuteMs
  expect(await start().sendDue()).toBe(1)
  expect(sent.map(({ to }) => to)).toEqual(['ben@example.com', 'ana@example.com'])
})

test('a call during a run makes it run once more, and never two at once', async () => {
  const taken: string[] = []
  let release: () => void = () => {}
  const open = new Promise<void>((resolve) => (release = resolve))
  const tern = start(async (mail) => {
    taken.push(mail.to)
    await open
    return deliver(mail)
  })
  await queue(tern, 'first@example.com')
  tern.deliverSoon()
  await expect.poll(() => taken).toEqual(['first@example.com'])
  for (const name of ['second', 'third']) {
    await queue(tern, `${name}@example.com`)
    tern.deliverSoon()
  }
  await delay(50)
  expect(taken, 'the first run is not over').toEqual(['first@example.com'])
  release()
  await expect
    .poll(() => sent.map(({ to }) => to).toSorted())
    .toEqual(['first', 'second', 'third'].map((name) => `${name}@example.com`))
  await tern.close()
})

test('sending in the background never throws, whatever happens', async () => {
  const broken = createNotifications({
    pool: { query: () => Promise.reject(new Error('the database is gone: ana@example.com')) } as never,
    secret: Buffer.alloc(32, 7),
    provider: { name: 'double', send: deliver },
    publicUrl,
    log: { info: () => {}, warn: (details, message) => void logged.push(JSON.stringify({ details, message })) },
  })
  broken.deliverSoon()
  await expect.poll(() => logged.length).toBe(1)
  broken.deliverSoon()
  await expect.poll(() => logged.length).toBe(2)
  await broken.close()
})

test('closing waits for what is on its way and begins nothing more', async () => {
  let taken = 0
  const { promise: isClosing, resolve: nowClosing } = Promise.withResolvers<void>()
  const tern = start(async (mail) => {
    taken += 1
    await isClosing
    return deliver(mail)
  })
  for (let index = 0; index < 20; index += 1) await queue(tern, `person${index}@example.com`)
  tern.deliverSoon()
  await expect.poll(() => taken, { interval: 5 }).toBeGreaterThan(0)
  const closed = tern.close()
  nowClosing()
  await closed
  const before = sent.length
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(20)
  expect((await rows()).filter(({ sent_at: at }) => at !== null)).toHaveLength(before)
  await delay(100)
  expect(sent).toHaveLength(before)
  expect(await start().sendDue(), 'the rest is nobody’s until the next run').toBe(20 - before)
})

test('what is old is forgotten', async () => {
  const tern = start()
  await queue(tern)
  await tern.sendDue()
  offsetMs = 89 * 24 * hourMs
  await tern.forgetOld()
  expect(await rows()).toHaveLength(1)
  await queue(tern, 'new@example.com')
  offsetMs = 91 * 24 * hourMs
  await tern.forgetOld()
  expect(await rows()).toHaveLength(1)
})

test('a mail is kept without its sentences, and written out in the language of its reader when it leaves', async () => {
  const catalogue = await readPseudoMessages('qps')
  const tern = start(
    deliver,
    new Map([
      ['en', messagesHere()],
      ['qps', catalogue],
    ]),
  )
  await transact(database.pool, async (tx) => {
    const at = new Date('2026-03-05T23:04:59Z')
    await tern.mail(tx, { email: 'a@example.com', language: 'qps' }, 'new_sign_in', { ...from, at, link })
    await speaking(catalogue, () => tern.mail(tx, { email: 'b@example.com' }, 'verify_email', { link }))
    await tern.mail(tx, { email: 'c@example.com' }, 'verify_email', { link })
    await tern.mail(tx, { email: 'd@example.com', language: 'xx' }, 'verify_email', { link })
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

test('a mail that an earlier version wrote out leaves as it was written', async () => {
  const tern = start()
  await queue(tern)
  const { id } = await onlyRow()
  const written = { to: 'ana@example.com', subject: 'Hello', text: 'Words.', html: '<p>Words.</p>' }
  const content = createSeal(Buffer.alloc(32, 7), 'notifications/mail').seal(JSON.stringify(written), id)
  await database.pool.query('update mail set content = $1', [content])
  expect(await tern.sendDue()).toBe(1)
  expect(sent).toEqual([{ ...written, idempotencyKey: id }])
})

test('nothing of any of this stands in a log', async () => {
  const results: MailResult['status'][] = ['sent', 'refused', 'unknown']
  const answers = results.map((status): MailResult => ({ status, id: 'x', reason: 'a reason' }))
  const tern = start(() => Promise.resolve(answers.pop() as MailResult))
  for (let index = 0; index < 3; index += 1) await queue(tern)
  await tern.sendDue()
  expect(logged).toHaveLength(2)
  for (const part of secretParts) expect(logged.join('\n')).not.toContain(part)
})
