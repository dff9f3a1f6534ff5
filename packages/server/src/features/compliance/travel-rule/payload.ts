import { findCountry, type DocumentType } from '@tern/contract/countries'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import { findCountryCode } from '../screening/lists/countries.ts'
import { hasOtherScriptParts, latinName } from '../screening/names/latin-name.ts'
import { type IdentityPayload, identityPayload, type NaturalPerson } from './ivms101.ts'

export interface Party {
  readonly userId: bigint
  readonly username: string
  /** Form by which they were verified; undefined for an unverified recipient. */
  readonly form: VerificationForm | undefined
  /** Wallet id, or a bank's name with the last digits of the account. */
  readonly account: string
}

// Codes of documents. The national number of a form is a tax or social security number, which most of the ten countries
// allow to be passed on for its own purpose only (docs/travel-rule.md), so the document number is used.
const documentCodes: Readonly<Partial<Record<DocumentType, 'CCPT' | 'DRLC' | 'IDCD' | 'ARNU'>>> = {
  passport: 'CCPT',
  drivers_license: 'DRLC',
  national_id: 'IDCD',
  nric: 'IDCD',
  voters_id: 'IDCD',
  residence_permit: 'ARNU',
  residence_card: 'ARNU',
  pr_card: 'ARNU',
}

const longestLine = 70

/** Splits a text into address lines of the permitted length. */
function splitLines(line: string): string[] {
  const characters = Array.from(line)
  const lines: string[] = []
  for (let from = 0; from < characters.length; from += longestLine) {
    lines.push(characters.slice(from, from + longestLine).join(''))
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

const shortenText = (text: string, maxLength: number): string => Array.from(text).slice(0, maxLength).join('').trim()

function buildAddress({ streetAddress, city, state, postalCode, country }: VerificationForm) {
  const code = findCountry(country)?.code
  if (code === undefined) return {}
  const addressLine = [...splitLines(streetAddress), ...splitLines(`${city}, ${state}`)]
  const address = {
    addressType: 'HOME' as const,
    // Contains town and state in full; the fields below may be shortened.
    addressLine,
    townName: shortenText(city, 35),
    countrySubDivision: shortenText(state, 35),
    postCode: shortenText(postalCode, 16),
    country: code,
  }
  return { geographicAddress: [address], countryOfResidence: code }
}

function buildDocument({ documentType, documentNumber, issuingCountry, country }: VerificationForm) {
  const nationalIdentifierType = documentCodes[documentType]
  if (nationalIdentifierType === undefined || Array.from(documentNumber).length > 35) return {}
  const countryOfIssue = findCountryCode(issuingCountry || country)
  return {
    nationalIdentification: {
      nationalIdentifier: documentNumber,
      nationalIdentifierType,
      ...(countryOfIssue ? { countryOfIssue } : {}),
    },
  }
}

const longestName = 100

/** Returns a name identifier; a single name becomes the primary identifier. */
function buildIdentifier(family: string, givenName: string) {
  const nameIdentifierType = 'LEGL' as const
  const [primaryIdentifier = '', secondaryIdentifier] = [family, givenName]
    .map((part) => shortenText(part, longestName))
    .filter((part) => part !== '')
  return secondaryIdentifier === undefined
    ? { primaryIdentifier, nameIdentifierType }
    : { primaryIdentifier, secondaryIdentifier, nameIdentifierType }
}

const usernameIdentifier = ({ username }: Party) => ({
  primaryIdentifier: username,
  nameIdentifierType: 'MISC' as const,
})

/**
 * Returns the legal name in Latin letters, transliterated if necessary, and the name in the person's own script. The
 * username replaces a name that cannot be transliterated.
 */
function buildName(party: Party, form: VerificationForm): NaturalPerson['name'] {
  const formName = { family: form.lastName, given: form.firstName }
  const { family, given } = latinName(formName, [form.nationality, form.country])
  const hasLatin = /\p{L}/u.test(family + given)
  const nameIdentifier = [hasLatin ? buildIdentifier(family, given) : usernameIdentifier(party)]
  const localName = form.localName?.trim() ?? ''
  if (localName !== '') return { nameIdentifier, localNameIdentifier: [buildIdentifier(localName, '')] }
  return hasOtherScriptParts(formName)
    ? { nameIdentifier, localNameIdentifier: [buildIdentifier(formName.family, formName.given)] }
    : { nameIdentifier }
}

function buildPerson(party: Party): NaturalPerson {
  const customerIdentification = String(party.userId)
  const { form } = party
  if (!form) return { name: { nameIdentifier: [usernameIdentifier(party)] }, customerIdentification }
  return { name: buildName(party, form), ...buildAddress(form), ...buildDocument(form), customerIdentification }
}

/** Returns the IVMS 101 message about a transfer. Throws if the standard does not allow the data. */
export const buildPayload = (originator: Party, beneficiary: Party): IdentityPayload =>
  identityPayload.parse({
    originator: {
      originatorPersons: [{ naturalPerson: buildPerson(originator) }],
      accountNumber: [originator.account],
    },
    beneficiary: {
      beneficiaryPersons: [{ naturalPerson: buildPerson(beneficiary) }],
      accountNumber: [beneficiary.account],
    },
  })
