import { newPassword } from '@tern/contract/protocol/account-forms'
import { emailAddress } from '@tern/contract/protocol/email-address'
import * as z from 'zod/mini'
import { schemaErrors } from '../../app/forms/resolver.ts'

const emailForm = z.object({ email: emailAddress })
const passwordForm = z.object({ password: newPassword })

export const emailErrors = ({ email }: { email?: string | undefined }) =>
  schemaErrors(emailForm, { email: email ?? '' })

export const passwordErrors = (values: { password: string }) => schemaErrors(passwordForm, values)
