import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { validForm, startTestKyc, type TestKyc } from '@tern/testkit/kyc/kyc'
import { generateNationalId } from '@tern/testkit/national-ids'
import { createSeal } from '../../platform/seal.ts'
import type { SignedIn } from '../identity/identity.ts'
import { createKyc, type KycOptions } from './kyc.ts'
import { providerWithCheck, resultWithStatus, startProvider } from '@tern/testkit/kyc/provider'

const secret = Buffer.alloc(32, 7)
let world: TestKyc

beforeAll(async () => {
  world = await startTestKyc(secret)
})
afterAll(() => world.close())

const loadRows = async (table: string) =>
  (await world.database.pool.query<Record<string, unknown>>(`select * from ${table}`)).rows

describe('a national number of another user', () => {
  const country = 'United States'
  const loadState = async (person: SignedIn) =>
    (await world.status(person)).json() as { status: string; reasons: object[] }

  test('verifies no second user, also on resubmission and repeated polls, and does not reveal its owner', async () => {
    const idNumber = generateNationalId(country)
    const [first, second] = [await world.signUp('first'), await world.signUp('second')]
    expect((await world.submit(first, { country, idNumber })).json().status).toBe('verified')
    const reviewStatus = {
      status: 'in_review',
      reasons: [{ field: 'idNumber', code: 'number_in_review', message: 'Our team is checking this number.' }],
      next_step: null,
    }
    expect((await world.submit(second, { country, idNumber })).json()).toEqual(reviewStatus)
    await world.kyc.resumePending(new Date(world.now().getTime() + 1))
    expect((await world.status(second)).json()).toEqual(reviewStatus)
    expect(await world.isVerified(second)).toBe(false)
    const otherPerson = await world.signUp('elsewhere')
    expect((await world.submit(otherPerson, { country: 'Canada' })).json().status).toBe('verified')
  })

  test('does not block its owner after misuse in a rejected form', async () => {
    const idNumber = generateNationalId(country)
    expect(
      (await world.submit(await world.signUp('thief'), { country, idNumber, lastName: 'Rejected' })).json().status,
    ).toBe('rejected')
    expect((await world.submit(await world.signUp('victim'), { country, idNumber })).json().status).toBe('verified')
  })

  test('verifies one, even if an earlier form is stored while the other is being verified', async () => {
    const form = { ...validForm, country, idNumber: generateNationalId(country) }
    const [lateUser, earlyUser] = [await world.signUp('late'), await world.signUp('early')]
    const { promise: verificationStarted, resolve: signalStart } = Promise.withResolvers<void>()
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const provider = providerWithCheck(() => resultWithStatus('verified'))
    const slowKyc = createKyc({
      ...world.optionsWith(provider),
      accountEvents: [
        {
          verified: () => {
            signalStart()
            return gate
          },
        },
      ],
    })
    const first = slowKyc.submit({ userId: BigInt(lateUser.user.id), form })
    await verificationStarted
    const earlierKyc = createKyc({
      ...world.optionsWith(provider),
      now: () => new Date(world.now().getTime() - 60_000),
    })
    const second = earlierKyc.submit({ userId: BigInt(earlyUser.user.id), form })
    expect(await Promise.race([second, delay(300, 'waits')])).toBe('waits')
    openGate()
    expect([(await first).status, (await second).status]).toEqual(['verified', 'in_review'])
  })

  test('is found concurrently by processes that put different secrets first', async () => {
    const pools = [
      new pg.Pool({ connectionString: world.database.url }),
      new pg.Pool({ connectionString: world.database.url }),
    ]
    const olderSecret = Buffer.alloc(32, 6)
    for (let round = 0; round < 10; round += 1) {
      const form = { ...validForm, country, idNumber: generateNationalId(country) }
      const pair = [await world.signUp(`twin${round}a`), await world.signUp(`twin${round}b`)]
      const { promise: bothSubmitted, resolve: resolveBoth } = Promise.withResolvers<void>()
      let checkCount = 0
      const check = async () => {
        checkCount += 1
        if (checkCount === pair.length) resolveBoth()
        await bothSubmitted
        return resultWithStatus('verified')
      }
      const submissions = pair.map(({ user }, index) => {
        const keyRing = (index === 0 ? [secret, olderSecret] : [olderSecret, secret]) as KycOptions['secret']
        const options = {
          ...world.optionsWith(providerWithCheck(check)),
          pool: pools[index] as pg.Pool,
          secret: keyRing,
        }
        return createKyc(options).submit({ userId: BigInt(user.id), form })
      })
      const statuses = (await Promise.all(submissions)).map((state) => state.status)
      expect(statuses.toSorted()).toEqual(['in_review', 'verified'])
      expect((await Promise.all(pair.map(loadState))).map((state) => state.status)).toEqual(statuses)
    }
    await Promise.all(pools.map((pool) => pool.end()))
    // Later tests use one secret and could not open forms in review that were sealed with the other.
    await world.database.pool.query("update kyc_submission set status = 'rejected' where status = 'in_review'")
  })
})

