import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'

interface AccountLinkProps {
  className?: string
}

/** Text link to log in; hidden for members. */
export function LogInLink({ className }: AccountLinkProps) {
  return (
    <a className={className} href={paths.login} data-when="out">
      {frame.logIn}
    </a>
  )
}

/** Main action of the public pages: sign-up for visitors, dashboard for members. */
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

/** Link for visitors to the waitlist at the top of the landing page. */
export function WaitlistLink({ className }: AccountLinkProps) {
  return (
    <a className={className} href={`${paths.landing}#top`} data-when="out">
      {frame.joinWaitlist}
    </a>
  )
}
