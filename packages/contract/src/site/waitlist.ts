import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { noContent } from '../protocol/wire.ts'

export const joinWaitlist = endpoint({
  method: 'POST',
  path: '/waitlist',
  summary:
    'Put an email address on the waitlist for a country that is not open; invalid input is ignored silently. A form (`application/x-www-form-urlencoded`) is answered with a redirect to the first page.',
  access: 'public',
  body: z.object({ email: z.string(), country: z.optional(z.string()) }),
  refusals: ['rate_limited'],
  ...noContent,
})
