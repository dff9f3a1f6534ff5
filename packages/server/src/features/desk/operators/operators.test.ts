import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestAuthenticator, type AuthenticatorFaults, startTestDesk } from '@tern/testkit/desk'
import { deskCookie } from './sessions.ts'

const desk = await startTestDesk()
afterAll(() => desk.world.close())

const query = (sql: string, ...values: unknown[]) => desk.world.database.pool.query(sql, values)
const hasAccess = async (cookie: string) => (await desk.call('GET', '/session', { cookie })).status === 200
const createLink = async () =>
  desk.readToken(
    (await desk.command('add', `new ${randomBytes(3).toString('hex')}`, '--role', 'auditor', '--no-account'))[1],
  )

describe('an enrolment link', () => {
  test('works once, and adds a passkey by which its operator signs in', async () => {
    const [code, output] = await desk.command('add', 'Marta', '--role', 'reviewer', '--role', 'auditor', '--no-account')
    expect([code, output]).toEqual([0, expect.stringContaining(`${desk.origin}/desk/enroll#`)])
    const token = desk.readToken(output)
    const authenticator = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(token, authenticator)).status).toBe(204)
    const signInAnswer = await desk.signIn(authenticator)
    expect(signInAnswer.body).toMatchObject({
      name: 'Marta',
      roles: ['reviewer', 'auditor'],
      acts: ['verifications', 'holds', 'cases', 'objections', 'people', 'calls', 'log'],
    })
    expect(signInAnswer.cookie).toMatch(/^desk=[\w-]{43}$/)
    expect((await desk.enrol(token, createTestAuthenticator(desk.origin))).body).toMatchObject({ code: 'link_invalid' })
    const { rows } = await query(`select * from desk_enrolment`)
    expect(rows).toEqual([])
  })

  test('expires after 15 minutes, and with the next link', async () => {
    const [, first] = await desk.command('add', 'Noor', '--role', 'payments', '--no-account')
    const [, second] = await desk.command('link', 'noor')
    const enrolOperator = async (output: string) =>
      (await desk.enrol(desk.readToken(output), createTestAuthenticator(desk.origin))).body
    expect(await enrolOperator(first)).toMatchObject({ code: 'link_invalid' })
    await query(`update desk_enrolment set expires_at = expires_at - interval '15 minutes'`)
    expect(await enrolOperator(second)).toMatchObject({ code: 'link_invalid' })
  })

  test('may replace all passkeys, whose sessions end', async () => {
    const olu = await desk.createOperator('reviewer')
    const [, output] = await desk.command('link', olu.name, '--replace')
    expect(await hasAccess(olu.cookie), 'until it is used').toBe(true)
    const authenticator = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(desk.readToken(output), authenticator)).status).toBe(204)
    expect(await hasAccess(olu.cookie)).toBe(false)
    expect((await desk.signIn(olu.authenticator)).body).toMatchObject({ code: 'passkey_invalid' })
    expect((await desk.signIn(authenticator)).status).toBe(200)
  })
})

