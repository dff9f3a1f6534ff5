import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createForm, startTestKyc } from '@tern/testkit/kyc/kyc'
import { createKyc } from './kyc.ts'
import { providerWithCheck, resultWithStatus, startProvider, verdictReply } from '@tern/testkit/kyc/provider'

const world = await startTestKyc()
afterAll(() => world.close())

describe('without an answer', () => {
  test('verification stays pending until the provider can be polled', async () => {
    let isProviderUp = false
    const { provider, references, stop } = await startProvider(() =>
      isProviderUp ? verdictReply('verified') : undefined,
    )
    const person = await world.signUp('patient')
    const patientKyc = createKyc(world.optionsWith(provider))
    const userId = BigInt(person.user.id)
    expect(await patientKyc.submit({ userId, form: createForm() })).toEqual({
      status: 'pending',
      reasons: [],
      nextStep: null,
    })
    expect(await patientKyc.status(userId)).toEqual({ status: 'pending', reasons: [], nextStep: null })
    expect(await world.isVerified(person)).toBe(false)
    // Not polled again yet, because the answer may still arrive.
    expect(await patientKyc.resumePending()).toBe(0)
    expect(references).toHaveLength(1)
    world.pass(31_000)
    expect(await patientKyc.resumePending()).toBe(0)
    isProviderUp = true
    world.pass(31_000)
    expect(await patientKyc.resumePending()).toBe(1)
    expect(await patientKyc.resumePending()).toBe(0)
    expect(new Set(references).size).toBe(1)
    expect(await patientKyc.status(userId)).toEqual({ status: 'verified', reasons: [], nextStep: null })
    expect(await world.isVerified(person)).toBe(true)
    expect(await world.loadBaseCurrency(person)).toBe('EUR')
    await stop()
  })

  test.each([
    ['an error', { code: 500, body: '{}' }],
    ['something that is no JSON', { code: 200, body: 'verified!' }],
    ['a verdict nobody knows', verdictReply('splendid')],
    ['a refusal', { code: 422, body: JSON.stringify({ error: { code: 'invalid', message: 'no' } }) }],
  ])('%s verifies no one', async (_case, answer) => {
    const { provider, stop } = await startProvider(() => answer)
    const person = await world.signUp(`unsure${Math.trunc(performance.now() * 1000)}`)
    expect(
      (await createKyc(world.optionsWith(provider)).submit({ userId: BigInt(person.user.id), form: createForm() }))
        .status,
    ).toBe('pending')
    expect(await world.isVerified(person)).toBe(false)
    await stop()
  })

  test('refuses another form while one is pending; only the first verdict counts', async () => {
    const person = await world.signUp('newer')
    const userId = BigInt(person.user.id)
    const { promise: answerGate, resolve: answerLate } = Promise.withResolvers<void>()
    const lateProvider = providerWithCheck(() => answerGate.then(() => resultWithStatus('verified')))
    const olderSubmission = createKyc(world.optionsWith(lateProvider)).submit({ userId, form: createForm() })
    await expect.poll(async () => (await world.kyc.status(userId)).status).toBe('pending')
    const secondAnswer = await world.submit(person, { lastName: 'Rejected' })
    expect([secondAnswer.statusCode, secondAnswer.json().code]).toEqual([409, 'verification_running'])
    const { provider: fasterProvider, stop } = await startProvider(() => verdictReply('rejected'))
    await createKyc(world.optionsWith(fasterProvider)).resumePending(new Date(world.now().getTime() + 1))
    await stop()
    answerLate()
    expect((await olderSubmission).status).toBe('rejected')
    expect(await world.isVerified(person)).toBe(false)
  })

  test('undecryptable forms, however many, do not delay others', async () => {
    const { provider: silentProvider, stop } = await startProvider(() => undefined)
    const person = await world.signUp('patient2')
    await createKyc(world.optionsWith(silentProvider)).submit({ userId: BigInt(person.user.id), form: createForm() })
    await stop()
    await world.database.pool.query(
      `insert into app_user (id, email, username, kyc_status, created_at, email_verified_at)
       select 3000000000 + n, 'broken' || n, 'broken' || n, 'pending', $1, $1 from generate_series(1, 60) n`,
      [world.now()],
    )
    await world.database.pool.query(
      `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
         document_type, currency_preference, street_address, city, state, postal_code, numbers, submitted_at, last_polled_at, provider)
       select gen_random_uuid(), 3000000000 + n, 'pending', '', '', '1990-01-01', '', '', '', 'passport', 'EUR',
         '', '', '', '', '\\x00', $1::timestamptz, $1::timestamptz - interval '1 day', 'sandbox' from generate_series(1, 60) n`,
      [world.now()],
    )
    world.pass(31_000)
    for (let attempt = 0; attempt < 2; attempt += 1) await world.kyc.resumePending()
    await expect.poll(async () => (await world.kyc.status(BigInt(person.user.id))).status).toBe('verified')
    expect(world.logged.filter((line) => line.includes('an identity check could not be resumed'))).toHaveLength(60)
    await world.database.pool.query('delete from kyc_submission where user_id between 3000000001 and 3000000060')
    await world.database.pool.query('delete from screening_person where user_id between 3000000001 and 3000000060')
    await world.database.pool.query('delete from app_user where id between 3000000001 and 3000000060')
  })

  test('many concurrent forms produce one verdict and one name', async () => {
    const person = await world.signUp('eager')
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => world.submit(person, { firstName: `Eager ${'ABCDEFGHIJ'.charAt(i)}` })),
    )
    const statuses = replies.map((reply) => reply.statusCode)
    expect(statuses.every((code) => code === 200 || code === 409)).toBe(true)
    expect((await world.status(person)).json().status).toBe('verified')
    const { rows } = await world.database.pool.query(
      `select first_name from kyc_submission where user_id = $1 and status = 'verified'`,
      [person.user.id],
    )
    expect(rows).toHaveLength(1)
    expect((await world.identity.currentUser(BigInt(person.user.id))).profile.first_name).toBe(rows[0]?.first_name)
  })

  test('the provider is called outside any transaction', async () => {
    let openTransactions = -1
    const watchingProvider = providerWithCheck(async () => {
      const { rows } = await world.database.pool.query<{ n: bigint }>(
        `select count(*) as n from pg_stat_activity where datname = current_database() and state like 'idle in trans%'`,
      )
      openTransactions = Number(rows[0]?.n)
      return resultWithStatus('rejected')
    })
    const person = await world.signUp('outside')
    await createKyc(world.optionsWith(watchingProvider)).submit({ userId: BigInt(person.user.id), form: createForm() })
    expect(openTransactions).toBe(0)
  })

  test('a failure during a verification changes nothing about the user', async () => {
    const person = await world.signUp('fault')
    const failingKyc = createKyc({
      ...world.optionsWith(providerWithCheck(() => resultWithStatus('verified'))),
      accountEvents: [{ verified: () => Promise.reject(new Error('the wallet is not there')) }],
    })
    await expect(failingKyc.submit({ userId: BigInt(person.user.id), form: createForm() })).rejects.toThrow(
      'the wallet is not there',
    )
    expect((await world.status(person)).json().status).toBe('pending')
    expect((await world.identity.currentUser(BigInt(person.user.id))).name).toBeNull()
    await createKyc(world.optionsWith(providerWithCheck(() => resultWithStatus('verified')))).resumePending(
      new Date(world.now().getTime() + 1),
    )
    expect((await world.status(person)).json().status).toBe('verified')
  })
})

