import '../../css/first-steps.css'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import type { ReactNode } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { firstSteps, verification } from '#messages/home/verification.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { NextStep, describeStep } from '../../app/verification/NextStep.tsx'
import { useNextStep } from '../../app/verification/identity-check.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { WalletTags } from './BalanceNotes.tsx'

const order = ['verify', 'add', 'send'] as const
export type FirstStep = (typeof order)[number]

type UnverifiedStatus = Exclude<CurrentUser['kyc_status'], 'verified'>

const links = {
  not_started: verification.begin,
  pending: verification.seeState,
  in_review: verification.seeState,
  needs_information: verification.seeNeeds,
  rejected: verification.seeNeeds,
}

const isPending = (status: CurrentUser['kyc_status']) => status === 'pending' || status === 'in_review'

interface VerificationTask {
  title: string
  text: string
  action: ReactNode
}

/** Returns the next task of verification: the form, its result, or a step that the check requires. */
function useVerificationTask(status: CurrentUser['kyc_status']): VerificationTask {
  const user = useUser()
  const { step } = useNextStep({ id: user?.id ?? 0, kyc_status: user ? status : 'not_started' })
  if (status === 'verified') return { title: firstSteps.verify, text: firstSteps.verifyDone, action: null }
  if (user && step) {
    const { name, text } = describeStep(step, user.email)
    return { title: name, text, action: <NextStep step={step} userId={user.id} email={user.email} /> }
  }
  const action = (
    <LinkButton look={isPending(status) ? 'secondary' : 'primary'} to={paths.register}>
      {links[status]}
    </LinkButton>
  )
  return { title: firstSteps.verify, text: verification.states[status], action }
}

interface FirstStepsProps {
  wallet: Wallet
  step: FirstStep
  status: CurrentUser['kyc_status']
}

/** Steps up to the first transfer, with a single action for the next one. */
export function FirstSteps({ wallet, step: next, status }: FirstStepsProps) {
  const task = useVerificationTask(status)
  const texts = {
    verify: [task.title, task.text],
    add: [firstSteps.add, next === 'send' ? firstSteps.addDone : firstSteps.addText],
    send: [firstSteps.send, firstSteps.sendText],
  }
  const actions = {
    verify: task.action,
    add: (
      <LinkButton look="primary" to={paths.deposit}>
        {firstSteps.add}
      </LinkButton>
    ),
    // The Send button of the page is below the list of steps.
    send: null,
  }
  return (
    <>
      <p className="small muted">
        {dashboard.yourBalance}{' '}
        <b className="tabular font-medium text-ink">{formatMoney(wallet.fiat_balance, wallet.base_currency)}</b>
      </p>
      <h2 className="display-m mt-1">{firstSteps.title}</h2>
      <ol className="first-steps">
        {order.map((step) => {
          const isDone = order.indexOf(step) < order.indexOf(next)
          return (
            <li
              key={step}
              className={
                isDone
                  ? 'is-done [.first-steps_&>.icon]:absolute [.first-steps_&>.icon]:[inset:7px_auto_auto_2px] [.first-steps_&>.icon]:size-2.5 [.first-steps_&>.icon]:stroke-[3] [.first-steps_&>.icon]:text-on-sea'
                  : undefined
              }
              aria-current={step === next ? 'step' : undefined}
            >
              {isDone && <Icon name="check" />}
              <b>
                {texts[step][0]}
                {isDone && <span className="visually-hidden"> ({firstSteps.done})</span>}
              </b>
              <span>{texts[step][1]}</span>
              {step === next && actions[step] && <div className="mt-3 grid gap-3">{actions[step]}</div>}
            </li>
          )
        })}
      </ol>
      <WalletTags wallet={wallet} />
    </>
  )
}

/** Next step of verification, for users who already have money or history. */
export function VerificationNote({ status }: { status: UnverifiedStatus }) {
  const { title, text, action } = useVerificationTask(status)
  return (
    <div className="mt-4 grid max-w-90 justify-items-start gap-3 border-s-3 border-wait ps-4">
      <p>
        {title !== firstSteps.verify && <b className="block font-medium">{title}</b>}
        <span className="wrap-anywhere">{text}</span>
      </p>
      {action}
    </div>
  )
}
