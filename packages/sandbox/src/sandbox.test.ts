import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readSettings } from './control/settings.ts'
import { freePort, startTestSandbox, temporaryFolder, testSecret, listInvalidFields } from './test-sandbox.ts'

test('healthz answers, and unknown addresses are not found, in the caller’s format', async () => {
  const sandbox = await startTestSandbox()
  expect((await sandbox.call('GET', '/healthz')).json).toEqual({ status: 'ok' })
  const api = await sandbox.call('GET', '/api/nothing')
  expect(api.status).toBe(404)
  expect(api.json['error']).toMatchObject({ code: 'not_found' })
  const page = await sandbox.call('GET', '/nothing')
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toContain('text/html')
})

test('the start page, rates and assets have a policy without inline scripts', async () => {
  const sandbox = await startTestSandbox()
  const pages = await Promise.all(['/', '/rates', '/mail'].map((path) => sandbox.call('GET', path, { secret: null })))
  for (const page of pages) {
    expect(page.status).toBe(200)
    expect(page.text).toContain('no real money')
    expect(page.headers.get('content-security-policy')).toContain(`script-src 'self';`)
    expect(page.text).not.toMatch(/<script(?! src=)|style=/)
  }
  const stylesheet = /href="(\/assets\/sandbox\.css\?v=[0-9a-f]+)"/.exec(pages[0]!.text)?.[1] ?? ''
  expect((await sandbox.call('GET', stylesheet)).headers.get('content-type')).toContain('text/css')
})

describe('the clock', () => {
  test('moves to a time and runs on', async () => {
    const sandbox = await startTestSandbox()
    const moveReply = await sandbox.call('PUT', '/api/clock', { body: { now: '2026-03-01T10:00:00+01:00' } })
    expect(moveReply.status).toBe(200)
    expect(moveReply.json['now']).toMatch(/^2026-03-01T09:00:0/)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const laterTime = String((await sandbox.call('GET', '/api/clock', { secret: null })).json['now'])
    expect(laterTime > String(moveReply.json['now'])).toBe(true)
    const before = Date.now()
    const resetReply = await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 0 } })
    const shownTime = new Date(String(resetReply.json['now'])).getTime()
    expect([shownTime >= before, shownTime <= Date.now()]).toEqual([true, true])
  })

  test('moves only with the secret', async () => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 5 }, secret: 'wrong' })).status).toBe(401)
    expect((await sandbox.call('GET', '/api/clock')).json['offsetMs']).toBe(0)
  })

  test.each([
    [{}, 'now'],
    [{ now: '2026-03-01T09:00:00Z', offsetMs: 0 }, 'now'],
    [{ now: 'tomorrow' }, 'now'],
    [{ now: '2026-13-01T09:00:00Z' }, 'now'],
    [{ now: '9999-03-01T09:00:00Z' }, 'now'],
    [{ now: 5 }, 'now'],
    [{ offsetMs: '5' }, 'offsetMs'],
    [{ offsetMs: 1.5 }, 'offsetMs'],
    [{ offsetMs: 1e15 }, 'offsetMs'],
  ])('refuses %j', async (body, field) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('PUT', '/api/clock', { body })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
    expect((await sandbox.call('GET', '/api/clock')).json['offsetMs']).toBe(0)
  })
})

describe('the market feed', () => {
  test('returns all thirteen currencies as exact fractions', async () => {
    const sandbox = await startTestSandbox()
    const before = Date.now()
    const { json } = await sandbox.call('GET', '/api/rates', { secret: null })
    const values = json['usd_per_unit'] as Record<string, { numerator: string; denominator: string }>
    expect(Object.keys(values).toSorted()).toEqual(
      ['AUD', 'BRL', 'BTC', 'CAD', 'ETH', 'EUR', 'GBP', 'INR', 'JPY', 'SGD', 'USD', 'USDC', 'USDT'].toSorted(),
    )
    expect(json['base']).toBe('USD')
    expect(values['EUR']).toEqual({ numerator: '100', denominator: '93' })
    expect(values['JPY']).toEqual({ numerator: '67', denominator: '10000' })
    const asOf = new Date(String(json['as_of'])).getTime()
    expect([asOf >= before, asOf <= Date.now()]).toEqual([true, true])
  })

  test('changes only the given values, only with the secret', async () => {
    const sandbox = await startTestSandbox()
    const body = { usd_per_unit: { EUR: { numerator: '12', denominator: '10' } } }
    expect((await sandbox.call('PUT', '/api/rates', { body, secret: null })).status).toBe(401)
    const { json } = await sandbox.call('PUT', '/api/rates', { body })
    expect(json['usd_per_unit']).toMatchObject({
      EUR: { numerator: '12', denominator: '10' },
      GBP: { numerator: '100', denominator: '79' },
    })
  })

  test.each([
    [{}, 'usd_per_unit'],
    [{ usd_per_unit: [] }, 'usd_per_unit'],
    [{ usd_per_unit: { XXX: { numerator: '1', denominator: '1' } } }, 'usd_per_unit.XXX'],
    [{ usd_per_unit: { USD: { numerator: '2', denominator: '1' } } }, 'usd_per_unit.USD'],
    [{ usd_per_unit: { EUR: { numerator: '1', denominator: '0' } } }, 'usd_per_unit.EUR'],
    [{ usd_per_unit: { EUR: { numerator: '-1', denominator: '1' } } }, 'usd_per_unit.EUR'],
    [{ usd_per_unit: { EUR: { numerator: 1, denominator: 1 } } }, 'usd_per_unit.EUR'],
    [{ usd_per_unit: { EUR: '1.1' } }, 'usd_per_unit.EUR'],
  ])('refuses %j and changes nothing', async (body, field) => {
    const sandbox = await startTestSandbox()
    const before = (await sandbox.call('GET', '/api/rates')).json['usd_per_unit']
    const answer = await sandbox.call('PUT', '/api/rates', { body })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
    expect((await sandbox.call('GET', '/api/rates')).json['usd_per_unit']).toEqual(before)
  })
})

