import * as z from 'zod/mini'
import { withCode } from './field-problems.ts'
import { emailAddress } from './email-address.ts'
import { requiredText, text } from './wire.ts'

/** Inputs of the account forms. Separate from the endpoints, so that only pages with such a form load these schemas. */

const username = z.pipe(
  requiredText(30, 'username_required'),
  z.string().check(z.toLowerCase(), z.regex(/^[a-z0-9][a-z0-9._-]{2,29}$/, withCode('invalid_username'))),
)

/** New password. The server also refuses common passwords. */
export const newPassword = z
  .string(withCode('password_required'))
  .check(z.minLength(10, withCode('password_too_short')), z.maxLength(200, withCode('password_too_long')))

export const registration = z.object({
  email: emailAddress,
  password: newPassword,
  username,
  name: z.optional(text(100)),
})

export const profileChange = z.object({
  name: z.optional(text(100)),
  username: z.optional(username),
  email: z.optional(emailAddress),
})
