import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { transact } from '../../../platform/database/db.ts'
import { setKycStatus } from '../users/users.ts'
import { openTestIdentity, password, statuses } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const newPassword = 'another sound passphrase'

interface TestUser {
  readonly id: number
  readonly token: string
}

const send = (
  method: 'PUT' | 'POST',
  path: string,
  { token }: { token?: string },
  body: object,
  confirmation?: string,
) =>
  tern.http.inject({
    method,
    url: path,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(confirmation ? { 'step-up': confirmation } : {}),
    },
    payload: body,
  })
const update = (user: TestUser, change: object, confirmation?: string, id = user.id) =>
  send('PUT', `/api/user/update-profile/${id}`, user, change, confirmation)
const storeMetadata = (user: TestUser, metadata: object, id = user.id) =>
  send('POST', `/api/user/${id}/metadata`, user, { metadata })
const choosePassword = (user: Partial<TestUser>, newPassword: unknown, confirmation?: string) =>
  send('PUT', '/api/user/password', user, { password: newPassword }, confirmation)
const loadProfile = async ({ token }: TestUser) => (await tern.get('/api/user/user', token)).json()
const findMails = (email: string) => tern.mails.filter((mail) => mail.email === email)
const logIn = (email: string, enteredPassword = password) =>
  tern.post('/api/user/login', { email, password: enteredPassword })
const followLink = (token: string, browser = {}) => tern.post('/api/user/verify-email', { token }, browser)

/** Confirms a refused call by password and mailed code. Returns the confirmation's id. */
async function proveChange(user: TestUser, refusedReply: Awaited<ReturnType<typeof send>>): Promise<string> {
  expect(refusedReply.statusCode, refusedReply.body).toBe(403)
  const { id } = refusedReply.json().confirmation
  await send('POST', `/api/auth/step-up/${id}/code`, user, {})
  const mail = tern.mails.findLast(({ template }) => template === 'step_up_code')
  if (mail?.template !== 'step_up_code') throw new Error('no code was mailed')
  const proofReply = await send('POST', `/api/auth/step-up/${id}`, user, { password, code: mail.data.code })
  expect(proofReply.statusCode, proofReply.body).toBe(200)
  return id
}

async function updateWithConfirmation(user: TestUser, change: object) {
  return update(user, change, await proveChange(user, await update(user, change)))
}

async function requestMove(user: TestUser, email: string): Promise<string> {
  const confirmation = await proveChange(user, await update(user, { email }))
  const reply = await update(user, { email }, confirmation)
  expect(reply.statusCode, reply.body).toBe(200)
  return findToken(email, 'change_email')
}

function findToken(email: string, template: string): string {
  const data = findMails(email).findLast((mail) => mail.template === template)?.data
  if (!data || !('link' in data)) throw new Error(`no ${template} was mailed to ${email}`)
  const link = new URL(data.link)
  return new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''
}

