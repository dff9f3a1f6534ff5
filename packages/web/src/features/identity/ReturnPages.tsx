import type { ComponentType } from 'react'
import { useLocation } from 'react-router'
import { paths } from '../../app/paths.ts'
import { ExternalReturn } from './sign-in/ExternalReturn.tsx'
import { LoginLink } from './sign-in/LoginLink.tsx'
import { UnrecognizedSignIn } from './email-links/UnrecognizedSignIn.tsx'
import { CancelPayment } from './email-links/CancelPayment.tsx'
import { FreezeAccount } from './email-links/FreezeAccount.tsx'
import { ResetPassword } from './email-links/ResetPassword.tsx'
import { VerifyEmail } from './email-links/VerifyEmail.tsx'

const pages: Record<string, ComponentType> = {
  [paths.verifyEmail]: VerifyEmail,
  [paths.loginLink]: LoginLink,
  [paths.resetPassword]: ResetPassword,
  [paths.unrecognizedSignIn]: UnrecognizedSignIn,
  [paths.freezeAccount]: FreezeAccount,
  [paths.cancelPayment]: CancelPayment,
  [paths.authCallback]: ExternalReturn,
}

/** Landing pages of mailed links and provider redirects; one chunk, because each is small. */
export default function ReturnPages() {
  const Page = pages[useLocation().pathname.replace(/(.)\/+$/, '$1')]
  return Page && <Page />
}