describe('identity checks', () => {
  const person = {
    reference: 'user-1',
    first_name: 'Ines',
    last_name: 'Okafor',
    date_of_birth: '1990-05-17',
    country: 'United States',
    nationality: 'American',
    id_number: '123-45-6789',
    document_type: 'passport',
    document_number: 'X1234567',
  }

  test.each([
    [{}, 'verified', []],
    [{ first_name: '', last_name: 'Suharto' }, 'verified', []],
    [{ last_name: 'Rejected' }, 'rejected', ['last_name']],
    [{ last_name: ' review ' }, 'in_review', ['last_name']],
    [{ document_number: '0000' }, 'needs_information', ['document_number']],
  ])('decides %j as %s', async (changes, status, fields) => {
    const sandbox = await startTestSandbox()
    const startReply = await sandbox.call('POST', '/api/kyc/checks', { body: { ...person, ...changes } })
    expect(startReply.status).toBe(200)
    expect(startReply.json).toMatchObject({ status: 'pending', check_id: expect.stringMatching(/^ck_/) as string })
    const answer = () => sandbox.call('GET', `/api/kyc/checks/${String(startReply.json['check_id'])}`)
    await expect.poll(async () => (await answer()).json['status']).toBe(status)
    expect(((await answer()).json['reasons'] as { field: string }[]).map(({ field }) => field)).toEqual(fields)
  })

  test('begin once under the same reference', async () => {
    const sandbox = await startTestSandbox()
    const check = async (changes: object) =>
      (await sandbox.call('POST', '/api/kyc/checks', { body: { ...person, ...changes } })).json
    const { check_id: id } = await check({ last_name: 'Slow' })
    expect(await check({})).toMatchObject({ check_id: id, status: 'pending' })
  })

  test.each([
    ['reference', undefined],
    ['first_name', 7],
    ['last_name', ''],
    ['last_name', 7],
    ['last_name', 'x'.repeat(201)],
    ['date_of_birth', '1990-02-30'],
    ['date_of_birth', '2190-01-01'],
    ['date_of_birth', '17.5.1990'],
    ['country', undefined],
    ['document_type', null],
    ['document_number', ['0000']],
  ])('refuses %s %j by name', async (field, value) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', '/api/kyc/checks', { body: { ...person, [field]: value } })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
  })

  test('need the secret', async () => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.call('POST', '/api/kyc/checks', { body: person, secret: 'wrong' })).status).toBe(401)
  })
})

