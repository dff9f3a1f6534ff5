import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestAuthenticator, type Quirks, startTestDesk } from '@tern/testkit/desk'
import { deskCookie } from './sessions.ts'

const desk = await startTestDesk()
afterAll(() => desk.world.close())

const query = (sql: string, ...values: unknown[]) => desk.world.database.pool.query(sql, values)
const isLetIn = async (cookie: string) => (await desk.call('GET', '/session', { cookie })).status === 200
const newLink = async () =>
  desk.tokenIn(
    (await desk.command('add', `new ${randomBytes(3).toString('hex')}`, '--role', 'auditor', '--no-account'))[1],
  )

describe('an enrolment link', () => {
  test('works once, and adds a passkey by which its operator signs in', async () => {
    const [code, printed] = await desk.command(
      'add',
      'Marta',
      '--role',
      'reviewer',
      '--role',
      'auditor',
      '--no-account',
    )
    expect([code, printed]).toEqual([0, expect.stringContaining(`${desk.origin}/desk/enroll#`)])
    const token = desk.tokenIn(printed)
    const authenticator = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(token, authenticator)).status).toBe(204)
    const signedIn = await desk.signIn(authenticator)
    expect(signedIn.body).toMatchObject({
      name: 'Marta',
      roles: ['reviewer', 'auditor'],
      acts: ['verifications', 'holds', 'cases', 'objections', 'people', 'log'],
    })
    expect(signedIn.cookie).toMatch(/^desk=[\w-]{43}$/)
    expect((await desk.enrol(token, createTestAuthenticator(desk.origin))).body).toMatchObject({ code: 'link_invalid' })
    const { rows } = await query(`select * from desk_enrolment`)
    expect(rows).toEqual([])
  })

  test('expires after 15 minutes, and with the next link', async () => {
    const [, first] = await desk.command('add', 'Noor', '--role', 'payments', '--no-account')
    const [, second] = await desk.command('link', 'noor')
    const enrol = async (printed: string) =>
      (await desk.enrol(desk.tokenIn(printed), createTestAuthenticator(desk.origin))).body
    expect(await enrol(first)).toMatchObject({ code: 'link_invalid' })
    await query(`update desk_enrolment set expires_at = expires_at - interval '15 minutes'`)
    expect(await enrol(second)).toMatchObject({ code: 'link_invalid' })
  })

  test('may replace all passkeys, whose sessions end', async () => {
    const olu = await desk.employ('reviewer')
    const [, printed] = await desk.command('link', olu.name, '--replace')
    expect(await isLetIn(olu.cookie), 'until it is used').toBe(true)
    const authenticator = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(desk.tokenIn(printed), authenticator)).status).toBe(204)
    expect(await isLetIn(olu.cookie)).toBe(false)
    expect((await desk.signIn(olu.authenticator)).body).toMatchObject({ code: 'passkey_invalid' })
    expect((await desk.signIn(authenticator)).status).toBe(200)
  })
})

