import '../../css/register.css'
import '../../css/steps.css'
import { kycStatus } from '@tern/contract/kyc'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { kyc } from '#messages/identity/kyc.ts'
import { shell, titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { callApi, resumeSession, useSession } from '../../app/session/session.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Illustration } from '../../ui/maps/Illustration.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { isFormField } from './form-rules.ts'
import { isSettled, type Settled, type Verdict } from './use-verification.ts'
import { VerificationForm } from './VerificationForm.tsx'

const movesOnAfterMs = 3000

/** What signing up hands over. */
interface Arrival {
  readonly email?: string
  readonly isNewUser?: boolean
}

/** Who is here: somebody signed in, somebody who has just signed up, or nobody, who is led to /login. */
function useApplicant() {
  const session = useSession()
  const navigate = useNavigate()
  const arrival = useLocation().state as Arrival | null
  useEffect(() => {
    void resumeSession()
  }, [])
  const user = session.status === 'in' ? session.user : undefined
  const mayStay = session.status !== 'out' || Boolean(arrival?.email || arrival?.isNewUser)
  useEffect(() => {
    if (!mayStay) void navigate(paths.login, { replace: true })
  }, [mayStay, navigate])
  return { user, email: user?.email ?? arrival?.email ?? '', isKnown: session.status !== 'unknown' && mayStay }
}

/** Where the person's verification stands; undefined while that is asked for. */
function useVerdict(userId: number | undefined) {
  const [verdict, setVerdict] = useState<Verdict>()
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    if (userId === undefined) return
    const leaving = new AbortController()
    callApi(kycStatus, { params: { id: String(userId) } }, leaving.signal).then(setVerdict, () => {
      if (!leaving.signal.aborted) setHasFailed(true)
    })
    return () => leaving.abort()
  }, [userId])
  return { verdict, setVerdict, hasFailed }
}

/** Identity verification: the form, what became of it, and what is still needed. */
export default function Register() {
  const { user, email, isKnown } = useApplicant()
  const { verdict, setVerdict, hasFailed } = useVerdict(user?.id)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const isReady = isKnown && (user === undefined || verdict !== undefined || hasFailed)

  function take(next: Verdict) {
    setVerdict(next)
    setIsSubmitted(isSettled(next.status))
    scrollTo({ top: 0 })
  }

  return (
    <div className="min-h-dvh">
      <header className="register-width row pt-3">
        <Brand href={paths.landing} />
      </header>
      <main className="register-width pt-8 pb-16">
        {verdict && isSettled(verdict.status) ? (
          isSubmitted ? (
            <Submitted status={verdict.status} isSignedIn={user !== undefined} />
          ) : (
            <NothingToSend status={verdict.status} />
          )
        ) : (
          <>
            <h1 className="display-m">{titles.register}</h1>
            <p className="lead mt-3 text-balance">{kyc.lead}</p>
            {hasFailed && <Note tone="warning">{kyc.statusFailed}</Note>}
            {verdict && <Reasons verdict={verdict} />}
            <div className="register-beside">
              {isReady ? (
                <VerificationForm
                  userId={user?.id}
                  email={email}
                  reasons={verdict?.reasons ?? []}
                  onSubmitted={take}
                  back={
                    <LinkButton big to={paths.login}>
                      {kyc.backToLogin}
                    </LinkButton>
                  }
                />
              ) : (
                <FormSkeleton />
              )}
              <Preparation />
            </div>
          </>
        )}
      </main>
    </div>
  )
}

/** What to have at hand, where there is room beside the form, and what becomes of it. */
function Preparation() {
  return (
    <aside className="small">
      <h2>{kyc.haveReady}</h2>
      <ul className="muted">
        {kyc.haveReadyList.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <h2>{kyc.whatHappens}</h2>
      <p className="muted">{kyc.whatHappensText}</p>
    </aside>
  )
}

/** What an earlier form lacked: the form marks what is about its fields, the rest stands here. */
function Reasons({ verdict: { status, reasons } }: { verdict: Verdict }) {
  if (status !== 'needs_information' && status !== 'rejected') return null
  const others = reasons.filter(({ field }) => !isFormField(field))
  return (
    <div className="mt-6">
      <Note tone="warning">
        {status === 'rejected' ? kyc.rejected : kyc.needsInformation}
        {others.length > 0 && (
          <ul className="mt-2 list-disc ps-4">
            {others.map(({ field, message }) => (
              <li key={field + message}>{message}</li>
            ))}
          </ul>
        )}
      </Note>
    </div>
  )
}

function Panel({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-6 pt-8" role="status">
      <div className="-ms-12">
        <Illustration name="safe" />
      </div>
      <h1 className="display-l">{title}</h1>
      <p className="lead">{text}</p>
      {children}
    </div>
  )
}

/** The form was taken: says what follows, and goes on by itself after 3 seconds. */
function Submitted({ status, isSignedIn }: { status: Settled; isSignedIn: boolean }) {
  const navigate = useNavigate()
  const next = isSignedIn ? paths.dashboard : paths.login
  useEffect(() => {
    if (isSignedIn) void resumeSession()
    const timer = setTimeout(() => {
      void navigate(next, { replace: true, state: isSignedIn ? null : { notice: kyc.loginNotice } })
    }, movesOnAfterMs)
    return () => clearTimeout(timer)
  }, [isSignedIn, navigate, next])
  return (
    <Panel title={kyc.submittedTitle} text={kyc.submittedText[status]}>
      <p className="small muted">{kyc.redirecting}</p>
    </Panel>
  )
}

/** For somebody who was checked, or is being checked. */
function NothingToSend({ status }: { status: Settled }) {
  const isVerified = status === 'verified'
  return (
    <Panel
      title={isVerified ? kyc.verifiedTitle : kyc.runningTitle}
      text={isVerified ? kyc.verifiedText : kyc.submittedText[status]}
    >
      <LinkButton look="primary" big to={paths.dashboard}>
        {kyc.toDashboard}
      </LinkButton>
    </Panel>
  )
}

function FormSkeleton() {
  return (
    <div className="mt-8 grid gap-x-4 gap-y-5 border-t pt-6 sm:grid-cols-2" role="status" aria-label={shell.loading}>
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <div key={key} className="grid gap-2">
          <SkeletonLine className="w-24" />
          <SkeletonLine className="h-12 w-full opacity-40" />
        </div>
      ))}
    </div>
  )
}