describe('mail', () => {
  const mail = {
    to: 'ines@example.com',
    subject: 'Confirm <your> address',
    text: 'Hello "Ines"',
    html: '<p style="color:red">Hello</p><script>alert(1)</script>',
  }

  test('arrives in the mailbox, newest first, searchable by address', async () => {
    const sandbox = await startTestSandbox()
    const sendReply = await sandbox.call('POST', '/api/mail', { body: mail })
    expect(sendReply.status).toBe(201)
    await sandbox.call('POST', '/api/mail', { body: { ...mail, to: 'lucas@example.com', subject: 'Second' } })
    const all = await sandbox.call('GET', '/api/mail', { secret: null })
    expect(all.json).toMatchObject([{ subject: 'Second' }, { subject: mail.subject }])
    const receivedMails = await sandbox.call('GET', '/api/mail?to=INES@example.com', { secret: null })
    expect(receivedMails.json).toEqual([
      { id: sendReply.json['id'], ...mail, created_at: expect.stringMatching(/Z$/) as string },
    ])
    const page = await sandbox.call('GET', '/mail?to=ines@example.com')
    expect(page.text).toContain('Confirm &lt;your&gt; address')
    expect(page.text).not.toContain('Second')
  })

  test('is shown in a frame that runs nothing', async () => {
    const sandbox = await startTestSandbox()
    const { json } = await sandbox.call('POST', '/api/mail', { body: mail })
    const page = await sandbox.call('GET', `/mail/${String(json['id'])}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Hello &quot;Ines&quot;')
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.text).not.toContain('<script>')
    expect(page.text).toMatch(/<iframe\s[^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"\s+srcdoc="/)
    expect(page.headers.get('content-security-policy')).toContain(`script-src 'self';`)
    expect((await sandbox.call('GET', '/mail/ml_nobody')).status).toBe(404)
  })

  test('with a key arrives once', async () => {
    const sandbox = await startTestSandbox()
    const send = (changes: object) =>
      sandbox.call('POST', '/api/mail', { body: { ...mail, ...changes }, headers: { 'idempotency-key': 'mail-1' } })
    expect((await send({})).json).toEqual((await send({})).json)
    expect((await send({ subject: 'Other' })).status).toBe(422)
    expect((await sandbox.call('GET', '/api/mail')).json).toHaveLength(1)
  })

  test.each([
    ['to', 'nobody'],
    ['to', undefined],
    ['to', 'a@b\r\nBcc: c@d'],
    ['subject', 'one\ntwo'],
    ['subject', 'x'.repeat(301)],
    ['text', ''],
    ['html', 5],
    ['html', 'x'.repeat(300_001)],
  ])('refuses %s %j by name', async (field, value) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', '/api/mail', { body: { ...mail, [field]: value } })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
    expect((await sandbox.call('GET', '/api/mail')).json).toEqual([])
  })

  test('is accepted only with the secret', async () => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.call('POST', '/api/mail', { body: mail, secret: null })).status).toBe(401)
  })
})

describe('settings', () => {
  const validEnv = { SANDBOX_SECRET: testSecret }

  test('have defaults for everything but the secret', () => {
    expect(readSettings(validEnv)).toMatchObject({
      port: 3001,
      host: 'localhost',
      publicUrl: 'http://localhost:3001',
      webhookUrl: 'http://localhost:3000/api/webhooks/sandbox',
    })
    expect(readSettings({ ...validEnv, SANDBOX_PORT: '4001' }).publicUrl).toBe('http://localhost:4001')
    expect(readSettings(validEnv).market).toBe('walk')
    expect(readSettings({ ...validEnv, SANDBOX_MARKET: 'still' }).market).toBe('still')
    expect(readSettings(validEnv).chargesFees).toBe(true)
    expect(readSettings({ ...validEnv, SANDBOX_FEES: 'off' }).chargesFees).toBe(false)
  })

  test('take the secret from a file', () => {
    const file = path.join(temporaryFolder(), 'secret')
    fs.writeFileSync(file, `${testSecret}\n`)
    expect(readSettings({ SANDBOX_SECRET_FILE: file }).secret).toBe(testSecret)
    expect(() => readSettings({ ...validEnv, SANDBOX_SECRET_FILE: file })).toThrow('both set')
    expect(() => readSettings({ SANDBOX_SECRET_FILE: `${file}s` })).toThrow('SANDBOX_SECRET_FILE names')
  })

  test.each([
    ['SANDBOX_PORT', '70000'],
    ['SANDBOX_PORT', 'abc'],
    ['SANDBOX_SECRET', ''],
    ['SANDBOX_SECRET', 'short'],
    ['SANDBOX_WEBHOOK_URL', 'localhost:3000'],
    ['SANDBOX_OIDC_REDIRECT', 'localhost:3000'],
    ['SANDBOX_PUBLIC_URL', 'ftp://example.com'],
    ['SANDBOX_MARKET', 'wild'],
    ['SANDBOX_FEES', 'free'],
    ['TERN_MODE', 'production'],
  ])('a wrong %s is named', (name, value) => {
    expect(() => readSettings({ ...validEnv, [name]: value })).toThrow(name)
  })
})

describe('as a process', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const start = (env: Record<string, string>) =>
    spawn(process.execPath, [main], { env: { ...env, DATA_DIR: temporaryFolder() }, stdio: ['ignore', 'pipe', 'pipe'] })

  test('reports readiness and stops on SIGTERM', async () => {
    const port = await freePort()
    const child = start({ SANDBOX_PORT: String(port), SANDBOX_SECRET: testSecret })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    expect(line.toString()).toBe(`Tern Sandbox is ready at http://localhost:${port}\n`)
    expect((await fetch(`http://localhost:${port}/healthz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('does not start with an invalid setting, and names it', async () => {
    const child = start({ SANDBOX_PORT: 'abc', SANDBOX_SECRET: testSecret })
    const [[line], exit] = (await Promise.all([once(child.stderr, 'data'), once(child, 'exit')])) as [[Buffer], unknown]
    expect(line.toString()).toBe('SANDBOX_PORT must be a port number from 1 to 65535, not "abc".\n')
    expect(exit).toEqual([1, null])
  })
})
