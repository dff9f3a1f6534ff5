import type { ComponentType } from 'react'
import { useLocation } from 'react-router'
import { shell } from '#messages/shell.ts'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { paths } from '../../app/paths.ts'
import { ExternalReturn } from './sign-in/ExternalReturn.tsx'
import { LoginLink } from './sign-in/LoginLink.tsx'
import { UnrecognizedSignIn } from './email-links/UnrecognizedSignIn.tsx'
import { ResetPassword } from './email-links/ResetPassword.tsx'
import { VerifyEmail } from './email-links/VerifyEmail.tsx'

const pages: Record<string, { title: string; Page: ComponentType }> = {
  [paths.verifyEmail]: { title: signInLinks.verifyTitle, Page: VerifyEmail },
  [paths.loginLink]: { title: signInLinks.loginLinkTitle, Page: LoginLink },
  [paths.resetPassword]: { title: signInLinks.resetTitle, Page: ResetPassword },
  [paths.unrecognizedSignIn]: { title: signInLinks.notMeTitle, Page: UnrecognizedSignIn },
  [paths.authCallback]: { title: signInLinks.callbackTitle, Page: ExternalReturn },
}

const pageAt = (pathname: string) => pages[pathname.replace(/(.)\/+$/, '$1')]

export const meta = ({ location }: { location: { pathname: string } }) => [
  { title: shell.pageTitle(pageAt(location.pathname)?.title ?? '') },
]

/** The pages that somebody comes to from a mail or a provider: one file, since each alone is small. */
export default function ReturnPages() {
  const found = pageAt(useLocation().pathname)
  return found && <found.Page />
}