describe('changing name and username', () => {
  test('changes one or both at once, and nothing else', async () => {
    const ada = await tern.signUp('ada', { name: 'Ada' })
    expect((await updateWithConfirmation(ada, { username: 'Ada.Two' })).json()).toMatchObject({
      username: 'ada.two',
      name: 'Ada',
      email: 'ada@tern.example',
      pending_email: null,
    })
    expect((await update(ada, { name: 'Ada  King' })).json()).toMatchObject({ profile: { first_name: 'Ada' } })
    expect(await loadProfile(ada)).toMatchObject({ username: 'ada.two', name: 'Ada  King' })
    expect((await update(ada, { name: '' })).json()).toMatchObject({ name: null, profile: { first_name: null } })
    expect((await update(ada, {})).json()).toMatchObject({ username: 'ada.two' })
    expect((await update(ada, { username: 'ada.two', email: 'ADA@tern.example' })).statusCode).toBe(200)
  })

  test('asks for confirmation before the username changes, of exactly this one, also beside a new address', async () => {
    const rosa = await tern.signUp('rosa')
    const refusedReply = await update(rosa, { name: 'Rosa', username: 'rosa.two' })
    expect([refusedReply.statusCode, refusedReply.json()]).toMatchObject([
      403,
      {
        code: 'step_up_required',
        confirmation: { action: 'change_username', subject: { username: 'rosa.two' }, code: 'email' },
      },
    ])
    expect(await loadProfile(rosa), 'nothing of it').toMatchObject({ name: null, username: 'rosa' })
    const confirmation = await proveChange(rosa, refusedReply)
    expect((await update(rosa, { username: 'rosa.three' }, confirmation)).statusCode).toBe(403)
    const newIdentity = { username: 'rosa.two', email: 'rosa@new.example' }
    const updateResponse = await update(rosa, newIdentity)
    expect(updateResponse.json().confirmation).toMatchObject({ action: 'change_email', subject: newIdentity })
    const addressProof = await proveChange(rosa, await update(rosa, { email: newIdentity.email }))
    expect((await update(rosa, newIdentity, addressProof)).statusCode, 'of the address alone').toBe(403)
    expect((await update(rosa, { username: 'rosa.two' }, confirmation)).json()).toMatchObject({ username: 'rosa.two' })
  })

  test('grants a username once, also to concurrent requests', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, (_, i) => tern.signUp(`racer${i}`)))
    const proofs: string[] = []
    for (const person of people) proofs.push(await proveChange(person, await update(person, { username: 'TheOne' })))
    const replies = await Promise.all(people.map((person, i) => update(person, { username: 'TheOne' }, proofs[i])))
    expect(statuses(replies)).toEqual([200, ...Array(7).fill(409)])
    for (const reply of replies.filter(({ statusCode }) => statusCode === 409)) {
      expect(reply.json()).toMatchObject({ code: 'username_taken', errors: [{ field: 'username' }] })
    }
  })

  test("refuses a verified person's name and applies nothing of the request", async () => {
    const vera = await tern.signUp('vera', { name: 'Somebody' })
    await transact(database.pool, async (tx) => {
      await tern.identity.setLegalName(tx, { userId: BigInt(vera.id), firstName: 'Vera', lastName: 'Rubin' })
      await setKycStatus(tx, { userId: BigInt(vera.id), status: 'verified' })
    })
    const reply = await update(vera, { name: 'Marie Curie', username: 'marie' })
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject({ code: 'name_is_verified', errors: [{ field: 'name' }] })
    expect(await loadProfile(vera)).toMatchObject({ name: 'Vera Rubin', username: 'vera' })
    expect((await updateWithConfirmation(vera, { name: 'Vera Rubin', username: 'vera.r' })).json()).toMatchObject({
      username: 'vera.r',
    })
  })

  test.each([
    ['name', { name: 'a'.repeat(101) }],
    ['name', { name: 'a\u0007b' }],
    ['name', { name: 7 }],
    ['username', { username: 'x' }],
    ['username', { username: 'has space' }],
    ['email', { email: 'nobody' }],
    ['email', { email: '' }],
  ])('refuses a wrong %s: %j', async (field, invalidFields) => {
    const user = await tern.signUp(`wrong${Math.random().toString(36).slice(2, 10)}`)
    const profileBefore = await loadProfile(user)
    const reply = await update(user, { username: 'unwritten', ...invalidFields })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors).toMatchObject([{ field }])
    expect(await loadProfile(user)).toEqual(profileBefore)
  })

  test("changes only the caller's own", async () => {
    const ownUser = await tern.signUp('own')
    const otherUser = await tern.signUp('other')
    for (const id of [otherUser.id, 1_234_567_897]) {
      expect((await update(ownUser, { name: 'Hacked' }, undefined, id)).json()).toMatchObject({ code: 'not_found' })
      expect((await storeMetadata(ownUser, { theme: 'dark' }, id)).json()).toMatchObject({ code: 'not_found' })
    }
    const unauthenticated = { id: ownUser.id, token: '' }
    expect((await update(unauthenticated, { name: 'x' })).statusCode).toBe(401)
    expect((await storeMetadata(unauthenticated, { theme: 'dark' })).statusCode).toBe(401)
    expect((await choosePassword({}, newPassword)).statusCode).toBe(401)
    expect(await loadProfile(otherUser)).toMatchObject({ name: null, metadata: {} })
  })
})

