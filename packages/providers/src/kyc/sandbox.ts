import { readList, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import {
  type IdentityDetails,
  type IdentityProvider,
  type IdentityReason,
  identityReasonCodes,
  type IdentityResult,
} from './port.ts'

const wireNames: Record<keyof IdentityDetails, string> = {
  firstName: 'first_name',
  lastName: 'last_name',
  dateOfBirth: 'date_of_birth',
  country: 'country',
  nationality: 'nationality',
  idNumber: 'id_number',
  documentType: 'document_type',
  documentNumber: 'document_number',
  issuingCountry: 'issuing_country',
  streetAddress: 'street_address',
  city: 'city',
  state: 'state',
  postalCode: 'postal_code',
}

const ourNames = new Map(Object.entries(wireNames).map(([ours, theirs]) => [theirs, ours]))

const verdicts = ['verified', 'in_review', 'needs_information', 'rejected'] as const

function readReasons(body: unknown): IdentityReason[] | undefined {
  const reasons = readList(body, 'reasons')?.map((reason) => ({
    field: readText(reason, 'field') ?? '',
    code: readText(reason, 'code') ?? '',
  }))
  if (!reasons?.every(({ field, code }) => field !== '' && code !== '')) return undefined
  return reasons.map(({ field, code }) => ({
    field: ourNames.get(field) ?? field,
    code: identityReasonCodes.find((known) => known === code) ?? 'not_confirmed',
  }))
}

function readCheck(body: unknown): IdentityResult | undefined {
  const checkId = readText(body, 'check_id')
  const status = verdicts.find((verdict) => verdict === readText(body, 'status'))
  const reasons = readReasons(body)
  return checkId && status && reasons ? { status, checkId, reasons } : undefined
}

/** The sandbox's identity check, which decides at once by magic values. */
export function createSandboxIdentity(connection: SandboxConnection): IdentityProvider {
  const http = createSandboxHttp(connection)
  return {
    name: 'sandbox',
    check(reference, details) {
      const body: Record<string, string> = { reference }
      for (const [ours, theirs] of Object.entries(wireNames)) {
        const value = details[ours as keyof IdentityDetails]
        if (value !== undefined) body[theirs] = value
      }
      // A refusal is about our request, never a verdict about the person.
      return http.ask(['POST', '/api/kyc/checks', body], 'an identity check', readCheck)
    },
  }
}
