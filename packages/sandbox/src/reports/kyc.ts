import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { type FieldProblem, newId } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import { readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

type Verdict = 'verified' | 'in_review' | 'needs_information' | 'rejected'

/** Values with a result other than verified; also shown on the start page. */
export const magicIdentities: readonly { field: string; value: string; verdict: Exclude<Verdict, 'verified'> }[] = [
  { field: 'last_name', value: 'Rejected', verdict: 'rejected' },
  { field: 'last_name', value: 'Review', verdict: 'in_review' },
  { field: 'document_number', value: '0000', verdict: 'needs_information' },
]

const explanations: Record<Exclude<Verdict, 'verified'>, { code: string; message: string }> = {
  in_review: { code: 'reviewed_by_hand', message: 'A person is looking at this by hand.' },
  needs_information: {
    code: 'document_unreadable',
    message: 'We could not read the document number. Please check it and send it again.',
  },
  rejected: { code: 'not_confirmed', message: 'We could not confirm this identity.' },
}

interface Reason extends FieldProblem {
  code: string
}

function decide(details: Readonly<Record<string, string>>): { verdict: Verdict; reasons: Reason[] } {
  const magic = magicIdentities.find(({ field, value }) => details[field]?.trim().toLowerCase() === value.toLowerCase())
  if (!magic) return { verdict: 'verified', reasons: [] }
  return { verdict: magic.verdict, reasons: [{ field: magic.field, ...explanations[magic.verdict] }] }
}

const requiredFields = ['first_name', 'last_name', 'country', 'nationality', 'document_type'] as const
const optionalFields = [
  'id_number',
  'document_number',
  'issuing_country',
  'street_address',
  'city',
  'state',
  'postal_code',
]

function isPastDay(text: string, now: Date): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && day < now
}

function readDetails(body: unknown, now: Date): { reference: string; details: Record<string, string> } {
  const fields = readFields(body)
  const reference = fields.text('reference', { max: 100 })
  const details: Record<string, string> = {}
  for (const name of requiredFields) details[name] = fields.text(name, { max: 200 })
  for (const name of optionalFields) details[name] = fields.text(name, { max: 200, optional: true })
  const born = fields.text('date_of_birth', {
    max: 10,
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    message: 'Must be a day such as 1990-12-31.',
  })
  if (born && !isPastDay(born, now)) fields.wrong('date_of_birth', 'Must be a day in the past.')
  fields.check()
  return { reference, details }
}

/** Immediate identity checks. Stores only the verdict, nothing about the person. */
export function kycRoutes(app: FastifyInstance, store: Store, clock: Clock, onlyProduct: onRequestHookHandler): void {
  app.post('/api/kyc/checks', { onRequest: onlyProduct }, (request) => {
    const { reference, details } = readDetails(request.body, clock.now())
    const { verdict, reasons } = decide(details)
    const id = newId('ck')
    const row = { reference, id, status: verdict, reasons: JSON.stringify(reasons) }
    store.replace('identity_check', { ...row, created_at: clock.now().toISOString() })
    return { check_id: id, status: verdict, reasons }
  })
}