describe('moving to another address', () => {
  test('keeps the second factor of a proven owner from a password reset by the new mailbox', async () => {
    const owner = await tern.signUp('mistyped')
    await followLink(findToken('mistyped@tern.example', 'verify_email'), owner.browser)
    const token = await requestMove(owner, 'mistyped@new.example')
    await database.pool.query(
      `insert into totp (user_id, secret, created_at, confirmed_at) values ($1, '\\x00', now(), now())`,
      [owner.id],
    )
    // The mailbox's holder follows the link in a browser of their own.
    expect((await followLink(token)).statusCode).toBe(200)
    await tern.post('/api/user/send-password-reset', { email: 'mistyped@new.example' })
    const chosenPassword = 'another sound passphrase'
    const resetToken = findToken('mistyped@new.example', 'reset_password')
    const reply = await tern.post('/api/user/reset-password', { token: resetToken, password: chosenPassword })
    expect(reply.statusCode, reply.body).toBe(200)
    expect((await logIn('mistyped@new.example', chosenPassword)).json()).toMatchObject({ second_factor_required: true })
  })

  test('requires step-up, alerts the old address, and waits for the link', async () => {
    const mia = await tern.signUp('mia')
    await followLink(findToken('mia@tern.example', 'verify_email'))
    const refusedReply = await update(mia, { email: 'mia@new.example' })
    expect(refusedReply.json()).toMatchObject({
      code: 'step_up_required',
      confirmation: { action: 'change_email', subject: { email: 'mia@new.example' } },
    })
    expect(findMails('mia@new.example')).toEqual([])
    const confirmation = await proveChange(mia, refusedReply)
    // The confirmation is bound to the first address.
    expect((await update(mia, { email: 'mia@elsewhere.example' }, confirmation)).statusCode).toBe(403)
    const response = await update(mia, { email: 'mia@new.example' }, confirmation)
    expect(response.json()).toMatchObject({ email: 'mia@tern.example', pending_email: 'mia@new.example' })
    expect(findMails('mia@tern.example').at(-1)).toMatchObject({
      template: 'security_change',
      data: { change: 'email_change_asked' },
    })
    expect((await logIn('mia@new.example')).statusCode).toBe(401)

    const token = findToken('mia@new.example', 'change_email')
    await tern.post('/api/user/send-password-reset', { email: 'mia@tern.example' })
    const replies = await Promise.all(Array.from({ length: 6 }, () => followLink(token, mia.browser)))
    expect(statuses(replies)).toEqual(Array(6).fill(200))
    expect(await loadProfile(mia)).toMatchObject({ email: 'mia@new.example', email_verified: true })
    expect((await logIn('mia@tern.example')).statusCode).toBe(401)
    expect((await logIn('mia@new.example')).statusCode).toBe(200)
    const changes = findMails('mia@tern.example').filter(
      ({ data }) => 'change' in data && data.change === 'email_changed',
    )
    expect(changes).toHaveLength(1)
    // Links mailed to the old address are void.
    const reset = { token: findToken('mia@tern.example', 'reset_password'), password: newPassword }
    expect((await tern.post('/api/user/reset-password', reset)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await update(mia, {})).json()).toMatchObject({ pending_email: null })
  })

  test('accepts only the link to the address requested last', async () => {
    const nora = await tern.signUp('nora')
    const first = await requestMove(nora, 'nora@first.example')
    const second = await requestMove(nora, 'nora@second.example')
    expect((await followLink(first)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await followLink(second)).statusCode).toBe(200)
    expect(await loadProfile(nora)).toMatchObject({ email: 'nora@second.example' })
  })

  test('grants an address to the first to follow the link, without revealing that it is taken', async () => {
    const movers = await Promise.all(Array.from({ length: 4 }, (_, i) => tern.signUp(`mover${i}`)))
    const tokens: string[] = []
    for (const mover of movers) tokens.push(await requestMove(mover, 'prize@tern.example'))
    const replies = await Promise.all(tokens.map((token) => followLink(token)))
    expect(statuses(replies)).toEqual([200, 409, 409, 409])
    expect(replies.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({ code: 'email_taken' })
    expect(await tern.count(`from app_user where email = 'prize@tern.example'`)).toBe(1)
    const lateUser = await tern.signUp('late')
    expect((await update(lateUser, { email: 'prize@tern.example' })).json()).toMatchObject({ code: 'step_up_required' })
  })

  test('cannot be used to fill a foreign mailbox', async () => {
    const email = 'flooded@new.example'
    const floodUsers = await Promise.all(Array.from({ length: 6 }, (_, i) => tern.signUp(`flood${i}`)))
    for (const user of floodUsers.slice(0, 5)) await requestMove(user, email)
    const lastUser = floodUsers[5]!
    const reply = await updateWithConfirmation(lastUser, { email, username: 'unwritten' })
    expect([reply.statusCode, reply.json().code]).toEqual([429, 'rate_limited'])
    expect(findMails(email)).toHaveLength(5)
    expect(await loadProfile(lastUser)).toMatchObject({ username: 'flood5' })
  })

  test('is reverted by “this was not me” from the old address', async () => {
    const owner = await tern.signUp('owner')
    await followLink(findToken('owner@tern.example', 'verify_email'))
    await followLink(await requestMove(owner, 'thief@evil.example'))
    await tern.post('/api/user/send-password-reset', { email: 'thief@evil.example' })
    const thiefToken = findToken('thief@evil.example', 'reset_password')
    const reply = await tern.post('/api/auth/not-me', { token: findToken('owner@tern.example', 'security_change') })
    expect(reply.statusCode, reply.body).toBe(200)
    expect((await tern.get('/api/user/user', owner.token)).statusCode).toBe(401)
    const resetBody = { token: reply.json().reset_token, password: newPassword }
    expect((await tern.post('/api/user/reset-password', { ...resetBody, token: thiefToken })).statusCode).toBe(410)
    expect((await tern.post('/api/user/reset-password', resetBody)).statusCode).toBe(200)
    expect((await logIn('owner@tern.example', newPassword)).json()).toMatchObject({
      user: { email: 'owner@tern.example' },
    })
    expect((await logIn('thief@evil.example', newPassword)).statusCode).toBe(401)
  })
})

describe('storing values with the account', () => {
  test('merges, removes and reads back', async () => {
    const user = await tern.signUp('keeper')
    expect((await storeMetadata(user, { theme: 'dark', size: 1.5, compact: true })).json().metadata).toEqual({
      theme: 'dark',
      size: 1.5,
      compact: true,
    })
    await storeMetadata(user, { theme: null, size: 2, unknown: null })
    expect((await loadProfile(user)).metadata).toEqual({ size: 2, compact: true })
  })

  test('loses nothing in parallel calls', async () => {
    const user = await tern.signUp('parallel')
    const names = Array.from({ length: 40 }, (_, i) => `key${i}`)
    const replies = await Promise.all(names.map((name, i) => storeMetadata(user, { [name]: i })))
    expect(statuses(replies)).toEqual(Array(40).fill(200))
    expect((await loadProfile(user)).metadata).toEqual(Object.fromEntries(names.map((name, i) => [name, i])))
  })

  test('allows at most 50 values and 8 KB, also across concurrent calls', async () => {
    const user = await tern.signUp('hoarder')
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => storeMetadata(user, { [`key${i}`]: 'x' })))
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(50)
    const refusedReply = replies.find(({ statusCode }) => statusCode !== 200)
    expect(refusedReply?.json()).toMatchObject({ code: 'invalid_request', errors: [{ field: 'metadata' }] })
    expect(Object.keys((await loadProfile(user)).metadata)).toHaveLength(50)
    const longMetadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`long${i}`, 'ü'.repeat(500)]))
    const largeUser = await tern.signUp('large')
    expect((await storeMetadata(largeUser, longMetadata)).statusCode).toBe(422)
    expect((await loadProfile(largeUser)).metadata).toEqual({})
  })

  test.each([
    ['an object', { theme: {} }],
    ['an array', { theme: ['a'] }],
    ['a long text', { theme: 'x'.repeat(501) }],
    ['a control character', { theme: 'a\u0000b' }],
    ['a strange name', { 'the me': 'x' }],
    ['a long name', { ['x'.repeat(41)]: 'x' }],
    ['an empty name', { '': 'x' }],
  ])('refuses %s', async (_case, metadata) => {
    const user = await tern.signUp(`odd${Math.random().toString(36).slice(2, 10)}`)
    const reply = await storeMetadata(user, metadata)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors[0].field).toMatch(/^metadata/)
    expect((await loadProfile(user)).metadata).toEqual({})
  })

  test('refuses names and values that could trip programs', async () => {
    const user = await tern.signUp('tripper')
    const sendRaw = (payload: string) =>
      tern.http.inject({
        method: 'POST',
        url: `/api/user/${user.id}/metadata`,
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        payload,
      })
    expect((await sendRaw('{"metadata":{"__proto__":"x"}}')).statusCode).toBe(400)
    expect((await sendRaw('{"metadata":{"big":1e999}}')).statusCode).toBe(422)
    expect((await sendRaw('{"metadata":null}')).statusCode).toBe(422)
    expect((await sendRaw('{"metadata":{"half":"\\ud800"}}')).statusCode).toBe(422)
    expect((await loadProfile(user)).metadata).toEqual({})
  })
})

