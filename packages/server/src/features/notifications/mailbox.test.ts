import { randomBytes } from 'node:crypto'
import { createSandboxMailProvider } from '@tern/providers/mail/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { createTestDatabase } from '@tern/testkit/database'
import { startTestSandbox } from '@tern/testkit/sandbox'
import { readConfig } from '../../platform/runtime/config.ts'
import { onlyRow, transact } from '../../platform/database/db.ts'
import { startWorker } from '../../worker.ts'
import { createNotifications } from './notifications.ts'

interface Mail {
  id: string
  to: string
  subject: string
  text: string
  html: string
}
const loadMails = async (sandboxUrl: string, to: string): Promise<Mail[]> =>
  (await (await fetch(`${sandboxUrl}/api/mail?to=${encodeURIComponent(to)}`)).json()) as Mail[]
const silentLog = { info: () => {}, warn: () => {} }

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())

test('a new user finds the confirmation link in the mailbox, and its page confirms', async () => {
  const { email } = await world.enroll('ana', null)
  await expect.poll(() => loadMails(world.sandboxUrl, email)).toHaveLength(1)
  const [mail] = await loadMails(world.sandboxUrl, email)
  expect(mail).toMatchObject({ to: email, subject: 'Confirm your email address' })
  const link = mail?.text.split('\n').find((line) => line.startsWith(`${world.url}/verify-email?token=`))
  expect(link).toMatch(/token=[\w-]{43}$/)
  expect(mail?.html).toContain(`href="${link}"`)
  const page = await (await fetch(`${world.sandboxUrl}/mail/${mail?.id}`)).text()
  expect(page).toContain('Confirm your email address')
  expect(page).toContain(link)
})

test('a link is valid for the time in its mail', async () => {
  const { id, email, password } = await world.enroll('cleo', null)
  for (const path of ['/user/send-login-link', '/user/send-password-reset']) {
    expect((await world.raw('POST', path, { body: { email } })).status).toBe(200)
  }
  const otherDevice = {
    'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  }
  expect((await world.raw('POST', '/user/login/', { body: { email, password }, headers: otherDevice })).status).toBe(
    200,
  )
  await expect.poll(() => loadMails(world.sandboxUrl, email)).toHaveLength(4)
  const { rows } = await world.database.pool.query<{ purpose: string; minutes: bigint }>(
    `select purpose, extract(epoch from expires_at - created_at)::bigint / 60 as minutes from mailed_link where user_id = $1`,
    [id],
  )
  const mails = (await loadMails(world.sandboxUrl, email)).map(({ text }) => text.replaceAll('\n', ' '))
  const mailCases = [
    ['verify_email', 'verify-email', 24n * 60n, 'for 24 hours.'],
    ['log_in', 'login-link', 15n, 'for 15 minutes.'],
    ['reset_password', 'reset-password', 60n, 'for one hour.'],
    ['unrecognized_sign_in', 'not-me', 30n * 24n * 60n, 'within 30 days and'],
  ] as const
  expect(new Set(rows.map(({ purpose, minutes }) => `${purpose} ${minutes}`))).toEqual(
    new Set(mailCases.map(([purpose, , minutes]) => `${purpose} ${minutes}`)),
  )
  for (const [, page, , expectedText] of mailCases)
    expect(mails.find((text) => text.includes(`/${page}`))).toContain(expectedText)
})

test('a mail whose sender died right after handing it over arrives once', async () => {
  const sandbox = createSandboxMailProvider({ url: world.sandboxUrl, secret: world.sandboxSecret })
  // A separate database, in which no other test sends mails.
  const database = await createTestDatabase()
  const { pool } = database
  const parts = { pool, secret: Buffer.alloc(32, 7), publicUrl: world.url, log: silentLog }
  const crashingNotifications = createNotifications({
    ...parts,
    provider: {
      name: 'double',
      async send(mail) {
        await sandbox.send(mail)
        throw new Error('killed')
      },
    },
  })
  const email = `ben.${randomBytes(4).toString('hex')}@example.com`
  await transact(pool, (tx) =>
    crashingNotifications.mail(tx, { to: { email }, template: 'no_account', data: { link: `${world.url}/signup` } }),
  )
  const { id } = onlyRow((await pool.query<{ id: string }>('select id from mail')).rows)
  await expect(crashingNotifications.send(id)).rejects.toThrow('The mail could not be sent')
  expect(await loadMails(world.sandboxUrl, email)).toHaveLength(1)
  await createNotifications({ ...parts, provider: sandbox }).send(id)
  expect(await loadMails(world.sandboxUrl, email)).toHaveLength(1)
  expect((await pool.query('select from mail where sent_at is not null')).rowCount).toBe(1)
  await database.drop()
})

test('the metrics report the age of the oldest waiting mail, with and without a worker', async () => {
  const { pool } = world.database
  const loadWaitingSeconds = async () =>
    Number(/^tern_mail_oldest_waiting_seconds (.+)$/m.exec(await (await world.readAsOperator('/metrics')).text())?.[1])
  await expect.poll(loadWaitingSeconds).toBe(0)
  await pool.query(
    `insert into mail (id, template, content, created_at)
       select gen_random_uuid(), 'log_in', '', now() - age from unnest('{1 hour, 5 minutes}'::interval[]) as age`,
  )
  expect(await loadWaitingSeconds()).toBeGreaterThanOrEqual(3600)
  expect(await loadWaitingSeconds()).toBeLessThan(3700)
  await pool.query(`delete from mail where content = ''`)
  expect(await loadWaitingSeconds()).toBe(0)
})

test('the worker sends leftover mails, and deletes old ones', async () => {
  const database = await createTestDatabase()
  const sandbox = await startTestSandbox()
  const config = readConfig({
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET: sandbox.secret,
    TERN_SECRET: randomBytes(24).toString('base64url'),
    LOG_LEVEL: 'silent',
  })
  const { pool } = database
  const insertMail = async (email: string, daysAgo: number) => {
    const { mail } = createNotifications({
      pool,
      secret: config.secret,
      provider: { name: 'double', send: () => Promise.reject(new Error('nobody sends here')) },
      publicUrl: config.publicUrl,
      realNow: () => new Date(Date.now() - daysAgo * 86_400_000),
      log: silentLog,
    })
    await transact(pool, (tx) =>
      mail(tx, { to: { email }, template: 'no_account', data: { link: `${config.publicUrl}/signup` } }),
    )
  }
  await insertMail('left@example.com', 0)
  await insertMail('old@example.com', 91)
  await pool.query(`update graphile_worker._private_jobs set locked_at = now() - interval '1 hour', locked_by = 'dead'`)
  const worker = await startWorker(config, database.url)
  const addJob = (task: string) => pool.query('select graphile_worker.add_job($1)', [task])
  await addJob('clear_old_rows')
  await addJob('resume_mails')
  await expect.poll(() => loadMails(sandbox.url, '')).toHaveLength(1)
  const loadSentStates = async () =>
    (await pool.query<{ sent: boolean }>('select sent_at is not null as sent from mail')).rows.map(({ sent }) => sent)
  await expect.poll(loadSentStates).toEqual([true])
  expect((await loadMails(sandbox.url, ''))[0]?.to).toBe('left@example.com')
  await worker.close()
  await sandbox.stop()
  await database.drop()
})
