import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { transact } from '../../../platform/database/db.ts'
import { setKycStatus } from './users.ts'
import { openTestIdentity, password, buildRegistration, timeRatio } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const verify = (id: number, firstName: string, lastName: string) =>
  transact(database.pool, async (tx) => {
    await tern.identity.setLegalName(tx, { userId: BigInt(id), firstName, lastName })
    await setKycStatus(tx, { userId: BigInt(id), status: 'verified' })
  })

function findToken(email: string) {
  const mail = tern.mails.findLast((mail) => mail.email === email && mail.template === 'verify_email')
  if (mail?.template !== 'verify_email') throw new Error(`${email} was mailed no link`)
  return new URL(mail.data.link).searchParams.get('token')
}

async function confirm(username: string, browser = {}) {
  const token = findToken(buildRegistration(username).email)
  return (await tern.post('/api/user/verify-email', { token }, browser)).json<unknown>()
}

describe('finding people', () => {
  let token: string
  let searcherId: number
  const search = async (query: string, exact?: string) => {
    const reply = await tern.http.inject({
      method: 'GET',
      url: '/api/user/search',
      query: { query, ...(exact ? { exact } : {}) },
      headers: { authorization: `Bearer ${token}` },
    })
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json<{ id: number; username: string; email?: string }[]>()
  }
  const searchNames = async (query: string, exact?: string) =>
    (await search(query, exact)).map(({ username }) => username)

  beforeAll(async () => {
    const searcher = await tern.signUp('searcher', { name: 'Zoë Searcher' })
    token = searcher.token
    await verify(searcher.id, 'Zoë', 'Searcher')
    searcherId = searcher.id
    const petra = await tern.signUp('petra_k', { name: 'Somebody Else' })
    await verify(petra.id, 'José', 'Peña')
    await confirm('petra_k', petra.browser)
    await tern.signUp('petraxk')
    await tern.signUp('percent')
    for (let i = 0; i < 10; i += 1) await tern.signUp(`many${i}`)
  })

  test('finds users by the beginning of a username', async () => {
    expect(await searchNames('PETR')).toEqual(['petra_k', 'petraxk'])
    expect(await searchNames('etra')).toEqual([])
    expect((await search('petra_k'))[0]).toMatchObject({ name: 'J. P.', base_currency: 'EUR' })
  })

  test.each(['José Peña', 'josé', 'jose p', 'jose', 'peña', 'pena'])(
    'finds no user by name, verified or not: %j',
    async (query) => {
      expect(await searchNames(query)).toEqual([])
      expect(await searchNames(query, 'true')).toEqual([])
    },
  )

  test('hides an unverified name; verification shows the legal one', async () => {
    const { id, browser } = await tern.signUp('impostor', { name: 'Maria Famous' })
    await confirm('impostor', browser)
    const loadName = async () => (await tern.get(`/api/user/profile/${id}`, token)).json().name
    const loadNameById = async () => (await tern.identity.usersById(database.pool, [BigInt(id)])).get(BigInt(id))?.name
    expect(await search('impostor')).toMatchObject([{ id, name: null }])
    expect(await search('impostor@tern.example')).toMatchObject([{ id, name: null }])
    expect([await loadName(), await loadNameById()]).toEqual([null, null])
    await verify(id, 'Hans', 'Schmidt')
    expect(await search('impostor')).toMatchObject([{ id, name: 'H. S.' }])
    expect([await loadName(), await loadNameById()]).toEqual(['Hans Schmidt', 'Hans Schmidt'])
  })

  test('shows a name without the invisible characters that were typed in it', async () => {
    const invisibleCharacters = '\u202E\u202A\u2066\u2069\u200E\u200F\u061C\u200B\u2060\uFEFF\u00AD\u3164\u{E0041}'
    const reply = await tern.post('/api/user/register', {
      ...buildRegistration('shifty'),
      name: `Ann${invisibleCharacters} Lee`,
    })
    expect(reply.json()).toMatchObject({ name: 'Ann Lee', profile: { first_name: 'Ann' } })
  })

  test('accepts joiners, which some scripts need, in a name', async () => {
    const { token: ownToken } = await tern.signUp('joined', { name: 'क्‍ष نمی‌خواهم' })
    expect((await tern.get('/api/user/user', ownToken)).json().name).toBe('क्‍ष نمی‌خواهم')
  })

  test('an international domain is one address, in letters or in A-labels', async () => {
    const ana = await tern.signUp('umlaut', { email: '\u202AAna@Bücher.example\u202C' })
    const email = 'ana@xn--bcher-kva.example'
    expect((await tern.get('/api/user/user', ana.token)).json().email).toBe(email)
    const verification = { token: findToken(email) }
    expect((await tern.post('/api/user/verify-email', verification, ana.browser)).statusCode).toBe(200)
    for (const spelling of [email, 'ana@bu\u0308cher.example', 'ANA@BÜCHER.EXAMPLE', '<ana@bücher.example>']) {
      const registration = await tern.post('/api/user/register', { ...buildRegistration('umlaut2'), email: spelling })
      expect(registration.json(), spelling).toMatchObject({ code: 'email_taken' })
      const login = await tern.post('/api/user/login', { email: spelling, password })
      expect(login.statusCode, spelling).toBe(200)
      expect(await search(spelling, 'true'), spelling).toMatchObject([{ id: ana.id, email }])
    }
    const foreignResponse = await tern.post('/api/user/register', {
      ...buildRegistration('umlaut2'),
      email: 'josé@tern.example',
    })
    expect(foreignResponse.json()).toMatchObject({ errors: [{ field: 'email', code: 'foreign_local_part' }] })
  })

  test.each(['ivan@xn--h1alffa9f.xn--p1ai', 'a&b@example.com', "o'neil/x=1!@example.com"])(
    'a user with the address %s signs up, gets mail, and logs in',
    async (email) => {
      await tern.signUp(`door${email.length}`, { email })
      expect(findToken(email)).toBeTruthy()
      expect((await tern.post('/api/user/login', { email: ` ${email.toUpperCase()} `, password })).statusCode).toBe(200)
    },
  )

  test('includes the searcher, so that the page can explain why not', async () => {
    expect((await search('searcher'))[0]?.id).toBe(searcherId)
  })

  test('takes % and _ literally', async () => {
    expect(await searchNames('petra_')).toEqual(['petra_k'])
    expect(await searchNames('%%')).toEqual([])
    expect(await searchNames('__')).toEqual([])
    expect(await searchNames('pe%')).toEqual([])
    expect(await searchNames(String.raw`pe\\`)).toEqual([])
  })

  test('shows an email only to someone who typed it whole', async () => {
    expect((await search('petra_k')).every((user) => user.email === undefined)).toBe(true)
    expect(await search('petra_k@tern')).toEqual([])
    expect(await search('Petra_K@Tern.example')).toMatchObject([{ username: 'petra_k', email: 'petra_k@tern.example' }])
    expect(await search('petra_k@tern.example', 'true')).toMatchObject([{ email: 'petra_k@tern.example' }])
  })

  test('finds by a confirmed email only, so that payments never go to someone who registered a foreign one', async () => {
    await tern.signUp('typist', { email: 'somebody.else@tern.example' })
    expect(await search('somebody.else@tern.example')).toEqual([])
    expect(await search('somebody.else@tern.example', 'true')).toEqual([])
    const [match] = await search('typist')
    expect(match?.email).toBeUndefined()
  })

  test('an email registered by a thief, whose owner follows the link, never finds the thief', async () => {
    const email = 'carla@mail.example'
    const thief = await tern.signUp('thief', { email })
    const token = findToken(email)
    const followLink = async (browser: object) =>
      (await tern.post('/api/user/verify-email', { token }, { ...browser })).json<unknown>()
    const otherBrowser = (await tern.signUp('carla.elsewhere')).browser
    expect(await followLink({})).toEqual({ success: true, email_verified: false })
    expect(await followLink(otherBrowser)).toEqual({ success: true, email_verified: false })
    expect(await search(email, 'true')).toEqual([])
    expect((await tern.get('/api/user/user', thief.token)).json()).toMatchObject({ email_verified: false })

    // The browser in which the stranger registered does not prove the address once its sessions have ended.
    const loginReply = await tern.post('/api/user/login', { email, password }, thief.browser)
    await tern.post('/api/user/logout', {}, { cookie: `rt=${tern.newCookie(loginReply)}` })
    await tern.post('/api/user/logout', {}, { cookie: `rt=${thief.cookie}` })
    expect(await followLink(thief.browser)).toMatchObject({ email_verified: false })
    expect(await search(email, 'true')).toEqual([])
  })

  test('an address is found once its link was followed where its owner is signed in, also the second time', async () => {
    const email = 'dora@tern.example'
    const dora = await tern.signUp('dora')
    const token = findToken(email)
    const followLink = (browser: object) => tern.post('/api/user/verify-email', { token }, { ...browser })
    expect((await followLink({})).json()).toEqual({ success: true, email_verified: false })
    expect(await search(email, 'true')).toEqual([])
    await tern.post('/api/user/send-verification-email', { email })
    expect(tern.mails.at(-1)).toMatchObject({ template: 'verify_email' })
    expect((await followLink(dora.browser)).json()).toEqual({ success: true, email_verified: true })
    expect(await search(email, 'true')).toMatchObject([{ username: 'dora', email }])
  })

  test('an unproven address finds only its own account, so that the page can say why not', async () => {
    const ownUser = await tern.signUp('unproven_self')
    await verify(ownUser.id, 'Una', 'Proven')
    const reply = await tern.get('/api/user/search?query=unproven_self@tern.example&exact=true', ownUser.token)
    expect(reply.json()).toMatchObject([{ id: ownUser.id, name: 'Una Proven', email: 'unproven_self@tern.example' }])
    expect(await search('unproven_self@tern.example', 'true')).toEqual([])
  })

  test('matches exactly on request', async () => {
    expect(await searchNames('petra', 'true')).toEqual([])
    expect(await searchNames('PETRAXK', 'true')).toEqual(['petraxk'])
  })

  test('accounts that left take no place among the eight', async () => {
    await database.pool.query(
      `insert into app_user (id, email, username, created_at, deleted_at)
       select id, 'deleted-' || id || '@deleted.invalid', 'deleted-' || id, now(), now()
         from generate_series(3000000001, 3000000009) id`,
    )
    for (const username of ['delegate', 'delia', 'many_more']) await tern.signUp(username)
    await database.pool.query(
      `update app_user set deletion_due_at = now() + interval '1 day' where username in ('many1', 'many2', 'many3')`,
    )
    try {
      expect(await searchNames('del')).toEqual(['delegate', 'delia'])
      expect(await searchNames('many')).toEqual(['many0', ...[4, 5, 6, 7, 8, 9].map((i) => `many${i}`), 'many_more'])
    } finally {
      await database.pool.query('update app_user set deletion_due_at = null where deletion_due_at is not null')
    }
  })

  test('returns at most eight users', async () => {
    expect(await search('many')).toHaveLength(8)
  })

  test.each(['', 'a', ' a ', undefined, 'x'.repeat(255)])('refuses the query %j', async (query) => {
    const reply = await tern.get(
      `/api/user/search${query === undefined ? '' : `?query=${encodeURIComponent(query)}`}`,
      token,
    )
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors[0].field).toBe('query')
  })

  test('needs a session and is limited', async () => {
    expect((await tern.get('/api/user/search?query=petra')).statusCode).toBe(401)
    const otherUser = await tern.signUp('greedy')
    await verify(otherUser.id, 'Greedy', 'Person')
    const replies = await Promise.all(
      Array.from({ length: 125 }, () => tern.get('/api/user/search?query=petra', otherUser.token)),
    )
    expect(replies.filter((reply) => reply.statusCode === 429)).toHaveLength(5)
    expect((await tern.get('/api/user/search?query=petra', token)).statusCode).toBe(200)
  })

  describe('recipient enumeration', () => {
    test('finds no user by part of an email, and repeats none that was not typed whole', async () => {
      for (const query of [
        'petra_k@',
        'petra_k@tern',
        'petra_k@tern.exampl',
        '@tern.example',
        'tern.example',
        '%@tern.example',
      ]) {
        expect([query, await search(query)]).toEqual([query, []])
      }
      for (const query of ['petra_k', 'petra']) {
        const reply = await tern.get(`/api/user/search?query=${query}`, token)
        expect(reply.json().length).toBeGreaterThan(0)
        expect(reply.body).not.toContain('@')
      }
    })

    test('takes the same time for a confirmed, unconfirmed and unknown email', async () => {
      await tern.signUp('unproven')
      const findByEmail = (email: string) => tern.identity.searchUsers({ query: email, exact: true })
      await timeRatio(
        () => findByEmail('warm@tern.example'),
        () => findByEmail('warmer@tern.example'),
        { suspiciousRatio: 2.5 },
      )
      for (const email of ['petra_k@tern.example', 'unproven@tern.example']) {
        const ratio = await timeRatio(
          () => findByEmail(email),
          (i) => findByEmail(`unheard-${i}@tern.example`),
          { suspiciousRatio: 2.5 },
        )
        expect([email, ratio > 0.4, ratio < 2.5]).toEqual([email, true, true])
      }
    })

    test('counts search, profile and every other lookup against one limit', async () => {
      const { id } = await tern.signUp('prober')
      const { token: proberToken, id: proberId } = await tern.signUp('prober2')
      await verify(proberId, 'Pia', 'Prober')
      const replies = await Promise.all(
        Array.from({ length: 130 }, (_, i) =>
          tern.get(i % 2 ? `/api/user/search?query=guess-${i}@tern.example` : `/api/user/profile/${id}`, proberToken),
        ),
      )
      expect(replies.filter((reply) => reply.statusCode === 429)).toHaveLength(10)
    })
  })

  test('finds a user by number', async () => {
    const [user] = await search('petraxk')
    const reply = await tern.get(`/api/user/profile/${user!.id}`, token)
    // The wallet's address is the same in lists and profiles.
    const address = expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/)
    expect(reply.json()).toEqual({
      ...{ id: user!.id, username: 'petraxk', name: null, base_currency: 'EUR', country: null },
      wallet_address: address,
    })
    expect(user).toMatchObject({ wallet_address: reply.json().wallet_address })
    const mistypedId = user!.id % 10 === 9 ? user!.id - 1 : user!.id + 1
    expect((await tern.get(`/api/user/profile/${mistypedId}`, token)).statusCode).toBe(404)
    expect((await tern.get('/api/user/profile/1', token)).statusCode).toBe(422)
    expect((await tern.get(`/api/user/profile/${user!.id}`)).statusCode).toBe(401)
  })
})
