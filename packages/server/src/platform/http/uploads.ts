import type { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { toFieldIssue } from '@tern/contract/protocol/field-problems'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { Refusal, refuse } from '../refuse.ts'
import { refuseUnstorable } from './text/storable-text.ts'

const longestField = 200
const maxFields = 10

/** Lets the routes of `app` accept forms with one file of at most `largestBytes`; `app` must be a separate scope. */
export async function acceptUploads(app: FastifyInstance, largestBytes: number): Promise<void> {
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      ...{ fileSize: largestBytes, files: 1, fields: maxFields, parts: maxFields + 1 },
      ...{ fieldSize: longestField, fieldNameSize: longestField, headerPairs: maxFields },
    },
  })
}

type Form<E extends Endpoint> = E['form'] extends z.ZodMiniType ? z.output<E['form']> : undefined

/**
 * Returns the fields and the file of a form. Ignores the file's name and declared type, and reads no more than the
 * largest size. Refuses `malformed_body`, `invalid_request`, `file_missing` and `file_too_large`.
 */
export async function readUpload<E extends Endpoint>(
  served: E,
  request: FastifyRequest,
): Promise<{ form: Form<E>; file: Buffer }> {
  if (!request.isMultipart()) refuse('file_missing')
  const fields: Record<string, unknown> = {}
  let file: Buffer | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') file = await readContent(part.file)
      else if (part.valueTruncated || part.fieldnameTruncated) refuse('malformed_body')
      else fields[part.fieldname] = part.value
    }
  } catch (error) {
    // Discards the rest of the body: browsers read the answer only after they have sent everything.
    request.raw.unpipe()
    request.raw.resume()
    throw error instanceof Refusal ? error : new Refusal('malformed_body')
  }
  refuseUnstorable(fields)
  const form = served.form?.safeParse(fields)
  if (form?.success === false) {
    const errors = form.error.issues.map((issue) => ({ field: issue.path.join('.'), ...toFieldIssue(issue) }))
    refuse('invalid_request', { errors })
  }
  return { form: form?.data as Form<E>, file: file ?? refuse('file_missing') }
}

async function readContent(stream: Readable): Promise<Buffer> {
  stream.once('limit', () => stream.destroy(new Refusal('file_too_large')))
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
