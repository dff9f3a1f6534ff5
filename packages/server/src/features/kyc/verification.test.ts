import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestKyc, type TestKyc } from '../../../../../tools/testing/people/test-kyc.ts'
import type { SignedIn } from '../identity/identity.ts'
import { createKyc } from './kyc.ts'
import { startProvider, verdict } from './test-provider.ts'

let world: TestKyc

beforeAll(async () => {
  world = await startTestKyc()
})
afterAll(() => world.close())

describe('verification', () => {
  test('updates status, name and base currency for the very next call', async () => {
    const marie = await world.signUp('marie')
    expect((await world.status(marie)).json()).toEqual({ status: 'not_started', reasons: [], next_step: null })
    expect(await world.isVerified(marie)).toBe(false)
    const reply = await world.submit(marie)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.isVerified(marie)).toBe(true)
    expect((await world.status(marie)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.identity.currentUser(BigInt(marie.user.id))).toMatchObject({
      kyc_status: 'verified',
      name: 'Marie Durand',
      profile: { first_name: 'Marie' },
    })
    expect(await world.baseCurrencyOf(marie)).toBe('EUR')
    expect(await world.identity.searchUsers('marie', false)).toMatchObject([{ name: 'M. D.' }])
  })

  test('replaces the chosen name with the legal one', async () => {
    const person = await world.signUp('mimi', 'Mimi the Great')
    await world.submit(person)
    expect(await world.identity.currentUser(BigInt(person.user.id))).toMatchObject({
      name: 'Marie Durand',
      profile: { first_name: 'Marie' },
    })
  })

  test('happens once', async () => {
    const person = await world.signUp('once')
    expect((await world.submit(person)).statusCode).toBe(200)
    const again = await world.submit(person, { currencyPreference: 'GBP', firstName: 'Other' })
    expect(again.statusCode).toBe(409)
    expect(again.json().code).toBe('already_verified')
    expect(await world.baseCurrencyOf(person)).toBe('EUR')
  })

  test('can be retried when rejected or incomplete', async () => {
    const person = await world.signUp('again')
    expect((await world.submit(person, { lastName: 'Rejected' })).json().status).toBe('rejected')
    const needs = await world.submit(person, { documentNumber: '0000' })
    expect(needs.json()).toMatchObject({ status: 'needs_information', reasons: [{ field: 'documentNumber' }] })
    expect((await world.status(person)).json()).toEqual(needs.json())
    expect(await world.isVerified(person)).toBe(false)
    expect(await world.baseCurrencyOf(person)).toBe('USD')
    expect((await world.submit(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.isVerified(person)).toBe(true)
    const told = world.notifications.told.filter(({ userId }) => userId === BigInt(person.user.id))
    expect(told.map(({ code, params }) => [code, params])).toEqual(
      ['rejected', 'needs_information', 'verified'].map((result) => ['verification_result', { status: result }]),
    )
  })

  test('in review refuses another form and polls the provider until it decides', async () => {
    const person = await world.signUp('review')
    expect((await world.submit(person, { lastName: 'Review' })).json().status).toBe('in_review')
    const another = await world.submit(person)
    expect([another.statusCode, another.json().code]).toEqual([409, 'verification_running'])
    world.pass(31_000)
    expect(await world.kyc.resumePending()).toBe(0)
    expect((await world.status(person)).json().status).toBe('in_review')
    expect(await world.isVerified(person)).toBe(false)
    const { provider, references, stop } = await startProvider(() => verdict('verified'))
    const decided = createKyc(world.optionsWith(provider))
    expect(await decided.resumePending()).toBe(0)
    world.pass(31_000)
    expect(await decided.resumePending()).toBe(1)
    await stop()
    // By the name that its provider gave it.
    expect(references).toEqual([expect.stringMatching(/^ck_/)])
    expect((await world.status(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.isVerified(person)).toBe(true)
    expect((await world.identity.currentUser(BigInt(person.user.id))).name).toBe('Marie Review')
  })

  test('can be rejected after review, and then accepts another form', async () => {
    const person = await world.signUp('doubted')
    await world.submit(person, { lastName: 'Review' })
    const { provider, stop } = await startProvider(() => verdict('rejected'))
    expect(await createKyc(world.optionsWith(provider)).resumePending(new Date(world.now().getTime() + 1))).toBe(1)
    await stop()
    expect((await world.status(person)).json().status).toBe('rejected')
    expect((await world.submit(person)).json().status).toBe('verified')
  })

  test('accepts ten forms a minute per person', async () => {
    const [hasty, other] = [await world.signUp('hasty'), await world.signUp('unhurried')]
    for (let sent = 0; sent < 10; sent += 1)
      expect((await world.submit(hasty, { lastName: 'Rejected' })).statusCode).toBe(200)
    const refused = await world.submit(hasty)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect((await world.status(hasty)).json().status).toBe('rejected')
    expect((await world.submit(other)).json().status).toBe('verified')
  })

  test('is hidden from other people', async () => {
    const [mine, theirs] = [await world.signUp('mine'), await world.signUp('theirs')]
    for (const reply of [await world.submit(mine, {}, theirs.user.id), await world.status(mine, theirs.user.id)]) {
      expect(reply.statusCode).toBe(404)
      expect(reply.json().code).toBe('not_found')
    }
    expect((await world.submit(mine, {}, 1)).statusCode).toBe(422)
    expect((await world.submit({ ...mine, accessToken: 'x' })).statusCode).toBe(401)
    expect((await world.status({ ...mine, accessToken: 'x' })).statusCode).toBe(401)
    expect((await world.status(theirs)).json().status).toBe('not_started')
  })

  test.each<[string, object, string?]>([
    ['firstName', { firstName: ' ' }, 'First name is required'],
    ['lastName', { lastName: undefined }, 'Last name is required'],
    ['dateOfBirth', { dateOfBirth: '1990-02-30' }, 'Date of birth is required'],
    ['dateOfBirth', { dateOfBirth: '2999-01-01' }],
    ['country', { country: 'Atlantis' }, 'Country of residence is required'],
    ['nationality', { nationality: '' }, 'Nationality is required'],
    ['idNumber', { idNumber: '' }, 'INSEE is required'],
    ['idNumber', { country: 'United States', idNumber: '123456789' }, 'SSN must be in format XXX-XX-XXXX'],
    ['idNumber', { idNumber: 'x'.repeat(31) }],
    [
      'idNumber',
      { idNumber: '2 90 02 75123 456 22' },
      'No INSEE with this number can exist. Please check it for a wrong digit',
    ],
    ['panCard', { country: 'India', panCard: 'ABC' }, 'PAN card number must be in format ABCDE1234F'],
    [
      'dateOfBirth',
      { dateOfBirth: `${String(new Date().getUTCFullYear() - 17)}-01-01` },
      'You must be at least 18 years old to open a wallet',
    ],
    ['documentType', { documentType: 'library_card' }, 'Document type is required'],
    ['documentType', { documentType: 'nric' }],
    ['documentNumber', { documentNumber: '' }, 'Document number is required'],
    ['currencyPreference', { currencyPreference: 'BTC' }],
    ['streetAddress', { streetAddress: '' }, 'Street address is required'],
    ['city', { city: '\u0007' }],
    ['state', { state: '' }, 'State/Province is required'],
    ['postalCode', { postalCode: '' }, 'Postal code is required'],
    ['email', { email: 'x' }],
  ])('names an invalid %s: %j', async (field, wrong, message) => {
    const person = await (wrongForms ??= world.signUp('wrong'))
    const reply = await world.submit(person, wrong)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors).toContainEqual(
      expect.objectContaining({
        field,
        code: expect.stringMatching(/^[a-z_]+$/),
        message: message ?? expect.any(String),
      }),
    )
    expect((await world.status(person)).json().status).toBe('not_started')
  })
  let wrongForms: Promise<SignedIn> | undefined
})
