import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import { money, type Money } from '@tern/money/money'
import { describe, expect, test } from 'vitest'
import { identityPayload } from './ivms101.ts'
import { type Party, buildPayload } from './payload.ts'
import { findRequirement, type Threshold } from './thresholds.ts'

const form: VerificationForm = {
  ...{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron', dateOfBirth: '1990-02-03' },
  ...{ country: 'Germany', nationality: 'France', idNumber: '65929970489', currencyPreference: 'EUR' },
  ...{ documentType: 'passport', documentNumber: 'C01X00T47', issuingCountry: 'France' },
  ...{ streetAddress: 'Lange Gasse 1', city: 'Berlin', state: 'Berlin', postalCode: '10115' },
}
const ada: Party = { userId: 7n, username: 'ada', form, account: '0193c5a0-0000-7000-8000-000000000001' }
const bo: Party = { userId: 8n, username: 'bo', form: undefined, account: '0193c5a0-0000-7000-8000-000000000002' }

describe('the message', () => {
  test('contains names, address, document, customer numbers and accounts in the standard’s fields', () => {
    expect(buildPayload(ada, bo)).toEqual({
      originator: {
        originatorPersons: [
          {
            naturalPerson: {
              name: {
                nameIdentifier: [
                  { primaryIdentifier: 'Byron', secondaryIdentifier: 'Ada', nameIdentifierType: 'LEGL' },
                ],
              },
              geographicAddress: [
                {
                  ...{ addressType: 'HOME', addressLine: ['Lange Gasse 1', 'Berlin, Berlin'], townName: 'Berlin' },
                  ...{ countrySubDivision: 'Berlin', postCode: '10115', country: 'DE' },
                },
              ],
              nationalIdentification: {
                ...{ nationalIdentifier: 'C01X00T47', nationalIdentifierType: 'CCPT', countryOfIssue: 'FR' },
              },
              customerIdentification: '7',
              countryOfResidence: 'DE',
            },
          },
        ],
        accountNumber: [ada.account],
      },
      beneficiary: {
        beneficiaryPersons: [
          {
            naturalPerson: {
              name: { nameIdentifier: [{ primaryIdentifier: 'bo', nameIdentifierType: 'MISC' }] },
              customerIdentification: '8',
            },
          },
        ],
        accountNumber: [bo.account],
      },
    })
  })

  test('has a single name as primary identifier alone, beside the name in its own script', () => {
    const singleNameForm = { ...form, firstName: '', lastName: 'Suharto', localName: 'ᮞᮥᮠᮁᮒ' }
    const [person] = buildPayload({ ...ada, form: singleNameForm }, bo).originator.originatorPersons
    expect(person!.naturalPerson.name).toEqual({
      nameIdentifier: [{ primaryIdentifier: 'Suharto', nameIdentifierType: 'LEGL' }],
      localNameIdentifier: [{ primaryIdentifier: 'ᮞᮥᮠᮁᮒ', nameIdentifierType: 'LEGL' }],
    })
  })

  test('never contains the national number, nor a card number derived from it', () => {
    const cards = (['aadhaar_card', 'my_number_card', 'pan_card', 'medicare_card'] as const).map((documentType) =>
      JSON.stringify(buildPayload({ ...ada, form: { ...form, documentType } }, bo)),
    )
    for (const text of [JSON.stringify(buildPayload(ada, bo)), ...cards]) expect(text).not.toContain('65929970489')
    for (const text of cards) expect(text).not.toContain('C01X00T47')
  })

  test('fits the longest valid form', () => {
    const longestForm = {
      ...form,
      ...{ firstName: 'Ä'.repeat(60), lastName: 'ß'.repeat(60), documentNumber: '9'.repeat(40) },
      ...{ streetAddress: '道'.repeat(120), city: 'x'.repeat(80), state: 'y'.repeat(80), postalCode: '1'.repeat(20) },
    }
    const [person] = buildPayload({ ...ada, form: longestForm }, bo).originator.originatorPersons
    const [address] = person!.naturalPerson.geographicAddress!
    expect(address!.addressLine!.join('')).toContain('x'.repeat(60))
    expect(address!.addressLine!.length).toBeLessThanOrEqual(7)
  })

  test('counts characters like the standard, not UTF-16 units', () => {
    const sixtyCharacterForm = {
      ...form,
      streetAddress: '𠮷'.repeat(60),
      city: '𠮷'.repeat(40),
      lastName: '𠮷'.repeat(60),
    }
    const [person] = buildPayload({ ...ada, form: sixtyCharacterForm }, bo).originator.originatorPersons
    expect(person!.naturalPerson.geographicAddress![0]).toMatchObject({
      addressLine: ['𠮷'.repeat(60), `${'𠮷'.repeat(40)}, Berlin`],
      townName: '𠮷'.repeat(35),
    })
    const longPayload = structuredClone(buildPayload({ ...ada, form: sixtyCharacterForm }, bo))
    Object.assign(readAddress(longPayload), { townName: '𠮷'.repeat(36) })
    expect(identityPayload.safeParse(longPayload).success).toBe(false)
  })

  test.each([
    [35, '9'.repeat(35)],
    [36, undefined],
  ])('a document number of %i characters', (length, nationalIdentifier) => {
    const longNumberParty = { ...ada, form: { ...form, documentNumber: '9'.repeat(length) } }
    const document = readOriginator(buildPayload(longNumberParty, bo)).nationalIdentification
    expect(document?.nationalIdentifier).toBe(nationalIdentifier)
  })

  test.each([
    ['France', 'FR'],
    ['Poland', 'PL'],
    ['pol', 'PL'],
    ['Korea, Republic of', 'KR'],
    ['Republic of Kosovo', 'XK'],
    ['', 'DE'],
    ['Atlantis', undefined],
    ['Stateless', undefined],
  ])('a document that %j issued', (issuingCountry, code) => {
    const document = readOriginator(
      buildPayload({ ...ada, form: { ...form, issuingCountry } }, bo),
    ).nationalIdentification
    expect(document?.countryOfIssue).toBe(code)
    expect(document?.nationalIdentifier).toBe(form.documentNumber)
  })

  const buildName = (change: Partial<VerificationForm>) =>
    readOriginator(buildPayload({ ...ada, form: { ...form, ...change } }, bo)).name
  const buildLegalName = (primaryIdentifier: string, secondaryIdentifier?: string) => [
    { primaryIdentifier, ...(secondaryIdentifier ? { secondaryIdentifier } : {}), nameIdentifierType: 'LEGL' },
  ]

  test.each([
    ['山田', '太郎', 'Germany', 'Yamada', 'Taro'],
    ['山田', '太郎', 'Japan', 'Yamada', 'Taro'],
    ['森', '太郎', 'Japan', 'Mori', 'Taro'],
    ['やまだ', 'はなこ', 'Germany', 'Yamada', 'Hanako'],
    ['王', '伟', 'Singapore', 'Wang', 'Wei'],
    ['김', '정은', 'Germany', 'Kim', 'Jong Un'],
    ['Παπαδόπουλος', 'Νικόλαος', 'Germany', 'Papadopoulos', 'Nikolaos'],
    ['शर्मा', 'राहुल', 'India', 'Sharma', 'Rahul'],
    ['Иванов', 'Иван', 'Germany', 'Ivanov', 'Ivan'],
  ] as const)(
    '%s %s of %s is %s %s in Latin letters, and stays as local name',
    (lastName, firstName, country, expectedFamily, expectedGiven) => {
      expect(buildName({ lastName, firstName, country, nationality: country })).toEqual({
        nameIdentifier: buildLegalName(expectedFamily, expectedGiven),
        localNameIdentifier: buildLegalName(lastName, firstName),
      })
    },
  )

  test('a Latin name is accompanied by the local name as submitted', () => {
    expect(buildName({ lastName: 'Yamada', firstName: 'Taro', localName: '山田 太郎' })).toEqual({
      nameIdentifier: buildLegalName('Yamada', 'Taro'),
      localNameIdentifier: buildLegalName('山田 太郎'),
    })
  })

  test('a single name is the primary identifier alone', () => {
    expect(buildName({ lastName: 'Sukarno', firstName: '' })).toEqual({ nameIdentifier: buildLegalName('Sukarno') })
    expect(buildName({ lastName: '', firstName: 'Sukarno' })).toEqual({ nameIdentifier: buildLegalName('Sukarno') })
    expect(buildName({ lastName: 'Αλέξανδρος', firstName: '' })).toEqual({
      nameIdentifier: buildLegalName('Alexandros'),
      localNameIdentifier: buildLegalName('Αλέξανδρος'),
    })
  })

  test('a name without letters is replaced by the username', () => {
    expect(buildName({ lastName: '🏦', firstName: '' }).nameIdentifier).toEqual([
      { primaryIdentifier: 'ada', nameIdentifierType: 'MISC' },
    ])
  })

  // Address in separate fields, as other institutions send it.
  const structuredAddress = {
    ...{ addressType: 'HOME', streetName: 'Harbour Row', buildingNumber: '28', postCode: '38001' },
    ...{ townName: 'Collier', countrySubDivision: 'TN', country: 'US' },
  }
  test('a structured address, further kinds of names and a national identifier are accepted', () => {
    const payload: Payload = structuredClone(buildPayload(ada, bo))
    const person = readOriginator(payload)
    Object.assign(person, {
      geographicAddress: [structuredAddress],
      nationalIdentification: {
        ...{ nationalIdentifier: '112-50-2920', nationalIdentifierType: 'SOCS', countryOfIssue: 'US' },
        registrationAuthority: 'RA777777',
      },
      dateAndPlaceOfBirth: { dateOfBirth: '1992-10-04', placeOfBirth: 'Islip, NY' },
    })
    person.name.nameIdentifier.push({ primaryIdentifier: 'Price', nameIdentifierType: 'MAID' })
    expect(identityPayload.parse(payload)).toEqual(payload)
    for (const invalidAddress of [
      { ...structuredAddress, buildingNumber: undefined },
      { ...structuredAddress, streetName: undefined },
      { ...structuredAddress, region: 'TN' },
    ]) {
      Object.assign(person, { geographicAddress: [JSON.parse(JSON.stringify(invalidAddress))] })
      expect(identityPayload.safeParse(payload).success).toBe(false)
    }
  })

  const damageCases: readonly (readonly [string, (payload: Payload) => void])[] = [
    ['a field that the standard lacks', (payload) => Object.assign(payload.originator, { vasp: 'x' })],
    ['no account', (payload) => payload.originator.accountNumber.splice(0)],
    ['a name without letters', (payload) => Object.assign(readName(payload), { primaryIdentifier: '' })],
    ['a type of name that is none', (payload) => Object.assign(readName(payload), { nameIdentifierType: 'NAME' })],
    [
      'a name over 100 characters',
      (payload) => Object.assign(readName(payload), { primaryIdentifier: 'x'.repeat(101) }),
    ],
    ['an address without a country', (payload) => void delete readAddress(payload).country],
    ['a country in words', (payload) => Object.assign(readAddress(payload), { country: 'Germany' })],
    ['an originator with nothing but a name', (payload) => keepNameOnly(payload)],
  ]
  test.each(damageCases)('%s is refused', (_case, damagePayload) => {
    const payload: Payload = structuredClone(buildPayload(ada, bo))
    damagePayload(payload)
    expect(identityPayload.safeParse(payload).success).toBe(false)
  })
})

type Payload = ReturnType<typeof buildPayload>
const readOriginator = (payload: Payload) => payload.originator.originatorPersons[0]!.naturalPerson
const readName = (payload: Payload) => readOriginator(payload).name.nameIdentifier[0]!
const readAddress = (payload: Payload): Partial<Record<string, unknown>> =>
  readOriginator(payload).geographicAddress![0]!
const keepNameOnly = (payload: Payload) => {
  const { name } = readOriginator(payload)
  Object.assign(payload.originator, { originatorPersons: [{ naturalPerson: { name } }] })
}

describe('a record is required', () => {
  const buildThreshold = (country: string, minimum: Money): [string, Threshold] => [
    country,
    { country, validFrom: '2026-01-01', minimum },
  ]
  const thresholds = new Map([
    buildThreshold('US', money('USD', 300_000n)),
    buildThreshold('CA', money('CAD', 100_000n)),
    buildThreshold('DE', money('EUR', 0n)),
    buildThreshold('JP', money('JPY', 100n)),
  ])
  // One Canadian dollar is worth 70 US cents; yen have no rate.
  const exchange = {
    hasRate: (currency: string) => currency === 'USD' || currency === 'CAD',
    usdMinorOf: ({ currency, minor }: Money) => (currency === 'USD' ? minor : (minor * 70n) / 100n),
  }
  const findRequiringCountry = (amount: Money, ...countries: (string | undefined)[]) => {
    const requirement = findRequirement({ exchange }, { amount, countries, thresholds })
    return requirement.isRequired ? (requirement.by?.country ?? 'unknown') : 'nothing'
  }

  test.each([
    ['below', 299_999n, ['US', 'US'], 'nothing'],
    ['at the threshold', 300_000n, ['US', 'US'], 'US'],
    ['the lower of two', 70_000n, ['US', 'CA'], 'CA'],
    ['below both', 69_999n, ['CA', 'US'], 'nothing'],
    ['no threshold at all', 1n, ['US', 'DE'], 'DE'],
    ['somebody without a country', 1n, ['US', undefined], 'unknown'],
    ['a country that is not listed', 1n, ['US', 'XX'], 'unknown'],
    ['a threshold without a rate', 1n, ['JP', 'US'], 'unknown'],
    ['nobody', 1n, [], 'unknown'],
  ] as const)('%s', (_name, amountCents, countries, country) => {
    expect(findRequiringCountry(money('USD', amountCents), ...countries)).toBe(country)
  })

  test('an amount without a rate is recorded', () => {
    expect(findRequiringCountry(money('BTC', 1n), 'US', 'US')).toBe('unknown')
  })
})
