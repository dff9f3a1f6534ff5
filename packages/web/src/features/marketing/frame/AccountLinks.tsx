import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'

interface AccountLinkProps {
  className?: string
}

/** The text link to log in; members do not see it. */
export function LogInLink({ className }: AccountLinkProps) {
  return (
    <a className={className} href={paths.login} data-when="out">
      {frame.logIn}
    </a>
  )
}

/** The main action of the public pages: visitors open an account, members open their dashboard. */
export function AccountButton({ className = '' }: AccountLinkProps) {
  return (
    <>
      <a className={`button button-primary ${className}`} href={paths.signup} data-when="out">
        {frame.openAccount}
      </a>
      <a className={`button button-primary ${className}`} href={paths.dashboard} data-when="in">
        {frame.openDashboard}
      </a>
    </>
  )
}

/** Leads visitors to the waitlist at the top of the first page. */
export function WaitlistLink({ className }: AccountLinkProps) {
  return (
    <a className={className} href={`${paths.landing}#top`} data-when="out">
      {frame.joinWaitlist}
    </a>
  )
}
