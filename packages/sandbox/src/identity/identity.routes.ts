import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { ApiError, throwFieldError } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import { readFields, readReturnUrl } from '../server/fields.ts'
import type { Verdict } from './magic-identities.ts'
import type { NewCheck, Reviewer } from './reviewer.ts'

const requiredFields = ['last_name', 'country', 'nationality', 'document_type'] as const
const optionalFields = [
  'first_name',
  'id_number',
  'document_number',
  'issuing_country',
  'street_address',
  'city',
  'state',
  'postal_code',
]
const verdicts: readonly Verdict[] = ['verified', 'in_review', 'needs_information', 'rejected']

const maxFiles = 20
const largestFileBytes = 11_000_000

function isPastDay(text: string, now: Date): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && day < now
}

function readCheck(body: unknown, now: Date): Omit<NewCheck, 'files'> {
  const fields = readFields(body)
  const reference = fields.text('reference', { max: 100 })
  const details: Record<string, string> = {}
  for (const name of requiredFields) details[name] = fields.text(name, { max: 200 })
  for (const name of optionalFields) details[name] = fields.text(name, { max: 200, optional: true })
  const dateOfBirth = fields.text('date_of_birth', {
    max: 10,
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    message: 'Must be a day such as 1990-12-31.',
  })
  if (dateOfBirth && !isPastDay(dateOfBirth, now)) fields.addProblem('date_of_birth', 'Must be a day in the past.')
  const returnUrl = fields.has('return_url') ? readReturnUrl(fields) : ''
  fields.check()
  return { reference, returnUrl, details: { ...details, date_of_birth: dateOfBirth } }
}

/** Reads the fields of a multipart form and counts its files, whose contents are discarded while streaming. */
async function readForm(request: FastifyRequest): Promise<{ body: Record<string, string>; files: number }> {
  const body: Record<string, string> = {}
  let files = 0
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      body[part.fieldname] = String(part.value)
      continue
    }
    let size = 0
    for await (const chunk of part.file) size += (chunk as Buffer).length
    if (size === 0 || part.file.truncated) throwFieldError(part.fieldname, 'Must be a file of at most 11 MB.')
    files += 1
  }
  return { body, files }
}

interface IdParams {
  Params: { id: string }
}

interface Dependencies {
  reviewer: Reviewer
  clock: Clock
  requireProduct: onRequestHookHandler
  /** Requires the secret; applies no API faults. */
  requireControl: onRequestHookHandler
}

/** Registers the product's API for identity checks, and the manual control of checks. */
export async function identityRoutes(app: FastifyInstance, parts: Dependencies): Promise<void> {
  const { reviewer, clock } = parts
  const guard = { onRequest: parts.requireProduct }
  await app.register(multipart, { limits: { files: maxFiles, fileSize: largestFileBytes, fieldSize: 400 } })

  const startCheck = (body: unknown, files: number) => reviewer.start({ ...readCheck(body, clock.now()), files })
  app.post('/api/kyc/checks', guard, (request) =>
    request.isMultipart()
      ? readForm(request).then(({ body, files }) => startCheck(body, files))
      : startCheck(request.body, 0),
  )
  app.get<IdParams>('/api/kyc/checks/:id', guard, ({ params }) => reviewer.show(params.id))
  app.post<IdParams>('/api/kyc/checks/:id/page', guard, ({ params }) => reviewer.openPage(params.id))
  app.post<IdParams>('/api/kyc/checks/:id/redact', guard, ({ params }) => {
    reviewer.redact(params.id)
    return {}
  })
  app.post<{ Params: { id: string; verdict: string } }>(
    '/api/control/checks/:id/:verdict',
    { onRequest: parts.requireControl },
    ({ params }) => {
      const verdict = verdicts.find((candidate) => candidate === params.verdict)
      if (!verdict) throw new ApiError(404, 'not_found', 'There is no such verdict.')
      return reviewer.decide(params.id, verdict)
    },
  )
}
