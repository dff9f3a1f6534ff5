import { createHmac, randomUUID } from 'node:crypto'
import { kycStatus, openIdentityPage } from '@tern/contract/kyc'
import { submitKyc } from '@tern/contract/kyc/verification-form'
import { buildDocumentForm, uploadDocument } from '@tern/contract/kyc/documents'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { generateNationalId } from '@tern/testkit/national-ids'
import { confirmEmail } from '@tern/testkit/people'
import { deliver } from '@tern/testkit/payments'
import { transact } from '../../platform/database/db.ts'
import { drawPicture } from '@tern/testkit/kyc/pictures'

const country = 'United States'

const loadState = (person: TestPerson) => person.call(kycStatus, { params: { id: String(person.id) } })

async function enrollNewcomer(world: TestApp): Promise<TestPerson> {
  const person = await world.enroll('nina', null)
  await confirmEmail(person.id, world.database.pool)
  return person
}

const send = (person: TestPerson, change: object = {}) =>
  person.call(submitKyc, {
    params: { id: String(person.id) },
    body: {
      ...{ email: person.email, firstName: 'Nina', lastName: 'Tester', dateOfBirth: '1990-02-03', country },
      ...{ nationality: country, idNumber: generateNationalId(country), documentType: 'passport' as const },
      ...{ documentNumber: 'P1234567', currencyPreference: 'USD' as const, streetAddress: '1 Main Street' },
      ...{ city: 'Springfield', state: 'Somewhere', postalCode: '12345' },
      ...change,
    },
  })

const loadRow = async (world: TestApp, { id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ id: string; status: string; provider_check_id: string | null }>(
    'select id, status, provider_check_id from kyc_submission where user_id = $1 order by submitted_at desc limit 1',
    [id],
  )
  return rows[0]!
}

describe('with events', () => {
  let world: TestApp
  beforeAll(async () => {
    world = await startTestApp()
  })
  afterAll(() => world.close())

  /** Waits without polling the provider: only an event changes the row. */
  const waitForStatus = (person: TestPerson, status: string) =>
    expect.poll(async () => (await loadRow(world, person)).status).toBe(status)

  test.each([
    [{}, 'verified', []],
    [{ lastName: 'Rejected' }, 'rejected', ['lastName']],
    [{ lastName: 'Review' }, 'in_review', ['lastName']],
    [{ dateOfBirth: '1970-01-01' }, 'needs_information', ['dateOfBirth']],
    [{ postalCode: '00000' }, 'needs_information', ['postalCode']],
    [{ lastName: 'Document' }, 'needs_information', ['document']],
    [{ lastName: 'Twice' }, 'verified', []],
    [{ lastName: 'Slow' }, 'verified', []],
  ])('%j is pending at first, and then %s', async (change, status, fields) => {
    const person = await enrollNewcomer(world)
    expect(await send(person, change)).toEqual({ status: 'pending', reasons: [], next_step: null })
    await waitForStatus(person, status)
    const state = await loadState(person)
    expect([state.status, state.reasons.map(({ field }) => field)]).toEqual([status, fields])
    const noticeRows = await world.database.pool.query(
      `select from notification where user_id = $1 and code = 'verification_result'`,
      [person.id],
    )
    expect(noticeRows.rowCount).toBe(status === 'in_review' ? 0 : 1)
  })

  test('providers that require documents get them whole', async () => {
    const person = await enrollNewcomer(world)
    const file = new Blob([new Uint8Array(await drawPicture(600, 420).jpeg())], { type: 'image/jpeg' })
    for (const side of ['front', 'back'] as const) {
      const form = buildDocumentForm({ documentType: 'passport', side }, file)
      const answer = await fetch(`${world.url}/api${uploadDocument.path.replace(':id', String(person.id))}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}` },
        body: form,
      })
      expect(answer.status).toBe(201)
    }
    await send(person, { lastName: 'Document' })
    await waitForStatus(person, 'verified')
  })

  test('a provider’s page reopens until everything is complete, each address once', async () => {
    const [person, otherPerson] = [await enrollNewcomer(world), await enrollNewcomer(world)]
    const personParams = { params: { id: String(person.id) } }
    await expect(person.call(openIdentityPage, personParams)).rejects.toMatchObject({ code: 'not_found' })
    const hostedStatus = { status: 'pending', reasons: [], next_step: 'identity_check' }
    expect(await send(person, { lastName: 'Hosted' })).toEqual(hostedStatus)
    await expect(otherPerson.call(openIdentityPage, personParams)).rejects.toMatchObject({ code: 'not_found' })
    const visitForm = async (outcome: string) => {
      const { url } = await person.call(openIdentityPage, personParams)
      expect(await (await fetch(url)).text()).toContain('Everything is fine')
      const body = new URLSearchParams({ how: outcome })
      const formResponse = await fetch(url, { method: 'POST', body, redirect: 'manual' })
      expect([formResponse.status, formResponse.headers.get('location')]).toEqual([303, `${world.url}/profile`])
      expect((await fetch(url)).status).toBe(404)
    }
    await visitForm('unreadable')
    await waitForStatus(person, 'needs_information')
    expect(await loadState(person)).toMatchObject({ reasons: [{ field: 'document' }], next_step: 'identity_check' })
    await visitForm('done')
    await waitForStatus(person, 'verified')
    await expect(person.call(openIdentityPage, personParams)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a form sent meanwhile replaces an unfinished page', async () => {
    const person = await enrollNewcomer(world)
    await send(person, { lastName: 'Hosted' })
    const { url } = await person.call(openIdentityPage, { params: { id: String(person.id) } })
    await fetch(url, { method: 'POST', body: new URLSearchParams({ how: 'unreadable' }), redirect: 'manual' })
    await waitForStatus(person, 'needs_information')
    await send(person, { lastName: 'Rejected' })
    await waitForStatus(person, 'rejected')
    expect((await loadState(person)).next_step).toBeNull()
    await expect(person.call(openIdentityPage, { params: { id: String(person.id) } })).rejects.toThrow()
  })

  test('a leaving user’s data are deleted at the provider, with retries until confirmed', async () => {
    const person = await enrollNewcomer(world)
    await send(person, { lastName: 'Rejected' })
    await waitForStatus(person, 'rejected')
    const { pool } = world.database
    const { kyc } = world.app.product
    await transact(pool, (tx) => kyc.retire(tx, { userId: BigInt(person.id), at: new Date() }))
    const queryRedactions = () => pool.query('select from kyc_redaction')
    expect([(await loadRow(world, person)) as unknown, (await queryRedactions()).rowCount]).toEqual([undefined, 1])
    await pool.query(`insert into kyc_redaction values ('gone', 'x', now() - interval '1 day')`)
    expect(await kyc.runDueRedactions()).toBe(1)
    expect((await queryRedactions()).rowCount, 'of a provider that is not configured').toBe(1)
  })
})

