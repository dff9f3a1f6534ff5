import type { Stripe } from 'stripe'
import { readText } from '../json.ts'
import { checkStripeSignature } from '../events/stripe.ts'
import { createStripeIdentitySetup } from '../stripe-setup/stripe-identity-setup.ts'
import {
  callStripe,
  connectStripe,
  toFailure,
  type StripeConnection,
  type StripeSettings,
  unreadable,
} from '../stripe-connection.ts'
import type {
  IdentityDetails,
  IdentityEvent,
  IdentityProvider,
  IdentityReason,
  IdentityResult,
  KnownIdentity,
} from './port.ts'

type Session = Stripe.Identity.VerificationSession
type Reason = Omit<IdentityReason, 'field'> & { readonly field: string }

/** Field and reason code by Stripe's `last_error.code`. */
const reasonsByCode: Readonly<Record<string, Reason>> = {
  abandoned: { field: 'check', code: 'check_not_finished' },
  consent_declined: { field: 'check', code: 'check_not_finished' },
  device_not_supported: { field: 'check', code: 'check_not_finished' },
  country_not_supported: { field: 'issuingCountry', code: 'document_not_accepted' },
  document_expired: { field: 'document', code: 'document_expired' },
  document_type_not_supported: { field: 'documentType', code: 'document_not_accepted' },
  document_unverified_other: { field: 'document', code: 'document_unreadable' },
  id_number_insufficient_document_data: { field: 'document', code: 'document_unreadable' },
  id_number_mismatch: { field: 'idNumber', code: 'differs_from_document' },
  id_number_unverified_other: { field: 'idNumber', code: 'not_confirmed' },
  selfie_document_missing_photo: { field: 'document', code: 'document_not_accepted' },
  selfie_face_mismatch: { field: 'selfie', code: 'selfie_not_matching' },
  selfie_manipulated: { field: 'selfie', code: 'reviewed_by_hand' },
  selfie_unverified_other: { field: 'selfie', code: 'selfie_not_matching' },
  under_supported_age: { field: 'dateOfBirth', code: 'too_young' },
}

/** Final statuses by error code, for errors that another attempt cannot resolve. */
const statusByCode: Readonly<Record<string, 'in_review' | 'rejected'>> = {
  selfie_manipulated: 'in_review',
  under_supported_age: 'rejected',
}

const documents: Readonly<Record<string, 'passport' | 'driving_license' | 'id_card'>> = {
  passport: 'passport',
  drivers_license: 'driving_license',
}

/** Expands the data read from documents, which only a restricted key may access. */
const withOutputs = { expand: ['verified_outputs', 'verified_outputs.dob'] }

const twoDigits = (part: number | null): string => String(part ?? 0).padStart(2, '0')

/** Splits a name into words for comparison: without accents, case and punctuation. */
const splitWords = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean)

/** Returns whether one name has all words of the other: documents often have more given names than people use. */
function isSameName(enteredName: string, found: string): boolean {
  const [fewerWords, moreWords] = [splitWords(enteredName), splitWords(found)].toSorted((a, b) => a.length - b.length)
  return fewerWords !== undefined && fewerWords.length > 0 && fewerWords.every((word) => moreWords?.includes(word))
}

// Placeholders for a missing name on some documents.
const noName = new Set(['FNU', 'LNU', 'XXX'])

/** Returns whether a document shows exactly this single name, in either name field. */
function isSingleName(enteredName: string, found: readonly string[]): boolean {
  const words = new Set(found.flatMap(splitWords).filter((word) => !noName.has(word)))
  const enteredWords = new Set(splitWords(enteredName))
  return enteredWords.size > 0 && words.size === enteredWords.size && [...enteredWords].every((word) => words.has(word))
}

/**
 * Compares a verified document with the typed details: a genuine document may belong to another person. If Stripe omits
 * data, an operator reviews it.
 */
