import '../../css/register.css'
import '../../css/steps.css'
import type { CurrentUser } from '@tern/contract/identity'
import { kycStatus } from '@tern/contract/kyc'
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { kyc } from '#messages/identity/kyc.ts'
import { shell, titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { callApi, resumeSession, useSession } from '../../app/session/session.ts'
import type { Verdict } from '../../app/verification/identity-check.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Illustration } from '../../ui/maps/Illustration.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { isFormField } from './form-fields.ts'
import { removeKycDraft } from './kyc-draft.ts'
import { isSettled, type SettledStatus } from './verification-state.ts'

// Loaded lazily: in parallel with the verification status.
const VerificationForm = lazyComponent(() => import('./VerificationForm.tsx'), 'VerificationForm')
const NextStep = lazyComponent(() => import('../../app/verification/NextStep.tsx'), 'NextStep')

const redirectDelayMs = 3000
const pollMs = 500
const noReasons: Verdict['reasons'] = []

/** Navigation state set by sign-up. */
interface Arrival {
  readonly email?: string
  readonly isNewUser?: boolean
}

/** The signed-in user or a person who has just signed up. Visitors are redirected to /login. */
function useApplicant() {
  const session = useSession()
  const navigate = useNavigate()
  const arrival = useLocation().state as Arrival | null
  useEffect(() => {
    void resumeSession()
    void import('./VerificationForm.tsx')
  }, [])
  const user = session.status === 'in' ? session.user : undefined
  const canStay = session.status !== 'out' || Boolean(arrival?.email || arrival?.isNewUser)
  useEffect(() => {
    if (!canStay) void navigate(paths.login, { replace: true })
  }, [canStay, navigate])
  return { user, email: user?.email ?? arrival?.email ?? '', isKnown: session.status !== 'unknown' && canStay }
}

/** Verification status of the user; undefined while it loads. */
function useVerdict(userId: number | undefined) {
  const [verdict, setVerdict] = useState<Verdict>()
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    if (userId === undefined) return
    const abort = new AbortController()
    callApi(kycStatus, { params: { id: String(userId) } }, abort.signal).then(setVerdict, () => {
      if (!abort.signal.aborted) setHasFailed(true)
    })
    return () => abort.abort()
  }, [userId])
  return { verdict, setVerdict, hasFailed }
}