describe('a passkey is not added', () => {
  const faults: readonly [string, AuthenticatorFaults][] = [
    ['without verifying the user', { userVerified: false }],
    ['from another origin', { origin: 'http://localhost:1' }],
    ['for another name', { rpId: 'attacker.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
  ]
  test.each(faults)('%s, and the link still holds', async (_name, fault) => {
    const token = await createLink()
    const authenticator = createTestAuthenticator(desk.origin)
    const { ceremony, options } = (await desk.call('POST', '/enrolment/options', { body: { token } })).body
    const body = { token, ceremony, response: authenticator.create(options, fault) }
    expect((await desk.call('POST', '/enrolment', { body })).body).toMatchObject({ code: 'passkey_invalid' })
    expect((await desk.enrol(token, authenticator)).status).toBe(204)
  })

  test('by a ceremony of another link or a sign-in, or more than five minutes later', async () => {
    const [token, otherToken] = [await createLink(), await createLink()]
    const authenticator = createTestAuthenticator(desk.origin)
    const startEnrolment = async (path: string, body?: object) => (await desk.call('POST', path, { body })).body
    const finishEnrolment = async (ceremony: { ceremony: string; options: object }) => {
      const response = authenticator.create(ceremony.options)
      return (await desk.call('POST', '/enrolment', { body: { token, ceremony: ceremony.ceremony, response } })).body
    }
    const invalidPasskey = { code: 'passkey_invalid' }
    expect(await finishEnrolment(await startEnrolment('/enrolment/options', { token: otherToken }))).toMatchObject(
      invalidPasskey,
    )
    const ownCeremony = await startEnrolment('/enrolment/options', { token })
    const signIn = await startEnrolment('/session/options')
    const { challenge } = signIn.options
    expect(await finishEnrolment({ ...signIn, options: { ...ownCeremony.options, challenge } })).toMatchObject(
      invalidPasskey,
    )
    await query(`update desk_ceremony set expires_at = expires_at - interval '5 minutes'`)
    expect(await finishEnrolment(ownCeremony)).toMatchObject(invalidPasskey)
  })
})

describe('signing in', () => {
  const faults: readonly [string, AuthenticatorFaults][] = [
    ['without verifying the user', { userVerified: false }],
    ['from another origin', { origin: 'http://localhost:1' }],
    ['for another name', { rpId: 'attacker.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
    ['for somebody else', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['by a counter that went back', { counter: 0 }],
  ]
  test.each(faults)('is refused %s', async (_name, fault) => {
    const { authenticator } = await desk.createOperator('reviewer')
    const { ceremony, options } = (await desk.call('POST', '/session/options')).body
    const invalidSignIn = { body: { ceremony, response: authenticator.get(options, fault) } }
    expect((await desk.call('POST', '/session', invalidSignIn)).body).toMatchObject({ code: 'passkey_invalid' })
    const validSignIn = { body: { ceremony, response: authenticator.get(options) } }
    expect((await desk.call('POST', '/session', validSignIn)).body, 'used once').toMatchObject({
      code: 'passkey_invalid',
    })
  })

  test('is refused for a counter that went back or stayed, and accepted for the next one', async () => {
    const { authenticator } = await desk.createOperator('reviewer')
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
    const { authenticator } = await desk.createOperator('reviewer')
    const backdateSession = (column: string, interval: string) =>
      query(`update desk_session set ${column} = ${column} - interval '${interval}'`)
    const { cookie: idleCookie } = await desk.signIn(authenticator)
    await backdateSession('used_at', '29 minutes')
    expect(await hasAccess(idleCookie)).toBe(true)
    await backdateSession('used_at', '31 minutes')
    expect(await hasAccess(idleCookie)).toBe(false)
    const { cookie: signedOutCookie } = await desk.signIn(authenticator)
    await backdateSession('used_at', '29 minutes')
    expect((await desk.call('GET', '/queues', { cookie: signedOutCookie })).status).toBe(200)
    await backdateSession('used_at', '2 minutes')
    expect(await hasAccess(signedOutCookie), 'the page counts what waits by itself').toBe(false)
    const { cookie: oldCookie } = await desk.signIn(authenticator)
    await backdateSession('created_at', '11 hours 59 minutes')
    expect(await hasAccess(oldCookie)).toBe(true)
    await backdateSession('created_at', '2 minutes')
    expect(await hasAccess(oldCookie)).toBe(false)
  })

  test('is in an HttpOnly, same-site cookie', async () => {
    const { authenticator } = await desk.createOperator('auditor')
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
    const { cookie } = await desk.createOperator('auditor')
    const token = cookie.split('=')[1]!
    const { rows } = await query(
      `select * from desk_session union all select hash, operator_id, expires_at, expires_at from desk_enrolment`,
    )
    const storedHashes = rows.flatMap(({ hash }: { hash: Buffer }) => [
      hash.toString('latin1'),
      hash.toString('base64url'),
    ])
    expect(storedHashes.length).toBeGreaterThan(0)
    expect(storedHashes).not.toContain(token)
    expect((await desk.call('DELETE', '/session', { cookie })).status).toBe(204)
    expect(await hasAccess(cookie)).toBe(false)
  })
})

describe('a disabled operator', () => {
  /** Creates an operator with a session, a passkey, and an unused link for another passkey. */
  async function createOperatorWithLink() {
    const operator = await desk.createOperator('reviewer')
    return { ...operator, token: desk.readToken((await desk.command('link', operator.name))[1]) }
  }
  async function expectLockedOut({ cookie, authenticator, token }: Awaited<ReturnType<typeof createOperatorWithLink>>) {
    expect(await hasAccess(cookie)).toBe(false)
    expect((await desk.signIn(authenticator)).body).toMatchObject({ code: 'passkey_invalid' })
    const secondAuthenticator = createTestAuthenticator(desk.origin)
    expect((await desk.enrol(token, secondAuthenticator)).body).toMatchObject({ code: 'link_invalid' })
  }

  test('has no way left to sign in, and gets no link', async () => {
    const lockedOperator = await createOperatorWithLink()
    await desk.command('disable', lockedOperator.name, '--because', 'has left the company')
    await expectLockedOut(lockedOperator)
    for (const commandArguments of [
      ['link', lockedOperator.name],
      ['roles', lockedOperator.name, '--role', 'auditor'],
      ['disable', lockedOperator.name, '--because', 'once more'],
    ]) {
      expect(await desk.command(...commandArguments)).toEqual([2, `${lockedOperator.name} is disabled.`])
    }
    const remainingRows = await query(
      `select from desk_operator o where name = $1 and (exists (select from desk_session where operator_id = o.id)
         or exists (select from desk_passkey where operator_id = o.id) or exists (select from desk_enrolment where operator_id = o.id))`,
      lockedOperator.name,
    )
    expect(remainingRows.rowCount).toBe(0)
  })

  test('cannot sign in even with a remaining passkey', async () => {
    const lockedOperator = await createOperatorWithLink()
    await query('update desk_operator set disabled_at = now() where name = $1', lockedOperator.name)
    await expectLockedOut(lockedOperator)
  })
})

test('the log names who was added, changed, signed in and signed out', async () => {
  const { name, cookie } = await desk.createOperator('auditor')
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
    const firstLead = await desk.createOperator('lead')
    const secondLead = await desk.createOperator('lead')
    const { body } = await firstLead.call('GET', '/operators')
    const findOperatorId = (name: string) =>
      body.operators.find((operator: { name: string }) => operator.name === name).id as string
    const reason = { reason: 'has left the company' }
    // Two leads disable each other concurrently.
    const answers = await Promise.all([
      firstLead.call('POST', `/operators/${findOperatorId(secondLead.name)}/disable`, reason),
      secondLead.call('POST', `/operators/${findOperatorId(firstLead.name)}/disable`, reason),
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
  const accountArguments = (email: string) => ['--account', email]

  test('is stated, or denied, when an operator is added', async () => {
    const kira = await desk.world.enroll('kira', 'Germany')
    const add = (...parameters: string[]) => desk.command('add', 'Kira', '--role', 'reviewer', ...parameters)
    for (const invalidParameters of [[], ['--no-account', ...accountArguments(kira.email)]])
      expect((await add(...invalidParameters))[0]).toBe(2)
    const unknownEmail = 'nobody@example.com'
    expect(await add(...accountArguments(unknownEmail))).toEqual([2, `${unknownEmail} has no account.`])
    expect((await add(...accountArguments(kira.email)))[0]).toBe(0)
    expect((await desk.command('add', 'Lars', '--role', 'reviewer', '--no-account'))[0]).toBe(0)
    const [, operatorList] = await desk.command()
    expect(operatorList).toMatch(new RegExp(`Kira .*own account ${String(kira.id)}`))
    expect(operatorList).toMatch(/Lars .*no account/)
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
    const { name } = await desk.createOperator('reviewer')
    const command = (...parameters: string[]) => desk.command(parameters[0]!, name, ...parameters.slice(1))
    expect((await command('link-account'))[0]).toBe(2)
    expect((await command('link-account', ...accountArguments(String(mila.id))))[0]).toBe(0)
    expect(await command('link-account', ...accountArguments(mila.email))).toEqual([
      2,
      `${mila.email} is already linked.`,
    ])
    expect((await command('unlink-account', ...accountArguments(mila.email)))[0]).toBe(2)
    const reasonArguments = ['--because', 'It is the account of a namesake.']
    expect((await command('unlink-account', ...accountArguments(mila.email), ...reasonArguments))[0]).toBe(0)
    expect((await command('unlink-account', ...accountArguments(mila.email), ...reasonArguments))[0]).toBe(2)
    const { rows } = await query(
      `select before, reason from desk_log where act = 'account_unlinked' and before = $1`,
      String(mila.id),
    )
    expect(rows).toEqual([{ before: String(mila.id), reason: 'It is the account of a namesake.' }])
    for (const change of ['delete from desk_own_account', 'update desk_own_account set unlinked_at = null']) {
      await expect(query(`${change} where user_id = $1`, mila.id)).rejects.toThrow('is kept')
    }
    expect((await command('link-account', ...accountArguments(mila.email)))[0], 'anew').toBe(0)
  })

  test('cannot be looked up by its holder', async () => {
    const nora = await desk.world.enroll('nora', 'Germany')
    const reviewer = await desk.createOperator('reviewer')
    const lookUp = (identifier: string) => reviewer.call('POST', '/people', { who: identifier })
    expect((await lookUp(nora.email)).body).toMatchObject({ person: { id: nora.id } })
    await desk.command('link-account', reviewer.name, ...accountArguments(nora.email))
    for (const identifier of [nora.email, String(nora.id), `@${nora.username}`]) {
      expect((await lookUp(identifier)).body).toMatchObject({ code: 'desk_involved' })
    }
    const { rows } = await query(`select act from desk_log where subject = $1 order by number desc limit 3`, nora.id)
    expect(rows.map(({ act }) => act)).toEqual(['refused', 'refused', 'refused'])
  })
})
