import { describe, expect, test } from 'vitest'
import { startLink, debit, goodLink, buildKeyHeader, linkAccount, submit } from './test-banks.ts'
import { startReceiver, startTestSandbox, listInvalidFields } from '../test-sandbox.ts'

const consentForm = { action: 'allow', bank: 'harbour', account: 'USD' }
const readEvents = ({ received }: { received: { body: string }[] }) =>
  received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })

describe('starting to link', () => {
  test('returns the link and its page', async () => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', '/api/bank/links', { body: goodLink, ...buildKeyHeader('one') })
    expect(answer.status).toBe(201)
    const id = String(answer.json['session_id'])
    expect(answer.json['url']).toBe(`${sandbox.url}/banks/${id}`)
    expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json).toEqual({
      session_id: id,
      reference: 'link-1',
      status: 'open',
    })
  })

  test('is idempotent by key and refuses another request under it', async () => {
    const sandbox = await startTestSandbox()
    expect(await startLink(sandbox)).toBe(await startLink(sandbox))
    expect(await startLink(sandbox, {}, 'link-2')).not.toBe(await startLink(sandbox))
    const other = await sandbox.call('POST', '/api/bank/links', {
      body: { ...goodLink, country: 'DE' },
      ...buildKeyHeader('link-1'),
    })
    expect(other.status).toBe(422)
    expect(other.json['error']).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('needs the secret and a key', async () => {
    const sandbox = await startTestSandbox()
    const postLink = (options: object) => sandbox.call('POST', '/api/bank/links', { body: goodLink, ...options })
    expect((await postLink({ ...buildKeyHeader('one'), secret: null })).status).toBe(401)
    expect((await postLink({})).status).toBe(400)
    const id = await startLink(sandbox)
    expect((await sandbox.call('GET', `/api/bank/links/${id}`, { secret: null })).status).toBe(401)
  })

  test.each([
    ['reference', ''],
    ['user_reference', 7],
    ['holder_name', 'a\0b'],
    ['country', 'us'],
    ['country', 'United States'],
    ['return_url', 'javascript:alert(1)'],
    ['return_url', 'https://user:password@example.com/'],
  ])('refuses %s %j by name', async (field, value) => {
    const sandbox = await startTestSandbox()
    const body = { ...goodLink, [field]: value }
    const answer = await sandbox.call('POST', '/api/bank/links', { body, ...buildKeyHeader('one') })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
  })
})

describe('the pages', () => {
  test('lead from bank to account to consent by plain links', async () => {
    const sandbox = await startTestSandbox()
    const id = await startLink(sandbox, { country: 'JP', holder_name: '<b>Aiko</b>' })
    const page = async (query: string) => (await sandbox.call('GET', `/banks/${id}${query}`, { secret: null })).text
    const first = await page('')
    for (const name of ['Harbour', 'Shoal', 'Undertow', 'Reef', 'Drift', 'Fog']) expect(first).toContain(`${name} Bank`)
    expect(first).toContain(`href="/banks/${id}?bank=harbour"`)
    const second = await page('?bank=harbour')
    const currencies = [...second.matchAll(/bank=harbour&amp;account=([A-Z]{3})"/g)].map(([, currency]) => currency)
    expect(currencies).toEqual(['JPY', 'USD', 'EUR', 'GBP'])
    const thirdPage = await page('?bank=harbour&account=JPY')
    expect(thirdPage).toContain('&lt;b&gt;Aiko&lt;/b&gt;')
    expect(thirdPage).toContain('Tern may:')
    for (const text of [first, second, thirdPage]) {
      expect(text).not.toContain('<script')
      expect(text).toMatch(/value="cancel">\s*Cancel/)
    }
    // For an unknown bank or account, the page shows the step that selects it.
    expect(await page('?bank=nowhere')).toContain('Choose your bank')
    expect(await page('?bank=harbour&account=BRL')).toContain('Choose an account')
  })

  test('return to the product with the reference, and link only after consent', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await startLink(sandbox)
    expect((await submit(sandbox, id, { bank: 'harbour', account: 'USD' })).headers.get('location')).toBe(
      `/banks/${id}`,
    )
    expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json['status']).toBe('open')
    const answer = await submit(sandbox, id, consentForm)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(
      'http://localhost:3000/deposit?step=bank&linkStatus=success&link_id=link-1',
    )
    const linkedReply = (await sandbox.call('GET', `/api/bank/links/${id}`)).json
    expect(linkedReply).toEqual({
      session_id: id,
      reference: 'link-1',
      status: 'linked',
      account: {
        token: expect.stringMatching(/^ba_/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        bank_name: 'Harbour Bank',
        last4: expect.stringMatching(/^\d{4}$/),
        holder_name: 'Ines Okafor',
        currency: 'USD',
        country: 'US',
      },
    })
    // Consenting or canceling after the end changes nothing.
    expect((await submit(sandbox, id, { ...consentForm, bank: 'fog' })).headers.get('location')).toContain('success')
    expect((await submit(sandbox, id, { action: 'cancel' })).headers.get('location')).toContain('success')
    expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json).toEqual(linkedReply)
    await receiver.waitForEvents(1)
    expect(readEvents(receiver)).toMatchObject([{ type: 'bank_link.linked', data: linkedReply }])
  })

  test.each([
    ['USD', { account_number: expect.stringMatching(/^\d{8}$/), routing_number: expect.stringMatching(/^\d{9}$/) }],
    ['GBP', { account_number: expect.stringMatching(/^\d{8}$/), sort_code: expect.stringMatching(/^\d{6}$/) }],
    ['EUR', { iban: expect.stringMatching(/^DE\d{20}$/) }],
  ])('disclose the numbers of an account in %s, which end in its last four digits', async (currency, numbers) => {
    const sandbox = await startTestSandbox()
    const id = await startLink(sandbox)
    await submit(sandbox, id, { ...consentForm, account: currency })
    const { account } = (await sandbox.call('GET', `/api/bank/links/${id}`)).json as {
      account: { token: string; last4: string }
    }
    const path = `/api/bank/accounts/${account.token}/numbers`
    const { json } = await sandbox.call('GET', path)
    expect(json).toEqual({ holder_name: 'Ines Okafor', ...numbers })
    expect((await sandbox.call('GET', path)).json).toEqual(json)
    expect(String(json['iban'] ?? json['account_number']).slice(-4)).toBe(account.last4)
    expect((await sandbox.call('GET', path, { secret: null })).status).toBe(401)
  })

  test('can be left at any step without linking', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await startLink(sandbox)
    const answer = await submit(sandbox, id, { action: 'cancel' })
    expect(answer.headers.get('location')).toContain('linkStatus=canceled&link_id=link-1')
    await submit(sandbox, id, consentForm)
    const expected = { session_id: id, reference: 'link-1', status: 'canceled' }
    expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json).toEqual(expected)
    await receiver.waitForEvents(1)
    expect(readEvents(receiver)).toMatchObject([{ type: 'bank_link.canceled', data: expected }])
  })

  test('refuse an account the person does not have', async () => {
    const sandbox = await startTestSandbox()
    const id = await startLink(sandbox)
    expect((await submit(sandbox, id, { ...consentForm, account: 'BRL' })).status).toBe(404)
    expect((await submit(sandbox, id, { ...consentForm, bank: 'nowhere' })).status).toBe(404)
    expect((await submit(sandbox, 'bl_nobody', consentForm)).status).toBe(404)
    expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json['status']).toBe('open')
  })
})

