import { afterAll, describe, expect, test } from 'vitest'
import { createForm, startTestKyc } from '@tern/testkit/kyc/kyc'
import { transact } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { createSeal } from '../../platform/seal.ts'
import { setKycStatus, type SignedIn } from '../identity/identity.ts'
import { createKyc } from './kyc.ts'
import { insertSubmission } from './records/submission.ts'
import { startProvider, verdictReply } from '@tern/testkit/kyc/provider'

const world = await startTestKyc()
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
    expect(await world.loadBaseCurrency(marie)).toBe('EUR')
    expect(await world.identity.searchUsers({ query: 'marie', exact: false })).toMatchObject([{ name: 'M. D.' }])
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
    const resubmission = await world.submit(person, { currencyPreference: 'GBP', firstName: 'Other' })
    expect(resubmission.statusCode).toBe(409)
    expect(resubmission.json().code).toBe('already_verified')
    expect(await world.loadBaseCurrency(person)).toBe('EUR')
  })

  test('can be retried when rejected or incomplete', async () => {
    const person = await world.signUp('again')
    expect((await world.submit(person, { lastName: 'Rejected' })).json().status).toBe('rejected')
    const reply = await world.submit(person, { documentNumber: '0000' })
    expect(reply.json()).toMatchObject({
      status: 'needs_information',
      reasons: [{ field: 'documentNumber' }],
    })
    expect((await world.status(person)).json()).toEqual(reply.json())
    expect(await world.isVerified(person)).toBe(false)
    expect(await world.loadBaseCurrency(person)).toBe('USD')
    expect((await world.submit(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.isVerified(person)).toBe(true)
    const notices = world.notifications.recordedNotices.filter(({ userId }) => userId === BigInt(person.user.id))
    expect(notices.map(({ code, params }) => [code, params])).toEqual(
      ['rejected', 'needs_information', 'verified'].map((result) => ['verification_result', { status: result }]),
    )
  })

  test('in review refuses another form and polls the provider until it decides', async () => {
    const person = await world.signUp('review')
    expect((await world.submit(person, { lastName: 'Review' })).json().status).toBe('in_review')
    const laterSubmission = await world.submit(person)
    expect([laterSubmission.statusCode, laterSubmission.json().code]).toEqual([409, 'verification_running'])
    world.pass(31_000)
    expect(await world.kyc.resumePending()).toBe(0)
    expect((await world.status(person)).json().status).toBe('in_review')
    expect(await world.isVerified(person)).toBe(false)
    const { provider, references, stop } = await startProvider(() => verdictReply('verified'))
    const laterKyc = createKyc(world.optionsWith(provider))
    expect(await laterKyc.resumePending()).toBe(0)
    world.pass(31_000)
    expect(await laterKyc.resumePending()).toBe(1)
    await stop()
    // The check was polled once, by the provider's own id.
    expect(references).toEqual([expect.stringMatching(/^ck_/)])
    expect((await world.status(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await world.isVerified(person)).toBe(true)
    expect((await world.identity.currentUser(BigInt(person.user.id))).name).toBe('Marie Review')
  })

  test('can be rejected after review, and then accepts another form', async () => {
    const person = await world.signUp('doubted')
    await world.submit(person, { lastName: 'Review' })
    const { provider, stop } = await startProvider(() => verdictReply('rejected'))
    expect(await createKyc(world.optionsWith(provider)).resumePending(new Date(world.now().getTime() + 1))).toBe(1)
    await stop()
    expect((await world.status(person)).json().status).toBe('rejected')
    expect((await world.submit(person)).json().status).toBe('verified')
  })

  test('accepts ten forms a minute per person', async () => {
    const [hastyUser, otherUser] = [await world.signUp('hasty'), await world.signUp('unhurried')]
    for (let submissionIndex = 0; submissionIndex < 10; submissionIndex += 1)
      expect((await world.submit(hastyUser, { lastName: 'Rejected' })).statusCode).toBe(200)
    const refusedSubmission = await world.submit(hastyUser)
    expect([refusedSubmission.statusCode, refusedSubmission.json().code]).toEqual([429, 'rate_limited'])
    expect(refusedSubmission.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect((await world.status(hastyUser)).json().status).toBe('rejected')
    expect((await world.submit(otherUser)).json().status).toBe('verified')
  })

  test('is hidden from other people', async () => {
    const [firstUser, secondUser] = [await world.signUp('mine'), await world.signUp('theirs')]
    for (const reply of [
      await world.submit(firstUser, {}, secondUser.user.id),
      await world.status(firstUser, secondUser.user.id),
    ]) {
      expect(reply.statusCode).toBe(404)
      expect(reply.json().code).toBe('not_found')
    }
    expect((await world.submit(firstUser, {}, 1)).statusCode).toBe(422)
    expect((await world.submit({ ...firstUser, accessToken: 'x' })).statusCode).toBe(401)
    expect((await world.status({ ...firstUser, accessToken: 'x' })).statusCode).toBe(401)
    expect((await world.status(secondUser)).json().status).toBe('not_started')
  })

  test.each<[string, object, string?]>([
    ['firstName', { firstName: ' ' }, 'First name is required'],
    ['lastName', { lastName: undefined }, 'Last name is required'],
    ['firstName', { firstName: undefined }, 'First name is required'],
    ['firstName', { firstName: '', singleName: false }, 'First name is required'],
    ['firstName', { firstName: 'Marie', singleName: true }],
    ['lastName', { firstName: '', lastName: '', singleName: true }, 'Name is required'],
    ['lastName', { lastName: '-' }],
    ['firstName', { firstName: '.' }],
    ['firstName', { firstName: '정은' }],
    ['lastName', { lastName: 'Παπαδόπουλος' }],
    ['lastName', { lastName: 'Durand2' }],
    ['localName', { localName: '…' }],
    ['singleName', { singleName: 'yes' }],
    ['nationality', { nationality: 'Atlantis' }, 'Choose your nationality from the list, or Stateless'],
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
  ])('names an invalid %s: %j', async (field, invalidFields, message) => {
    const person = await (invalidFormPerson ??= world.signUp('wrong'))
    const reply = await world.submit(person, invalidFields)
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
  let invalidFormPerson: Promise<SignedIn> | undefined
})

describe('names', () => {
  const loadProfile = async (person: SignedIn) => world.identity.userProfile(BigInt(person.user.id))

  test('a single name is verified without a first one, and is shown everywhere', async () => {
    const person = await world.signUp('suharto')
    const form = { lastName: 'Suharto', singleName: true, firstName: undefined }
    expect((await world.submit(person, form)).json()).toMatchObject({ status: 'verified' })
    expect(await world.identity.currentUser(BigInt(person.user.id))).toMatchObject({
      name: 'Suharto',
      profile: { first_name: 'Suharto' },
    })
    expect(await world.identity.searchUsers({ query: 'suharto', exact: false })).toMatchObject([{ name: 'S.' }])
    expect(await loadProfile(person)).toMatchObject({ name: 'Suharto' })
    const verifiedForm = await world.kyc.verifiedForm(world.database.pool, BigInt(person.user.id))
    expect(verifiedForm).toMatchObject({ firstName: '', lastName: 'Suharto' })
  })

  test('a name in its own script is shown with the whole name, until another form replaces it', async () => {
    const person = await world.signUp('taro')
    const nameFields = { firstName: 'Taro', lastName: 'Yamada', localName: ' 山田 太郎 ' }
    expect((await world.submit(person, { ...nameFields, documentNumber: '0000' })).json().status).toBe(
      'needs_information',
    )
    expect(await loadProfile(person)).not.toHaveProperty('local_name')
    expect((await world.submit(person, nameFields)).json().status).toBe('verified')
    expect(await loadProfile(person)).toMatchObject({ name: 'Taro Yamada', local_name: '山田 太郎' })
    expect(await world.identity.searchUsers({ query: 'taro', exact: false })).toEqual([
      expect.not.objectContaining({ local_name: expect.anything() }),
    ])
    expect(await world.kyc.localNamesOf(world.database.pool, BigInt(person.user.id))).toMatchObject([
      { local_name: '山田 太郎' },
      { local_name: '山田 太郎' },
    ])
    const { pool } = world.database
    await pool.query(`update app_user set kyc_status = 'needs_information' where id = $1`, [person.user.id])
    expect(await loadProfile(person)).not.toHaveProperty('local_name')
    expect((await world.submit(person, { firstName: 'Taro', lastName: 'Yamada' })).json().status).toBe('verified')
    expect(await loadProfile(person)).not.toHaveProperty('local_name')
  })

  test('an old form in another script is still decided, and its user stays verified', async () => {
    const person = await world.signUp('earlier')
    const id = newId(world.now())
    const userId = BigInt(person.user.id)
    const form = { ...createForm(), firstName: '太郎', lastName: '山田' }
    const seal = createSeal(Buffer.alloc(32, 7), 'kyc/numbers')
    await transact(world.database.pool, async (tx) => {
      await insertSubmission({ seal }, tx, { id, userId, provider: 'sandbox', form, at: new Date(0) })
      await setKycStatus(tx, { userId, status: 'pending' })
    })
    await world.kyc.beginCheck(id)
    await expect.poll(async () => (await world.status(person)).json().status, { timeout: 30_000 }).toBe('verified')
    expect(await loadProfile(person)).toMatchObject({ name: '太郎 山田' })
  })
})

/** Message that refuses a number in the right format that no office can have issued. */
const describeUnissued = (name: string) => `No ${name} with this number can exist. Please check it for a wrong digit`
test.each([
  ['United States', '078-05-1120', describeUnissued('SSN')],
  ['United States', '219-09-9999', describeUnissued('SSN')],
  ['United States', '457-55-5462', describeUnissued('SSN')],
  ['United States', '536-90-4399', '536-90-4399'],
  ['United States', '912-90-3456', "An ITIN can't be used here. Enter your Social Security Number"],
  ['United States', '536904399', 'SSN must be in format XXX-XX-XXXX'],
  ['Australia', '100 000 06', '100 000 06'],
  ['Australia', '100 000 19', '100 000 19'],
  ['Australia', '123 456 782', '123 456 782'],
  ['Australia', '999 999 999', describeUnissued('TFN')],
  ['Germany', '36 574 261 809', '36574261809'],
  ['Germany', '65 929 970 489', '65929970489'],
  ['Germany', '36554266806', describeUnissued('TIN')],
  ['France', '2 95 10 99 126 111 93', '2 95 10 99126 111 93'],
  ['France', '2 53 07 2B073 004 70', '2 53 07 2B073 004 70'],
  ['France', '2 53 07 2A073 004 43', '2 53 07 2A073 004 43'],
  ['India', '2341 2341 2346', '2341 2341 2346'],
  ['India', '2000 0990 0002', describeUnissued('Aadhaar')],
  ['India', '2000 1991 0002', describeUnissued('Aadhaar')],
  ['Brazil', '390.533.447-05', '390.533.447-05'],
  ['Brazil', '231.002.999-00', describeUnissued('CPF')],
  ['Canada', '123-456-782', '123-456-782'],
  ['Canada', '999-999-998', '999-999-998'],
  ['United Kingdom', 'QQ 12 34 56 C', describeUnissued('NINO')],
  ['United Kingdom', 'AB 12 34 56 C', 'AB123456C'],
])('%s: the number %s gives %s', async (country, idNumber, expected) => {
  numberIndex += 1
  const person = await world.signUp(`numbered${numberIndex}`)
  const reply = await world.submit(person, { country, idNumber })
  const [storedNumber] = await world.kyc.numbersOf(world.database.pool, BigInt(person.user.id))
  expect(reply.json().errors?.[0]?.message ?? storedNumber?.number).toBe(expected)
})
let numberIndex = 0

test.each([
  ['ABMXA3211G', /fourth letter/],
  ['AAACA1234F', /fourth letter/],
  ['ACUPA0000R', /No PAN card/],
  ['acupa 7085 r', undefined],
])('the PAN %s: %s', async (panCard, message) => {
  numberIndex += 1
  const person = await world.signUp(`taxed${numberIndex}`)
  const reply = await world.submit(person, { country: 'India', panCard })
  if (message)
    expect(reply.json().errors).toMatchObject([{ field: 'panCard', message: expect.stringMatching(message) }])
  else
    expect(await world.kyc.numbersOf(world.database.pool, BigInt(person.user.id))).toContainEqual(
      expect.objectContaining({ kind: 'panCard', number: 'ACUPA7085R' }),
    )
})

test.each(['Vietnam', 'Stateless', 'Refugee', 'Indonesia', 'Côte d’Ivoire'])(
  'a resident of a supported country can have the nationality %s',
  async (nationality) => {
    numberIndex += 1
    const person = await world.signUp(`citizen${numberIndex}`)
    expect((await world.submit(person, { nationality })).json()).toMatchObject({ status: 'verified' })
  },
)