/** Polls the result of a form that was just submitted. */
function usePolledVerdict(
  userId: number | undefined,
  verdict: Verdict | undefined,
  applyVerdict: (next: Verdict) => void,
) {
  const isWaiting = verdict?.status === 'pending' && !verdict.next_step
  useEffect(() => {
    if (userId === undefined || !isWaiting) return
    const abort = new AbortController()
    async function poll(id: number) {
      // A failed request is repeated by the next poll.
      const next = await callApi(kycStatus, { params: { id: String(id) } }, abort.signal).catch(() => undefined)
      if (next && (next.status !== 'pending' || next.next_step)) applyVerdict(next)
    }
    const timer = setInterval(() => void poll(userId), pollMs)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [userId, isWaiting, applyVerdict])
}

/** Identity verification: the form, its result, and the missing details. */
export default function Register() {
  const { user, email, isKnown } = useApplicant()
  const { verdict, setVerdict, hasFailed } = useVerdict(user?.id)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const isReady = isKnown && (user === undefined || verdict !== undefined || hasFailed)
  const settledStatus = verdict && isSettled(verdict.status) ? verdict.status : undefined

  const applyVerdict = useCallback(
    (next: Verdict) => {
      setVerdict(next)
      setIsSubmitted(isSettled(next.status))
      scrollTo({ top: 0 })
    },
    [setVerdict],
  )
  usePolledVerdict(isSubmitted ? user?.id : undefined, verdict, applyVerdict)
  useEffect(() => {
    // A pending form may still be returned, so its draft is kept.
    if (settledStatus === 'verified' || settledStatus === 'in_review') removeKycDraft()
  }, [settledStatus])

  return (
    <div className="min-h-dvh">
      <header className="max-w-160 mx-auto px-4 xl:max-w-248 row pt-3">
        <Brand href={paths.landing} />
      </header>
      <main className="max-w-160 mx-auto px-4 xl:max-w-248 pt-8 pb-16">
        {settledStatus &&
          (isSubmitted ? (
            <SubmittedPanel status={settledStatus} step={verdict?.next_step} user={user} />
          ) : (
            <StatusPanel status={settledStatus} step={verdict?.next_step} user={user} />
          ))}
        {(!settledStatus || isSubmitted) && (
          // Submitted fields stay filled in, because the form can still be returned.
          <div hidden={settledStatus !== undefined}>
            <h1 className="display-m">{titles.register}</h1>
            <p className="lead mt-3 text-balance">{kyc.lead}</p>
            {hasFailed && <Note tone="warning">{kyc.statusFailed}</Note>}
            {verdict && <Reasons verdict={verdict} />}
            <div className="register-beside xl:grid xl:grid-cols-[minmax(0,608px)_minmax(0,1fr)] xl:gap-16">
              {isReady ? (
                <Suspense fallback={<FormSkeleton />}>
                  <VerificationForm
                    userId={user?.id}
                    email={email}
                    reasons={verdict?.reasons ?? noReasons}
                    onSubmitted={applyVerdict}
                    backLink={
                      <LinkButton big to={paths.login}>
                        {kyc.backToLogin}
                      </LinkButton>
                    }
                  />
                </Suspense>
              ) : (
                <FormSkeleton />
              )}
              <PreparationList />
            </div>
          </div>
        )}
      </main>
    </div>
  )
}

/** Documents to have ready, and how their data is stored; shown if there is room beside the form. */
function PreparationList() {
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

/** States that an earlier submission was not accepted, with the reasons that belong to no field of this form. */
function Reasons({ verdict: { status, reasons } }: { verdict: Verdict }) {
  if (status !== 'needs_information' && status !== 'rejected') return null
  const otherReasons = reasons.filter(({ field }) => !isFormField(field))
  return (
    <div className="mt-6">
      <Note tone="warning">
        {status === 'rejected' ? kyc.rejected : kyc.needsInformation}
        {otherReasons.length > 0 && (
          <ul className="mt-2 list-disc ps-4">
            {otherReasons.map(({ field, message }) => (
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

interface SettledProps {
  status: SettledStatus
  step: Verdict['next_step'] | undefined
  user: CurrentUser | undefined
}

/** Confirms the submission and redirects after 3 seconds, unless an identity check remains or a step was started. */
function SubmittedPanel({ status, step, user }: SettledProps) {
  const navigate = useNavigate()
  const isSignedIn = user !== undefined
  const next = isSignedIn ? paths.dashboard : paths.login
  const [hasActed, setHasActed] = useState(false)
  const isWaiting = hasActed || step === 'identity_check'
  useEffect(() => {
    if (isSignedIn) void resumeSession()
  }, [isSignedIn, status])
  useEffect(() => {
    if (isWaiting) return
    const timer = setTimeout(() => {
      void navigate(next, { replace: true, state: isSignedIn ? null : { notice: kyc.loginNotice } })
    }, redirectDelayMs)
    return () => clearTimeout(timer)
  }, [isSignedIn, navigate, next, isWaiting])
  return (
    <Panel title={kyc.submittedTitle} text={describeStatus(status, step, user)}>
      {user && step && <Step step={step} user={user} onAction={() => setHasActed(true)} />}
      {isWaiting ? (
        <LinkButton to={next}>{kyc.toDashboard}</LinkButton>
      ) : (
        <p className="small muted">{kyc.redirecting}</p>
      )}
    </Panel>
  )
}

function Step({
  step,
  user,
  onAction,
}: {
  step: NonNullable<SettledProps['step']>
  user: CurrentUser
  onAction?: () => void
}) {
  return (
    <Suspense>
      <NextStep step={step} userId={user.id} email={user.email} {...(onAction ? { onAction } : {})} />
    </Suspense>
  )
}

function describeStatus(status: SettledStatus, step: SettledProps['step'], user: CurrentUser | undefined): string {
  if (!step || !user) return kyc.submittedText[status]
  return step === 'confirm_email' ? kyc.confirmEmail(user.email) : kyc.oneStepLeft
}

/** Shown to verified users, during verification, and before email confirmation. */
function StatusPanel({ status, step, user }: SettledProps) {
  const isVerified = status === 'verified'
  const pendingTitle = step === 'confirm_email' ? kyc.confirmEmailTitle : kyc.runningTitle
  return (
    <Panel
      title={isVerified ? kyc.verifiedTitle : pendingTitle}
      text={isVerified ? kyc.verifiedText : describeStatus(status, step, user)}
    >
      {user && step && <Step step={step} user={user} />}
      <LinkButton look={step ? 'secondary' : 'primary'} big to={paths.dashboard}>
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