describe('a passkey is not added', () => {
  const quirks: readonly [string, Quirks][] = [
    ['without verifying the user', { userVerified: false }],
    ['from another origin', { origin: 'http://localhost:1' }],
    ['for another name', { rpId: 'attacker.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
  ]
  test.each(quirks)('%s, and the link still holds', async (_name, quirk) => {
    const token = await newLink()
    const authenticator = createTestAuthenticator(desk.origin)
    const { ceremony, options } = (await desk.call('POST', '/enrolment/options', { body: { token } })).body
    const body = { token, ceremony, response: authenticator.create(options, quirk) }
    expect((await desk.call('POST', '/enrolment', { body })).body).toMatchObject({ code: 'passkey_invalid' })
    expect((await desk.enrol(token, authenticator)).status).toBe(204)
  })

  test('by a ceremony of another link or a sign-in, or more than five minutes later', async () => {
    const [token, other] = [await newLink(), await newLink()]
    const authenticator = createTestAuthenticator(desk.origin)
    const begin = async (path: string, body?: object) => (await desk.call('POST', path, { body })).body
    const finish = async (begun: { ceremony: string; options: object }) => {
      const response = authenticator.create(begun.options)
      return (await desk.call('POST', '/enrolment', { body: { token, ceremony: begun.ceremony, response } })).body
    }
    const refused = { code: 'passkey_invalid' }
    expect(await finish(await begin('/enrolment/options', { token: other }))).toMatchObject(refused)
    const own = await begin('/enrolment/options', { token })
    const signIn = await begin('/session/options')
    const { challenge } = signIn.options
    expect(await finish({ ...signIn, options: { ...own.options, challenge } })).toMatchObject(refused)
    await query(`update desk_ceremony set expires_at = expires_at - interval '5 minutes'`)
    expect(await finish(own)).toMatchObject(refused)
  })
})

describe('signing in', () => {
  const quirks: readonly [string, Quirks][] = [
    ['without verifying the user', { userVerified: false }],
    ['from another origin', { origin: 'http://localhost:1' }],
    ['for another name', { rpId: 'attacker.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
    ['for somebody else', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['by a counter that went back', { counter: 0 }],
  ]
  test.each(quirks)('is refused %s', async (_name, quirk) => {
    const { authenticator } = await desk.employ('reviewer')
    const { ceremony, options } = (await desk.call('POST', '/session/options')).body
    const answer = { body: { ceremony, response: authenticator.get(options, quirk) } }
    expect((await desk.call('POST', '/session', answer)).body).toMatchObject({ code: 'passkey_invalid' })
    const honest = { body: { ceremony, response: authenticator.get(options) } }
    expect((await desk.call('POST', '/session', honest)).body, 'used once').toMatchObject({ code: 'passkey_invalid' })
  })

  test('is refused for a counter that went back or stayed, and accepted for the next one', async () => {
    const { authenticator } = await desk.employ('reviewer')
    const signIn = async (counter: number) => {
      const { ceremony, options } = (await desk.call('POST', '/session/options')).body
      const body = { ceremony, response: authenticator.get(options, { counter }) }
      return (await desk.call('POST', '/session', { body })).status
    }
    expect(await signIn(9)).toBe(200)
    const statuses: number[] = []
    for (const counter of [9, 8, 1, 0, 10, 10, 4_294_967_295, 0]) statuses.push(await signIn(counter))
    expect(statuses).toEqual([422, 422, 422, 422, 200, 422, 200, 422])
  })

  test('ends after twelve hours, and after half an hour of inactivity', async () => {
    const { authenticator } = await desk.employ('reviewer')
    const age = (column: string, by: string) =>
      query(`update desk_session set ${column} = ${column} - interval '${by}'`)
    const { cookie: idle } = await desk.signIn(authenticator)
    await age('used_at', '29 minutes')
    expect(await isLetIn(idle)).toBe(true)
    await age('used_at', '31 minutes')
    expect(await isLetIn(idle)).toBe(false)
    const { cookie: left } = await desk.signIn(authenticator)
    await age('used_at', '29 minutes')
    expect((await desk.call('GET', '/queues', { cookie: left })).status).toBe(200)
    await age('used_at', '2 minutes')
    expect(await isLetIn(left), 'the page counts what waits by itself').toBe(false)
    const { cookie: old } = await desk.signIn(authenticator)
    await age('created_at', '11 hours 59 minutes')
    expect(await isLetIn(old)).toBe(true)
    await age('created_at', '2 minutes')
    expect(await isLetIn(old)).toBe(false)
  })

  test('is in an HttpOnly, same-site cookie', async () => {
    const { authenticator } = await desk.employ('auditor')
    const { ceremony, options } = (await desk.call('POST', '/session/options')).body
    const { response } = await desk.call('POST', '/session', {
      body: { ceremony, response: authenticator.get(options) },
    })
    expect(response.headers.get('set-cookie')).toMatch(/^desk=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(deskCookie({ deskUrl: 'https://desk.example' })).toEqual({
      name: '__Host-desk',
      options: { httpOnly: true, secure: true, sameSite: 'strict', path: '/' },
    })
  })

  test('stores no secret of a session or a link', async () => {
    const { cookie } = await desk.employ('auditor')
    const token = cookie.split('=')[1]!
    const { rows } = await query(
      `select * from desk_session union all select hash, operator_id, expires_at, expires_at from desk_enrolment`,
    )
    const kept = rows.flatMap(({ hash }: { hash: Buffer }) => [hash.toString('latin1'), hash.toString('base64url')])
    expect(kept.length).toBeGreaterThan(0)
    expect(kept).not.toContain(token)
    expect((await desk.call('DELETE', '/session', { cookie })).status).toBe(204)
    expect(await isLetIn(cookie)).toBe(false)
  })
})

describe('a disabled operator', () => {
  /** Creates an operator with a session, a passkey and a further link. */
  async function withLink() {
    const operator = await desk.employ('reviewer')
    return { ...operator, token: desk.tokenIn((await desk.command('link', operator.name))[1]) }
  }
  async function expectLocked({ cookie, authenticator, token }: Awaited<ReturnType<typeof withLink>>) {
    expect(await isLetIn(cookie)).toBe(false)
    expect((await desk.signIn(authenticator)).body).toMatchObject({ code: 'passkey_invalid' })
    const further = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(token, further)).body).toMatchObject({ code: 'link_invalid' })
  }

  test('has no way left to sign in, and gets no link', async () => {
    const gone = await withLink()
    await desk.command('disable', gone.name, '--because', 'has left the company')
    await expectLocked(gone)
    for (const order of [
      ['link', gone.name],
      ['roles', gone.name, '--role', 'auditor'],
      ['disable', gone.name, '--because', 'once more'],
    ]) {
      expect(await desk.command(...order)).toEqual([2, `${gone.name} is disabled.`])
    }
    const left = await query(
      `select from desk_operator o where name = $1 and (exists (select from desk_session where operator_id = o.id)
         or exists (select from desk_passkey where operator_id = o.id) or exists (select from desk_enrolment where operator_id = o.id))`,
      gone.name,
    )
    expect(left.rowCount).toBe(0)
  })

  test('cannot sign in even with a remaining passkey', async () => {
    const gone = await withLink()
    await query('update desk_operator set disabled_at = now() where name = $1', gone.name)
    await expectLocked(gone)
  })
})

test('the log names who was added, changed, signed in and signed out', async () => {
  const { name, cookie } = await desk.employ('auditor')
  await desk.command('link', name)
  await desk.command('roles', name, '--role', 'reviewer', '--role', 'payments')
  expect((await desk.call('DELETE', '/session', { cookie })).status).toBe(204)
  await desk.command('disable', name, '--because', 'has left the company')
  const { rows } = await query(
    `select act, before, after, reason from desk_log
      where actor = $1 or subject = (select id::text from desk_operator where name = $1) order by number`,
    name,
  )
  expect(rows.map(({ act, before, after, reason }) => [act, before ?? reason, after])).toEqual([
    ['operator_added', null, 'auditor'],
    ['no_account_stated', null, null],
    ['passkey_added', null, null],
    ['signed_in', null, null],
    ['link_made', null, null],
    ['roles_changed', 'auditor', 'reviewer payments'],
    ['signed_out', null, null],
    ['operator_disabled', 'has left the company', null],
  ])
})

describe('the command', () => {
  test('accepts only known roles and valid names', async () => {
    expect((await desk.command('add', 'Zoe', '--role', 'admin', '--no-account'))[0]).toBe(2)
    expect((await desk.command('add', 'Zoe', '--no-account'))[0]).toBe(2)
    expect(await desk.command('link', 'Zoe')).toEqual([2, 'There is no operator called Zoe.'])
    expect((await desk.command('add', 'Zoe', '--role', 'auditor', '--no-account'))[0]).toBe(0)
    expect(await desk.command('add', 'ZOE', '--role', 'lead', '--no-account')).toEqual([
      2,
      'There is already an operator called ZOE.',
    ])
    expect((await desk.command())[1]).toContain('Zoe')
    expect(await desk.command('roles', 'Zoe', '--role', 'reviewer')).toEqual([0, 'Roles of Zoe: reviewer.'])
  })

  test('never disables or demotes the last lead', async () => {
    const one = await desk.employ('lead')
    const other = await desk.employ('lead')
    const { body } = await one.call('GET', '/operators')
    const idOf = (name: string) =>
      body.operators.find((operator: { name: string }) => operator.name === name).id as string
    const reason = { reason: 'has left the company' }
    // Two leads disable each other at the same time.
    const answers = await Promise.all([
      one.call('POST', `/operators/${idOf(other.name)}/disable`, reason),
      other.call('POST', `/operators/${idOf(one.name)}/disable`, reason),
    ])
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    const { rows } = await query(`select name from desk_operator where disabled_at is null and 'lead' = any(roles)`)
    expect(rows).toHaveLength(1)
    const [{ name }] = rows
    expect(await desk.command('disable', name, '--because', 'the last one')).toEqual([
      2,
      'This is the last lead. Make another operator a lead first.',
    ])
    expect((await desk.command('roles', name, '--role', 'auditor'))[0]).toBe(2)
  })
})

describe('an account of their own', () => {
  const accountOf = (email: string) => ['--account', email]

  test('is stated, or denied, when an operator is added', async () => {
    const kira = await desk.world.enroll('kira', 'Germany')
    const add = (...more: string[]) => desk.command('add', 'Kira', '--role', 'reviewer', ...more)
    for (const unclear of [[], ['--no-account', ...accountOf(kira.email)]]) expect((await add(...unclear))[0]).toBe(2)
    const unknown = 'nobody@example.com'
    expect(await add(...accountOf(unknown))).toEqual([2, `${unknown} has no account.`])
    expect((await add(...accountOf(kira.email)))[0]).toBe(0)
    expect((await desk.command('add', 'Lars', '--role', 'reviewer', '--no-account'))[0]).toBe(0)
    const [, listed] = await desk.command()
    expect(listed).toMatch(new RegExp(`Kira .*own account ${String(kira.id)}`))
    expect(listed).toMatch(/Lars .*no account/)
    const { rows } = await query(
      `select o.name, act, after from desk_log l join desk_operator o on o.id::text = l.subject
        where o.name in ('Kira', 'Lars') and act like '%account%' order by number`,
    )
    expect(rows).toEqual([
      { name: 'Kira', act: 'account_linked', after: String(kira.id) },
      { name: 'Lars', act: 'no_account_stated', after: null },
    ])
  })

  test('can be linked later, and unlinked only with a reason and a line of the log', async () => {
    const mila = await desk.world.enroll('mila', 'Germany')
    const { name } = await desk.employ('reviewer')
    const command = (...parameters: string[]) => desk.command(parameters[0]!, name, ...parameters.slice(1))
    expect((await command('link-account'))[0]).toBe(2)
    expect((await command('link-account', ...accountOf(String(mila.id))))[0]).toBe(0)
    expect(await command('link-account', ...accountOf(mila.email))).toEqual([2, `${mila.email} is already linked.`])
    expect((await command('unlink-account', ...accountOf(mila.email)))[0]).toBe(2)
    const because = ['--because', 'It is the account of a namesake.']
    expect((await command('unlink-account', ...accountOf(mila.email), ...because))[0]).toBe(0)
    expect((await command('unlink-account', ...accountOf(mila.email), ...because))[0]).toBe(2)
    const { rows } = await query(
      `select before, reason from desk_log where act = 'account_unlinked' and before = $1`,
      String(mila.id),
    )
    expect(rows).toEqual([{ before: String(mila.id), reason: 'It is the account of a namesake.' }])
    for (const change of ['delete from desk_own_account', 'update desk_own_account set unlinked_at = null']) {
      await expect(query(`${change} where user_id = $1`, mila.id)).rejects.toThrow('is kept')
    }
    expect((await command('link-account', ...accountOf(mila.email)))[0], 'anew').toBe(0)
  })

  test('cannot be looked up by its holder', async () => {
    const nora = await desk.world.enroll('nora', 'Germany')
    const reviewer = await desk.employ('reviewer')
    const lookUp = (who: string) => reviewer.call('POST', '/people', { who })
    expect((await lookUp(nora.email)).body).toMatchObject({ person: { id: nora.id } })
    await desk.command('link-account', reviewer.name, ...accountOf(nora.email))
    for (const who of [nora.email, String(nora.id), `@${nora.username}`]) {
      expect((await lookUp(who)).body).toMatchObject({ code: 'desk_involved' })
    }
    const { rows } = await query(`select act from desk_log where subject = $1 order by number desc limit 3`, nora.id)
    expect(rows.map(({ act }) => act)).toEqual(['refused', 'refused', 'refused'])
  })
})