describe('changing the password', () => {
  test('requires step-up, ends the other sessions and sends an alert', async () => {
    const pat = await tern.signUp('pat')
    const otherSessionToken = (await logIn('pat@tern.example')).json<{ access_token: string }>().access_token
    await tern.post('/api/user/send-password-reset', { email: 'pat@tern.example' })
    const refusedReply = await choosePassword(pat, newPassword)
    expect(refusedReply.json()).toMatchObject({ code: 'step_up_required', confirmation: { action: 'change_password' } })
    const confirmation = await proveChange(pat, refusedReply)
    expect((await logIn('pat@tern.example')).statusCode).toBe(200)
    expect((await choosePassword(pat, newPassword, confirmation)).json()).toEqual({ success: true })
    expect((await tern.get('/api/user/user', pat.token)).statusCode).toBe(200)
    expect((await tern.get('/api/user/user', otherSessionToken)).statusCode).toBe(401)
    expect((await logIn('pat@tern.example')).statusCode).toBe(401)
    expect((await logIn('pat@tern.example', newPassword)).statusCode).toBe(200)
    expect(findMails('pat@tern.example').filter(({ template }) => template === 'security_change')).toMatchObject([
      { data: { change: 'password_changed' } },
    ])
    const reset = { token: findToken('pat@tern.example', 'reset_password'), password }
    expect((await tern.post('/api/user/reset-password', reset)).statusCode).toBe(410)
    expect((await choosePassword(pat, `${newPassword} 2`, confirmation)).statusCode).toBe(403)
    expect((await logIn('pat@tern.example', newPassword)).statusCode).toBe(200)
  })

  test.each(['short', 'password123', 'sam@tern.example', 'aaaaaaaaaaaa', undefined, 7])(
    'refuses %j before requiring step-up',
    async (weakPassword) => {
      const sam = await tern.signUp(`sam${Math.random().toString(36).slice(2, 10)}`, { email: 'sam@tern.example' })
      const reply = await choosePassword(sam, weakPassword)
      expect(reply.statusCode).toBe(422)
      expect(reply.json()).toMatchObject({ code: 'invalid_request', errors: [{ field: 'password' }] })
      await database.pool.query(`update app_user set email = gen_random_uuid() || '@x.example' where id = $1`, [sam.id])
    },
  )
})
