import type { StepUpRequirement } from '@tern/contract/security'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity, buildRegistration } from '@tern/testkit/identity/identity'
import { insertWithFreeUsername, proposeUsername } from '../external/external-accounts.ts'
import { transact } from '../../../platform/database/db.ts'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let userCount = 0
const register = (username: string) => {
  userCount += 1
  return tern.post('/api/user/register/', { ...buildRegistration(username), email: `p${userCount}@tern.example` })
}
const putUsername = (user: { id: number; token: string }, username: string, confirmation?: string) =>
  tern.http.inject({
    method: 'PUT',
    url: `/api/user/update-profile/${user.id}`,
    headers: { authorization: `Bearer ${user.token}`, ...(confirmation ? { 'step-up': confirmation } : {}) },
    payload: { username },
  })
/** Renames a user. Confirms the change unless it is refused for another reason first. */
async function rename(user: { id: number; token: string }, username: string) {
  const putResponse = await putUsername(user, username)
  if (putResponse.json().code !== 'step_up_required') return putResponse
  const { confirmation } = putResponse.json<{ confirmation: StepUpRequirement }>()
  await steps.confirm(user.token, confirmation)
  return putUsername(user, username, confirmation.id)
}
const buildTakenProblem = (reason: string) => ({
  code: 'username_taken',
  reason,
  detail: expect.stringMatching(/^(This username|Someone)/) as string,
  errors: [{ field: 'username', code: reason }],
})

const paul = await tern.signUp('paypal')