function compareDetails(session: Session, details: IdentityDetails): Pick<KnownIdentity, 'status' | 'reasons'> {
  const { first_name: firstName, last_name: lastName, dob } = session.verified_outputs ?? {}
  const isSingle = details.firstName === ''
  const isComplete = isSingle ? firstName || lastName : firstName && lastName
  if (!isComplete || !dob?.year) {
    return { status: 'in_review', reasons: [{ field: 'check', code: 'reviewed_by_hand' }] }
  }
  const documentBirthDate = `${String(dob.year)}-${twoDigits(dob.month)}-${twoDigits(dob.day)}`
  const isSameLastName = isSingle
    ? isSingleName(details.lastName, [firstName ?? '', lastName ?? ''])
    : isSameName(details.lastName, lastName ?? '')
  const differingFields = [
    ...(isSingle || isSameName(details.firstName, firstName ?? '') ? [] : ['firstName']),
    ...(isSameLastName ? [] : ['lastName']),
    ...(details.dateOfBirth === documentBirthDate ? [] : ['dateOfBirth']),
  ]
  if (differingFields.length === 0) return { status: 'verified', reasons: [] }
  return {
    status: 'needs_information',
    reasons: differingFields.map((field) => ({ field, code: 'differs_from_document' })),
  }
}

function readSession(session: Session, details: IdentityDetails): IdentityResult {
  const { id: checkId, status, last_error: error } = session
  switch (status) {
    case 'verified':
      return { ...compareDetails(session, details), checkId, isHosted: false }
    case 'processing':
      return { status: 'pending', checkId, reasons: [], isHosted: false }
    case 'canceled':
      return {
        ...{ status: 'needs_information', checkId, isHosted: false },
        reasons: [{ field: 'check', code: 'check_not_finished' }],
      }
    case 'requires_input': {
      if (!error) return { status: 'pending', checkId, reasons: [], isHosted: true }
      const code = error.code ?? ''
      const reasons = [reasonsByCode[code] ?? { field: 'check', code: 'not_confirmed' as const }]
      const failureStatus = statusByCode[code]
      return failureStatus
        ? { status: failureStatus, checkId, reasons, isHosted: false }
        : { status: 'needs_information', checkId, reasons, isHosted: true }
    }
    default:
      return unreadable('an identity check')
  }
}

function readEvent({ stripe }: StripeConnection, text: string): IdentityEvent {
  const event = stripe.webhooks.constructEventWithoutVerification(text)
  const { id } = event
  if (
    event.type !== 'identity.verification_session.verified' &&
    event.type !== 'identity.verification_session.requires_input' &&
    event.type !== 'identity.verification_session.processing' &&
    event.type !== 'identity.verification_session.canceled'
  ) {
    return { id, about: 'unhandled' }
  }
  // Nothing else is read, so the event may be of any API version.
  const reference = readText(event.data.object, 'client_reference_id')
  return reference === undefined ? { id, about: 'unhandled' } : { id, about: 'verification', reference }
}

/**
 * Identity checks at Stripe: the person photographs document and face on Stripe's own page, so we send no files. Stripe
 * receives no identity numbers; its findings are compared with the form.
 */
export async function createStripeIdentityProvider(settings: StripeSettings): Promise<IdentityProvider> {
  const connection = await connectStripe({ ...settings, keyName: 'STRIPE_IDENTITY_KEY' })
  const sessions = connection.stripe.identity.verificationSessions
  return {
    name: 'stripe',
    setup: createStripeIdentitySetup(connection),
    minPauseMs: 3000,
    create: ({ reference, details, returnUrl }) =>
      callStripe<IdentityResult>(connection, async () => {
        const session = await sessions.create(
          {
            type: 'document',
            client_reference_id: reference,
            metadata: { submission_id: reference },
            return_url: returnUrl,
            options: {
              document: {
                allowed_types: [documents[details.documentType] ?? 'id_card'],
                require_live_capture: true,
                require_matching_selfie: true,
              },
            },
            ...withOutputs,
          },
          { idempotencyKey: `identity-${reference}` },
        )
        return readSession(session, details)
      }),
    lookup: (checkId, details) =>
      callStripe<IdentityResult>(connection, async () =>
        readSession(await sessions.retrieve(checkId, withOutputs), details),
      ),
    openPage: (checkId) =>
      callStripe(connection, async () => {
        const { status, url } = await sessions.retrieve(checkId)
        return status === 'requires_input' && url ? { status: 'open' as const, url } : { status: 'ended' as const }
      }),
    async redact(checkId) {
      try {
        const { redaction } = await sessions.retrieve(checkId)
        // Stripe refuses a repeated redaction.
        if (!redaction) await sessions.redact(checkId)
        return { status: 'redacted' }
      } catch (error) {
        const { code, reason } = toFailure(connection, error)
        return code === 'resource_missing' ? { status: 'redacted' } : { status: 'unknown', reason }
      }
    },
    verifyEvent(rawBody, headers, now) {
      checkStripeSignature(connection, rawBody, headers, now)
      return readEvent(connection, rawBody.toString('utf8'))
    },
  }
}