describe('personal numbers', () => {
  const numbers = {
    idNumber: '536-90-4399',
    documentNumber: 'PASS7391846',
    panCard: 'ABCPE1234F',
    medicareNumber: '2123 45670 1',
  }
  const localName = '山田太郎'
  const plainTexts = [
    localName,
    '536-90-4399',
    '536904399',
    'PASS7391846',
    '7391846',
    'ABCPE1234F',
    '2123 45670 1',
    '2123456701',
  ]

  test('are not in plain text in the database or log, and can be decrypted with the secret', async () => {
    const person = await world.signUp('secretive')
    await world.submit(person, { ...numbers, localName, country: 'United States' })
    const { rows: tables } = await world.database.pool.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    )
    expect(tables.length).toBeGreaterThan(7)
    for (const { name } of tables) {
      for (const row of await loadRows(name)) {
        const text = Object.values(row)
          .map((value) =>
            Buffer.isBuffer(value)
              ? value.toString('latin1') + value.toString()
              : JSON.stringify(value, stringifyBigints),
          )
          .join('\n')
        for (const number of plainTexts) expect(text, `${name} contains ${number}`).not.toContain(number)
      }
    }
    for (const number of plainTexts) expect(world.logged.join('\n')).not.toContain(number)
    const { rows } = await world.database.pool.query<{ id: string; numbers: Buffer }>(
      'select id, numbers from kyc_submission where user_id = $1',
      [person.user.id],
    )
    expect(JSON.parse(createSeal(secret, 'kyc/numbers').open(rows[0]!.numbers, rows[0]!.id))).toEqual(numbers)
  })
  const stringifyBigints = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

  test('are removed from provider refusals before logging, in any spelling', async () => {
    const spellings = [
      'PASS7391846',
      '536-90-4399',
      '536904399',
      '536 90 4399',
      'pass-739 1846',
      'abcpe 1234 f',
      '2123456701',
    ]
    const message = `No such numbers: ${spellings.join(', ')}`
    const { provider, stop } = await startProvider(() => ({
      code: 422,
      body: JSON.stringify({ error: { code: 'invalid', message } }),
    }))
    const person = await world.signUp('repeated')
    await createKyc(world.optionsWith(provider)).submit({
      userId: BigInt(person.user.id),
      form: { ...validForm, ...numbers },
    })
    expect(world.logged.at(-1)).toContain('No such numbers: …, …, …, …, …, …, …')
    for (const spelling of spellings) expect(world.logged.join('\n')).not.toContain(spelling)
    await stop()
  })

  test('can be compared and recognized by their last characters', async () => {
    const [firstUser, secondUser, thirdUser] = [
      await world.signUp('one'),
      await world.signUp('two'),
      await world.signUp('other'),
    ]
    await world.submit(firstUser, { idNumber: '290-02-7512', country: 'United States' })
    await world.submit(secondUser, { idNumber: '290-02-7512', country: 'United States', documentNumber: '0000' })
    await world.submit(thirdUser, { idNumber: '290-027-515', country: 'Canada' })
    const { rows } = await world.database.pool.query<{
      user_id: bigint
      fingerprint: Buffer
      last_characters: string
      kind: string
    }>(
      `select user_id, kind, fingerprint, last_characters from kyc_number join kyc_submission on id = submission_id
        where user_id = any($1)`,
      [[firstUser, secondUser, thirdUser].map(({ user }) => user.id)],
    )
    const findNumberRow = ({ user }: SignedIn, kind: string) =>
      rows.find((row) => row.user_id === BigInt(user.id) && row.kind === kind)!
    expect(
      findNumberRow(firstUser, 'idNumber').fingerprint.equals(findNumberRow(secondUser, 'idNumber').fingerprint),
    ).toBe(true)
    expect(
      findNumberRow(firstUser, 'idNumber').fingerprint.equals(findNumberRow(thirdUser, 'idNumber').fingerprint),
    ).toBe(false)
    expect(findNumberRow(firstUser, 'idNumber').last_characters).toBe('7512')
    // Four characters would reveal the whole number.
    expect(findNumberRow(secondUser, 'documentNumber').last_characters).toBe('00')
  })
})