describe('a form without a confirmed email', () => {
  const pendingAnswer = { status: 'pending', reasons: [], next_step: 'confirm_email' }

  test('waits unsubmitted, and is submitted once after the confirmation, by the first reader or the worker', async () => {
    const person = await world.join('unconfirmed')
    const userId = BigInt(person.user.id)
    let createdCount = 0
    const provider = providerWithCheck(async () => {
      createdCount += 1
      await delay(50)
      return resultWithStatus('verified')
    })
    // Both processes have a stopped clock, so that they poll at the same time even on a slow machine.
    let at = world.now()
    const createProcess = () => createKyc({ ...world.optionsWith(provider), now: () => at })
    const [firstProcess, secondProcess] = [createProcess(), createProcess()]
    expect(await firstProcess.submit({ userId, form: createForm() })).toEqual({
      status: 'pending',
      reasons: [],
      nextStep: 'confirm_email',
    })
    expect((await world.status(person)).json()).toEqual(pendingAnswer)
    expect((await world.send(person)).json().code).toBe('verification_running')
    world.pass(31_000)
    at = world.now()
    expect(await firstProcess.resumePending()).toBe(0)
    expect(createdCount, 'nobody was told').toBe(0)
    await world.identity.vouchForEmail(userId)
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select payload ->> 'submissionId' as id from graphile_worker._private_jobs
        where key = 'begin_verification ' || (select id from kyc_submission where user_id = $1)`,
      [person.user.id],
    )
    const [{ id }] = rows as [{ id: string }]
    await Promise.all([
      firstProcess.beginCheck(id),
      secondProcess.beginCheck(id),
      firstProcess.status(userId),
      secondProcess.status(userId),
      firstProcess.resumePending(),
    ])
    expect(createdCount).toBe(1)
    expect((await world.status(person)).json()).toMatchObject({ status: 'verified', next_step: null })
    expect(await world.isVerified(person)).toBe(true)
    await firstProcess.beginCheck(id)
    expect(createdCount).toBe(1)
  })

  test('is submitted by the worker if the job was lost', async () => {
    const person = await world.join('jobless')
    const userId = BigInt(person.user.id)
    const workingKyc = createKyc(world.optionsWith(providerWithCheck(() => resultWithStatus('verified'))))
    await workingKyc.submit({ userId, form: createForm() })
    await world.database.pool.query('update app_user set email_verified_at = now() where id = $1', [person.user.id])
    await world.database.pool.query(`delete from graphile_worker._private_jobs where key like 'begin_verification%'`)
    expect(await workingKyc.resumePending()).toBe(0)
    world.pass(31_000)
    expect(await workingKyc.resumePending()).toBeGreaterThan(0)
    expect((await workingKyc.status(userId)).status).toBe('verified')
  })
})
