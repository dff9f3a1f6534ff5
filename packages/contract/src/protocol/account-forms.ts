import * as z from 'zod/mini'
import { emailAddress, requiredText, text } from './wire.ts'

/** What forms of the account send. Apart from the calls, so that only pages with such a form get the schemas. */

const username = z.pipe(
  requiredText(30, 'Username is required'),
  z.string().check(
    z.toLowerCase(),
    z.regex(/^[a-z0-9][a-z0-9._-]{2,29}$/, {
      error: 'Use 3 to 30 letters, digits, dots, dashes or underscores, starting with a letter or digit',
    }),
  ),
)

/** A new password. The server checks whether it is too common. */
export const newPassword = z
  .string({ error: 'Password is required' })
  .check(
    z.minLength(10, { error: 'Use at least 10 characters' }),
    z.maxLength(200, { error: 'Use at most 200 characters' }),
  )

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