describe('usernames admin, support, tern and lookalikes', () => {
  test.each([
    ...['admin', 'ADMIN', 'support', 'tern', 'root', 'help', 'security', 'no-reply', 'postmaster', 'wallet'],
    ...[
      'adm1n',
      'supp0rt',
      'adrnin',
      'vvallet',
      'ad.min',
      'te.rn.fan',
      'sup-p_ort.team',
      'tern_support',
      'lucas.support',
      'admin1',
      'tern-2026',
      'r00t',
    ],
  ])('%s is reserved, at sign-up and later', async (username) => {
    expect((await register(username)).json()).toMatchObject(buildTakenProblem('username_reserved'))
    expect((await rename(paul, username)).json()).toMatchObject(buildTakenProblem('username_reserved'))
  })

  test.each(['supporter', 'terence', 'ternova', 'rooted', 'helpful.hanna', 'maladmin'])('%s is free', async (name) => {
    expect((await register(name)).statusCode).toBe(201)
  })

  test.each(['paypa1', 'PAYPA1', 'paypaI', 'PayPal'])('%s looks like paypal', async (username) => {
    const isSameName = username.toLowerCase() === 'paypal'
    // `paypaI` is stored in lower case as `paypai`, which does not look like `paypal`.
    if (username === 'paypaI') return expect((await register(username)).statusCode).toBe(201)
    const reply = await register(username)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject(
      isSameName
        ? { code: 'username_taken', errors: [{ field: 'username' }] }
        : buildTakenProblem('username_like_another'),
    )
  })

  test('rn and m, vv and w, 0 and o are the same', async () => {
    await tern.signUp('wilma0')
    for (const username of ['vvilma0', 'wilrna0', 'wilmao', 'vvi1rnao'.replace('1', 'l')]) {
      expect((await register(username)).json(), username).toMatchObject(buildTakenProblem('username_like_another'))
    }
  })

  test.each(['аdmin', 'pаypal', 'ｐaypal', 'paypál'])('%j, of other scripts, is refused', async (username) => {
    const reply = await register(username)
    expect(reply.statusCode).toBe(422)
    expect(reply.json()).toMatchObject({ errors: [{ field: 'username', code: 'invalid_username' }] })
  })

  test('invisible characters make no other username', async () => {
    for (const username of ['paypal\u200d', 'pay\u200Bpal', '\u202Epaypal', 'pay\u{E0041}pal']) {
      const reply = await register(username)
      expect(reply.json(), username).toMatchObject({ code: 'username_taken', errors: [{ field: 'username' }] })
    }
  })

  test('of forty concurrent lookalikes one is granted', async () => {
    const spellings = ['lo0k', 'l00k', 'look', '1ook']
    const replies = await Promise.all(Array.from({ length: 40 }, (_, at) => register(spellings[at % 4] ?? '')))
    expect(replies.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    expect(await tern.count(`from app_user where username = any('{lo0k,l00k,look,1ook}')`)).toBe(1)
    for (const reply of replies.filter(({ statusCode }) => statusCode !== 201)) {
      expect(reply.json()).toMatchObject({ code: 'username_taken', errors: [{ field: 'username' }] })
    }
  })
})

describe('a username equal to another user’s account number', () => {
  const search = async (query: string, exact?: 'true') => {
    const reader = await tern.signUp(`reader${(userCount += 1)}`)
    await database.pool.query(`update app_user set kyc_status = 'verified' where id = $1`, [reader.id])
    tern.identity.forgetUser(BigInt(reader.id))
    const reply = await tern.http.inject({
      method: 'GET',
      url: '/api/user/search',
      query: { query, ...(exact ? { exact } : {}) },
      headers: { authorization: `Bearer ${reader.token}` },
    })
    return reply.json<{ id: number; username: string }[]>()
  }

  test('is refused in every spelling, at sign-up and later', async () => {
    const digits = String(paul.id)
    const spellings = [
      digits,
      `${digits.slice(0, 4)}-${digits.slice(4)}`,
      `${digits.slice(0, 3)}.${digits.slice(3, 6)}_${digits.slice(6)}`,
      digits.replaceAll('0', 'o').replaceAll('1', 'l'),
      '1o2i3l4056',
      'l234567890',
      '12345',
      '2026-11-27',
    ]
    const thief = await tern.signUp('number.thief')
    for (const username of spellings) {
      expect((await register(username)).json(), username).toMatchObject({
        code: 'username_taken',
        errors: [{ field: 'username', code: 'username_is_number' }],
      })
      expect((await rename(thief, username)).json(), username).toMatchObject({ reason: 'username_is_number' })
    }
    for (const username of ['１２３４５６７８９０', '١٢٣٤٥٦٧٨٩٠', '𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗𝟎']) {
      expect((await register(username)).json(), username).toMatchObject({ errors: [{ code: 'invalid_username' }] })
    }
    for (const username of ['lola', 'olli', '4ever', 'loo1']) expect((await register(username)).statusCode).toBe(201)
  })

  test('that was taken earlier never matches that number in a search', async () => {
    const owner = await tern.signUp('owner')
    const thief = await tern.signUp('impostor')
    const digits = String(owner.id)
    await database.pool.query('update app_user set username = $2 where id = $1', [thief.id, digits])
    const fullWidthDigits = digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
    for (const typedText of [digits, fullWidthDigits, `${digits.slice(0, 4)} ${digits.slice(4)}`]) {
      expect(await search(typedText), typedText).toMatchObject([{ id: owner.id, username: 'owner' }])
      expect(await search(typedText, 'true'), typedText).toMatchObject([{ id: owner.id }])
    }
    expect(await search(digits.slice(0, 6)), 'part of a number').toMatchObject([{ id: thief.id }])
  })
})

describe('usernames that differ in separators only', () => {
  test('are one name, in use or released', async () => {
    const jane = await tern.signUp('jane.doe')
    for (const username of ['jane_doe', 'jane-doe', 'janedoe', 'j.a.n.e.doe', 'jane.d0e', 'jane__doe.']) {
      expect((await register(username)).json(), username).toMatchObject(buildTakenProblem('username_like_another'))
    }
    expect((await rename(jane, 'janedoe')).json()).toMatchObject({ username: 'janedoe' })
    expect((await rename(jane, 'jane.smith')).statusCode).toBe(200)
    expect((await register('jane_doe')).json()).toMatchObject(buildTakenProblem('username_kept'))
  })
})

describe('a released username', () => {
  test('is kept for its former owner for a year, then free', async () => {
    const nora = await tern.signUp('nora')
    expect((await rename(nora, 'nora.two')).statusCode).toBe(200)
    expect((await register('nora')).json()).toMatchObject(buildTakenProblem('username_kept'))
    expect((await register('n0ra')).json()).toMatchObject(buildTakenProblem('username_kept'))
    const thief = await tern.signUp('thief')
    expect((await rename(thief, 'nora')).json()).toMatchObject(buildTakenProblem('username_kept'))
    expect((await rename(nora, 'nora')).statusCode).toBe(200)
    expect((await rename(thief, 'nora.two')).json()).toMatchObject(buildTakenProblem('username_kept'))
    // Another change of username does not free the first one.
    expect((await rename(nora, 'nora.three')).statusCode).toBe(200)
    expect((await rename(nora, 'nora.four')).statusCode).toBe(200)
    expect((await rename(thief, 'nora')).json()).toMatchObject(buildTakenProblem('username_kept'))

    await database.pool.query(
      `update username_claim set released_at = now() - interval '364 days' where username = 'nora'`,
    )
    expect((await rename(thief, 'nora')).json()).toMatchObject(buildTakenProblem('username_kept'))
    await database.pool.query(
      `update username_claim set released_at = now() - interval '366 days' where username = 'nora'`,
    )
    expect((await rename(thief, 'nora')).statusCode).toBe(200)
    expect((await rename(nora, 'nora')).json()).toMatchObject({ code: 'username_taken' })
  })

  test('may be respelled by its owner', async () => {
    const will = await tern.signUp('will.o')
    expect((await rename(will, 'w1ll.0')).json()).toMatchObject({ username: 'w1ll.0' })
    expect((await rename(will, 'will.o')).json()).toMatchObject({ username: 'will.o' })
  })
})

test('owners of an older reserved or lookalike name keep it', async () => {
  const zoe = await tern.signUp('zoe')
  await database.pool.query(`update app_user set username = 'support' where id = $1`, [zoe.id])
  await database.pool.query(`update username_claim set username = 'support', skeleton = 'support' where user_id = $1`, [
    zoe.id,
  ])
  const headers = { authorization: `Bearer ${zoe.token}` }
  const url = `/api/user/update-profile/${zoe.id}`
  const payload = { name: 'Zoe', username: 'support' }
  const reply = await tern.http.inject({ method: 'PUT', url, headers, payload })
  expect(reply.json()).toMatchObject({ username: 'support', name: 'Zoe' })
})

test('a provider’s account whose address begins with a reserved word gets another username', async () => {
  const user = { email: 'support@mail.example', username: 'support', passwordHash: null }
  const first = await transact(database.pool, (tx) => insertWithFreeUsername(tx, { user, at: new Date() }))
  const otherUser = { ...user, email: 'admin@mail.example', username: 'admin' }
  const second = await transact(database.pool, (tx) => insertWithFreeUsername(tx, { user: otherUser, at: new Date() }))
  expect(first.username).toMatch(/^user\d*$/)
  expect(second.username).toMatch(/^user\d{5}$/)
  expect(await tern.count(`from username_claim where username like 'user%'`)).toBe(2)
})

test('sign-up with a provider never yields an account number as the username', async () => {
  const user = { email: '2345678901@mail.example', username: '2345678901', passwordHash: null }
  const insertedUser = await transact(database.pool, (tx) => insertWithFreeUsername(tx, { user, at: new Date() }))
  expect(insertedUser.username).toMatch(/^user\d*$/)
  expect(proposeUsername('2345678901', 'Nina Numbers')).toBe('nina.numbers')
})
