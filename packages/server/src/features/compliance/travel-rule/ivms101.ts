import * as z from 'zod/mini'

// IVMS 101 (interVASP, issue 1 of 2020) for natural persons; legal persons are not supported. Names, lengths and
// constraints are those of the standard; unknown fields are refused.

// The standard counts characters, not the UTF-16 units of `length`.
const isAtMost = (maxLength: number) => (value: string) => Array.from(value).length <= maxLength
const text = (maxLength: number) => z.string().check(z.minLength(1), z.refine(isAtMost(maxLength)), z.trim())
const country = z.string().check(z.regex(/^[A-Z]{2}$/))

const nameIdentifier = z.strictObject({
  /** Family name, or the only name. */
  primaryIdentifier: text(100),
  /** Given names. */
  secondaryIdentifier: z.optional(text(100)),
  /** Alias, birth name, maiden name, legal name, other. */
  nameIdentifierType: z.enum(['ALIA', 'BIRT', 'MAID', 'LEGL', 'MISC']),
})
const nameIdentifiers = z.array(nameIdentifier).check(z.minLength(1))

const geographicAddress = z
  .strictObject({
    addressType: z.enum(['HOME', 'BIZZ', 'GEOG']),
    department: z.optional(text(50)),
    subDepartment: z.optional(text(70)),
    streetName: z.optional(text(70)),
    buildingNumber: z.optional(text(16)),
    buildingName: z.optional(text(35)),
    floor: z.optional(text(70)),
    postBox: z.optional(text(16)),
    room: z.optional(text(70)),
    addressLine: z.optional(z.array(text(70)).check(z.minLength(1), z.maxLength(7))),
    townName: text(35),
    townLocationName: z.optional(text(35)),
    districtName: z.optional(text(35)),
    /** State, province or prefecture. */
    countrySubDivision: z.optional(text(35)),
    postCode: z.optional(text(16)),
    country,
  })
  .check(
    z.refine(
      ({ addressLine, streetName, buildingNumber, buildingName }) =>
        addressLine !== undefined || (streetName !== undefined && (buildingNumber ?? buildingName) !== undefined),
      'ValidAddress (C8): address lines, or a street with a building',
    ),
  )

const nationalIdentification = z.strictObject({
  nationalIdentifier: text(35),
  /**
   * Residence permit, passport, registration, driver's licence, foreign investor, tax number, social security, identity
   * card, legal entity, other.
   */
  nationalIdentifierType: z.enum(['ARNU', 'CCPT', 'RAID', 'DRLC', 'FIIN', 'TXID', 'SOCS', 'IDCD', 'LEIX', 'MISC']),
  countryOfIssue: z.optional(country),
  /** Registration authority code of the Global Legal Entity Identifier Foundation. */
  registrationAuthority: z.optional(z.string().check(z.regex(/^RA\d{6}$/))),
})

const dateAndPlaceOfBirth = z.strictObject({
  dateOfBirth: z.iso.date(),
  placeOfBirth: text(70),
})

const naturalPerson = z.strictObject({
  name: z.strictObject({
    /** In Latin letters. */
    nameIdentifier: nameIdentifiers,
    /** In the person's own script. */
    localNameIdentifier: z.optional(nameIdentifiers),
    phoneticNameIdentifier: z.optional(nameIdentifiers),
  }),
  geographicAddress: z.optional(z.array(geographicAddress).check(z.minLength(1))),
  nationalIdentification: z.optional(nationalIdentification),
  customerIdentification: z.optional(text(50)),
  dateAndPlaceOfBirth: z.optional(dateAndPlaceOfBirth),
  countryOfResidence: z.optional(country),
})

const person = z.strictObject({ naturalPerson })
type Person = z.output<typeof person>

const accountNumbers = z.array(text(100)).check(z.minLength(1))

/** OriginatorInformation (C1): an originator needs at least one identifying detail in addition to the name. */
const isIdentified = ({ naturalPerson: known }: Person): boolean =>
  known.geographicAddress !== undefined ||
  known.customerIdentification !== undefined ||
  known.nationalIdentification !== undefined ||
  known.dateAndPlaceOfBirth !== undefined

const originatorPersons = z.array(person).check(
  z.minLength(1),
  z.refine((persons) => persons.every(isIdentified), 'an originator needs more than a name'),
)

/** Information about a transfer: originator, beneficiary and their accounts. */
export const identityPayload = z.strictObject({
  originator: z.strictObject({ originatorPersons, accountNumber: accountNumbers }),
  beneficiary: z.strictObject({
    beneficiaryPersons: z.array(person).check(z.minLength(1)),
    accountNumber: accountNumbers,
  }),
})
export type IdentityPayload = z.output<typeof identityPayload>
export type NaturalPerson = z.output<typeof naturalPerson>