test('Fog Bank fails the link', async () => {
  const receiver = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  const id = await startLink(sandbox)
  const answer = await submit(sandbox, id, { ...consentForm, bank: 'fog' })
  expect(answer.headers.get('location')).toContain('linkStatus=canceled&link_id=link-1')
  expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json['status']).toBe('failed')
  await receiver.waitForEvents(1)
  expect(readEvents(receiver)).toMatchObject([{ type: 'bank_link.failed' }])
})

test('a link expires after an hour and cannot be revived', async () => {
  const receiver = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  const id = await startLink(sandbox)
  await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 60 * 60 * 1000 } })
  await receiver.waitForEvents(1)
  expect(readEvents(receiver)).toMatchObject([{ type: 'bank_link.canceled' }])
  expect((await submit(sandbox, id, consentForm)).headers.get('location')).toContain('linkStatus=canceled')
  expect((await sandbox.call('GET', `/api/bank/links/${id}`)).json['status']).toBe('canceled')
  expect((await sandbox.call('GET', `/banks/${id}`)).text).toContain('Expired')
})

test('an account keeps its fingerprint, which no other has', async () => {
  const sandbox = await startTestSandbox()
  const first = await linkAccount(sandbox, { bank: 'harbour' })
  const id = await startLink(sandbox, { reference: 'link-2' }, 'again')
  await submit(sandbox, id, consentForm)
  const sameAccount = (await sandbox.call('GET', `/api/bank/links/${id}`)).json['account']
  expect(sameAccount).toMatchObject({ fingerprint: first.fingerprint, last4: first.last4 })
  const otherAccounts = [
    await linkAccount(sandbox, { bank: 'harbour', currency: 'EUR' }),
    await linkAccount(sandbox, { bank: 'shoal' }),
    await linkAccount(sandbox, { bank: 'harbour', user: '10002' }),
  ]
  expect(new Set([first, ...otherAccounts].map(({ fingerprint }) => fingerprint)).size).toBe(4)
})

test('an unlinked account takes no new order; unlinking again is harmless', async () => {
  const sandbox = await startTestSandbox()
  const { token } = await linkAccount(sandbox, { bank: 'harbour' })
  const debitReply = await debit(sandbox, token)
  const unlink = (account: string) => sandbox.call('POST', `/api/bank/accounts/${account}/unlink`)
  expect((await unlink(token)).status).toBe(200)
  expect((await unlink(token)).status).toBe(200)
  expect((await unlink('ba_nobody')).status).toBe(404)
  expect(listInvalidFields(await debit(sandbox, token, {}, 'debit-2'))).toEqual(['account_token'])
  // Repeating an order made before the unlinking returns that order.
  expect((await debit(sandbox, token)).json).toEqual(debitReply.json)
})