describe('without events', () => {
  let world: TestApp
  beforeAll(async () => {
    world = await startTestApp({ events: 'lost' })
  })
  afterAll(() => world.close())

  const buildCheckEvent = (reference: string, change: object = {}) =>
    JSON.stringify({
      ...{ id: randomUUID(), type: 'identity.verified', created_at: new Date().toISOString() },
      data: { check_id: 'ck_any', reference, status: 'verified' },
      ...change,
    })

  /** Waits until the provider's reviewer has decided, without an event. */
  async function waitForProviderDecision(person: TestPerson): Promise<void> {
    const { provider_check_id: checkId } = await loadRow(world, person)
    const headers = { authorization: `Bearer ${world.sandboxSecret}` }
    const loadCheck = async () => {
      const answer = await fetch(`${world.sandboxUrl}/api/kyc/checks/${checkId}`, { headers })
      return ((await answer.json()) as { status?: string }).status
    }
    await expect.poll(loadCheck).toMatch(/^(verified|rejected)$/)
  }

  test('a reader and the worker both find the answer', async () => {
    const [presentPerson, absentPerson] = [await enrollNewcomer(world), await enrollNewcomer(world)]
    await send(presentPerson, { lastName: 'Lost' })
    await expect.poll(async () => (await loadState(presentPerson)).status).toBe('verified')
    await send(absentPerson, { lastName: 'Lost' })
    await waitForProviderDecision(absentPerson)
    await world.app.product.kyc.resumePending(new Date(Date.now() + 60_000))
    expect((await loadRow(world, absentPerson)).status).toBe('verified')
  })

  test('an event is applied once, in any order, and only signals a change', async () => {
    const person = await enrollNewcomer(world)
    await send(person, { lastName: 'Rejected' })
    const { id } = await loadRow(world, person)
    await waitForProviderDecision(person)
    // The event claims another verdict than the provider's.
    const event = buildCheckEvent(id)
    for (let deliveryIndex = 0; deliveryIndex < 3; deliveryIndex += 1)
      expect((await deliver(world, event)).status).toBe(204)
    expect((await loadRow(world, person)).status).toBe('rejected')
    const { id: eventId } = JSON.parse(event) as { id: string }
    const { rowCount } = await world.database.pool.query('select from kyc_event where id = $1', [eventId])
    expect(rowCount).toBe(1)
    expect((await deliver(world, buildCheckEvent(id, { type: 'identity.needs_information' }))).status).toBe(204)
    expect((await loadRow(world, person)).status).toBe('rejected')
    expect((await deliver(world, buildCheckEvent(randomUUID()))).status, 'about nobody').toBe(204)
  })

  test('a forged, changed or old event changes nothing', async () => {
    const person = await enrollNewcomer(world)
    await send(person)
    const event = buildCheckEvent((await loadRow(world, person)).id)
    await waitForProviderDecision(person)
    const forgeries = [
      { secret: 'of-somebody-else-entirely' },
      { sent: event.replace('verified', 'rejected') },
      { seconds: -301 },
      { seconds: 301 },
    ]
    for (const forgedSignature of forgeries) {
      const answer = await deliver(world, event, forgedSignature)
      expect([answer.status, answer.body.code], JSON.stringify(forgedSignature)).toEqual([400, 'signature_invalid'])
    }
    expect((await loadRow(world, person)).status).toBe('pending')
    expect((await deliver(world, event, { seconds: -290 })).status).toBe(204)
    expect((await loadRow(world, person)).status).toBe('verified')
  })

  test('an event must be sent again while its provider does not answer', async () => {
    const person = await enrollNewcomer(world)
    await send(person)
    const { id } = await loadRow(world, person)
    await world.database.pool.query(`update kyc_submission set provider_check_id = 'ck_nobody' where id = $1`, [id])
    const body = buildCheckEvent(id)
    expect((await deliver(world, body)).status).toBe(500)
    const seconds = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', world.sandboxSecret).update(`${seconds}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'sandbox-signature': `t=${seconds},v1=${signature}` }
    expect((await world.raw('POST', '/webhooks/nobody', { body, headers })).status).toBe(404)
    expect((await loadRow(world, person)).status).toBe('pending')
  })
})
