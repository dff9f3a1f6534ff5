import { checkSandboxSignature } from '../events/sandbox.ts'
import { readFlag, readList, readObject, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import {
  type IdentityDetails,
  type IdentityEvent,
  type IdentityFile,
  type IdentityProvider,
  type IdentityReason,
  identityReasonCodes,
  type IdentityResult,
  type KnownIdentity,
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

const fieldByWireName = new Map(Object.entries(wireNames).map(([ourName, wireName]) => [wireName, ourName]))

const statuses = ['pending', 'verified', 'in_review', 'needs_information', 'rejected'] as const

function readReasons(body: unknown): IdentityReason[] | undefined {
  const reasons = readList(body, 'reasons')?.map((reason) => ({
    field: readText(reason, 'field') ?? '',
    code: readText(reason, 'code') ?? '',
  }))
  if (!reasons?.every(({ field, code }) => field !== '' && code !== '')) return undefined
  return reasons.map(({ field, code }) => ({
    field: fieldByWireName.get(field) ?? field,
    code: identityReasonCodes.find((knownCode) => knownCode === code) ?? 'not_confirmed',
  }))
}

function readCheck(body: unknown): KnownIdentity | undefined {
  const checkId = readText(body, 'check_id')
  const status = statuses.find((knownStatus) => knownStatus === readText(body, 'status'))
  const reasons = readReasons(body)
  return checkId && status && reasons
    ? { status, checkId, reasons, isHosted: readFlag(body, 'is_hosted') ?? false }
    : undefined
}

function readPage(body: unknown): { status: 'open'; url: string } | { status: 'ended' } | undefined {
  if (readText(body, 'status') === 'ended') return { status: 'ended' }
  const url = readText(body, 'url')
  return url ? { status: 'open', url } : undefined
}

function readEvent(text: string): IdentityEvent {
  const event: unknown = JSON.parse(text)
  const id = readText(event, 'id')
  const type = readText(event, 'type')
  if (!id || !type) throw new Error('A signed event has no id or no type')
  if (!type.startsWith('identity.')) return { id, about: 'unhandled' }
  const reference = readText(readObject(event, 'data'), 'reference')
  if (!reference) throw new Error(`The event ${id} about an identity check names no reference`)
  return { id, about: 'verification', reference }
}

/** Returns the part name of a file, which carries its document type and side. */
const partName = ({ documentType, side }: IdentityFile): string => [documentType, side ?? 'only'].join('.')

/** Identity verification by the sandbox, which decides by test values after a moment and sends an event. */
export function createSandboxIdentityProvider(connection: SandboxConnection): IdentityProvider {
  const http = createSandboxHttp(connection)
  // A refusal concerns our request and not the person, so it is returned as `unknown`.
  const callSandbox = (...question: Parameters<typeof http.ask>[0]): Promise<IdentityResult> =>
    http.ask(question, 'an identity check', readCheck)
  return {
    name: 'sandbox',
    minPauseMs: 250,
    create({ reference, details, files, returnUrl }) {
      const body: Record<string, string> = { reference, return_url: returnUrl }
      for (const [ourName, wireName] of Object.entries(wireNames)) {
        const value = details[ourName as keyof IdentityDetails]
        if (value !== undefined) body[wireName] = value
      }
      if (files.length === 0) return callSandbox('POST', '/api/kyc/checks', body)
      const parts = files.map((file) => ({ name: partName(file), contentType: file.contentType, read: file.read }))
      return http.upload('/api/kyc/checks', { fields: body, parts }, 'an identity check', readCheck)
    },
    lookup: (checkId) => callSandbox('GET', `/api/kyc/checks/${encodeURIComponent(checkId)}`),
    openPage: (checkId) =>
      http.ask(['POST', `/api/kyc/checks/${encodeURIComponent(checkId)}/page`], 'an identity page', readPage),
    async redact(checkId) {
      const isDone = await http.end(`/api/kyc/checks/${encodeURIComponent(checkId)}/redact`)
      return isDone ? { status: 'redacted' } : { status: 'unknown', reason: 'The sandbox did not confirm a redaction' }
    },
    verifyEvent(rawBody, headers, now) {
      checkSandboxSignature(rawBody, headers, connection.secret, now)
      return readEvent(rawBody.toString('utf8'))
    },
  }
}
