import * as z from 'zod/mini'

// The part of the data standard IVMS 101 (interVASP, issue 1 of 2020) that people have: nobody here is a legal person. Names, lengths
// and constraints are the standard's; a field that it does not know is refused.

// The standard counts characters, of which a string counts some twice.
const isAtMost = (most: number) => (value: string) => Array.from(value).length <= most
const text = (most: number) => z.string().check(z.minLength(1), z.refine(isAtMost(most)), z.trim())
const country = z.string().check(z.regex(/^[A-Z]{2}$/))

const nameIdentifier = z.strictObject({
  /** Family name, or the only name. */
  primaryIdentifier: text(100),
  /** Given names. */
  secondaryIdentifier: z.optional(text(100)),
  /** Legal name, or any other. */
  nameIdentifierType: z.enum(['LEGL', 'MISC']),
})

const geographicAddress = z.strictObject({
  addressType: z.enum(['HOME', 'BIZZ', 'GEOG']),
  // ValidAddress (C8): address lines, or a street with a building.
  addressLine: z.array(text(70)).check(z.minLength(1), z.maxLength(7)),
  townName: text(35),
  postCode: z.optional(text(16)),
  country,
})

const nationalIdentification = z.strictObject({
  nationalIdentifier: text(35),
  /** Passport, driver's licence, identity card, residence permit, other. */
  nationalIdentifierType: z.enum(['CCPT', 'DRLC', 'IDCD', 'ARNU', 'MISC']),
  countryOfIssue: z.optional(country),
})

const dateAndPlaceOfBirth = z.strictObject({
  dateOfBirth: z.iso.date(),
  placeOfBirth: text(70),
})

const naturalPerson = z.strictObject({
  name: z.strictObject({
    nameIdentifier: z.array(nameIdentifier).check(z.minLength(1)),
    /** The name in its own script. */
    localNameIdentifier: z.optional(z.array(nameIdentifier).check(z.minLength(1))),
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

/** OriginatorInformation (C1): beside the name, at least one thing by which the person can be told from others. */
const isIdentified = ({ naturalPerson: known }: Person): boolean =>
  known.geographicAddress !== undefined ||
  known.customerIdentification !== undefined ||
  known.nationalIdentification !== undefined ||
  known.dateAndPlaceOfBirth !== undefined

const originatorPersons = z.array(person).check(
  z.minLength(1),
  z.refine((persons) => persons.every(isIdentified), 'an originator needs more than a name'),
)

/** What goes with a transfer: who pays, from where, whom, and where to. */
export const identityPayload = z.strictObject({
  originator: z.strictObject({ originatorPersons, accountNumber: accountNumbers }),
  beneficiary: z.strictObject({
    beneficiaryPersons: z.array(person).check(z.minLength(1)),
    accountNumber: accountNumbers,
  }),
})
export type IdentityPayload = z.output<typeof identityPayload>
export type NaturalPerson = z.output<typeof naturalPerson>
