import { countryOf, type DocumentType } from '@tern/contract/countries'
import type { VerificationForm } from '@tern/contract/kyc'
import { type IdentityPayload, identityPayload, type NaturalPerson } from './ivms101.ts'

/** One of the two people of a transfer. */
export interface Party {
  readonly userId: bigint
  readonly username: string
  /** What verified them; undefined of somebody who only receives. */
  readonly form: VerificationForm | undefined
  /** The wallet, or a bank's name and the last digits of an account there. */
  readonly account: string
}

// The national number of a form is a tax or social security number, which in most of the ten countries may be passed on for their
// own purpose only (docs/travel-rule.md). The document's number serves here.
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

/** A text in pieces of at most one address line. */
function linesOf(line: string): string[] {
  const characters = Array.from(line)
  const lines: string[] = []
  for (let from = 0; from < characters.length; from += longestLine) {
    lines.push(characters.slice(from, from + longestLine).join(''))
  }
  return lines.map((each) => each.trim()).filter((each) => each !== '')
}

const shortened = (text: string, most: number): string => Array.from(text).slice(0, most).join('').trim()

function addressOf({ streetAddress, city, state, postalCode, country }: VerificationForm) {
  const code = countryOf(country)?.code
  if (code === undefined) return {}
  const addressLine = [...linesOf(streetAddress), ...linesOf(`${city}, ${state}`)]
  const postCode = shortened(postalCode, 16)
  return {
    // The town stands in the lines too, whole.
    geographicAddress: [
      { addressType: 'HOME' as const, addressLine, townName: shortened(city, 35), postCode, country: code },
    ],
    countryOfResidence: code,
  }
}

function documentOf({ documentType, documentNumber, issuingCountry, country }: VerificationForm) {
  const nationalIdentifierType = documentCodes[documentType]
  if (nationalIdentifierType === undefined || Array.from(documentNumber).length > 35) return {}
  const countryOfIssue = countryOf(issuingCountry || country)?.code
  return {
    nationalIdentification: {
      nationalIdentifier: documentNumber,
      nationalIdentifierType,
      ...(countryOfIssue ? { countryOfIssue } : {}),
    },
  }
}

/** A single name is the primary identifier alone. The name in its own script is one text, since forms do not divide it. */
function nameOf({ lastName: primaryIdentifier, firstName, localName }: VerificationForm): NaturalPerson['name'] {
  const nameIdentifierType = 'LEGL'
  const given = firstName === '' ? {} : { secondaryIdentifier: firstName }
  const local = localName && shortened(localName, 100)
  return {
    nameIdentifier: [{ primaryIdentifier, ...given, nameIdentifierType }],
    ...(local ? { localNameIdentifier: [{ primaryIdentifier: local, nameIdentifierType }] } : {}),
  }
}

function personOf({ userId, username, form }: Party): NaturalPerson {
  const customerIdentification = String(userId)
  if (!form) {
    const name = { primaryIdentifier: username, nameIdentifierType: 'MISC' as const }
    return { name: { nameIdentifier: [name] }, customerIdentification }
  }
  return {
    name: nameOf(form),
    ...addressOf(form),
    ...documentOf(form),
    customerIdentification,
  }
}

/** The message about a transfer. Throws for one that the standard does not allow. */
export const payloadOf = (originator: Party, beneficiary: Party): IdentityPayload =>
  identityPayload.parse({
    originator: { originatorPersons: [{ naturalPerson: personOf(originator) }], accountNumber: [originator.account] },
    beneficiary: {
      beneficiaryPersons: [{ naturalPerson: personOf(beneficiary) }],
      accountNumber: [beneficiary.account],
    },
  })
