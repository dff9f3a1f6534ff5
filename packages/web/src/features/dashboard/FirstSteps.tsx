import '../../css/first-steps.css'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { dashboard } from '#messages/home/dashboard.ts'
import { firstSteps, verification } from '#messages/home/verification.ts'
import { paths } from '../../app/paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { links, waits, WalletTags } from './Waiting.tsx'

const order = ['verify', 'add', 'send'] as const
export type FirstStep = (typeof order)[number]

/** The button of a step; sending has its own below all steps. */
function actionOf(step: FirstStep, status: CurrentUser['kyc_status']) {
  if (step === 'add') return { to: paths.deposit, label: firstSteps.add }
  return step === 'verify' && status !== 'verified' ? { to: paths.register, label: links[status] } : undefined
}

interface FirstStepsProps {
  wallet: Wallet
  /** The one that is next. */
  step: FirstStep
  status: CurrentUser['kyc_status']
}

/** The way to the first transfer, with its next step as the one thing to do. */
export function FirstSteps({ wallet, step: next, status }: FirstStepsProps) {
  const texts = {
    verify: [firstSteps.verify, status === 'verified' ? firstSteps.verifyDone : verification.states[status]],
    add: [firstSteps.add, next === 'send' ? firstSteps.addDone : firstSteps.addText],
    send: [firstSteps.send, firstSteps.sendText],
  }
  const action = actionOf(next, status)
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
            <li key={step} className={isDone ? 'is-done' : undefined} aria-current={step === next ? 'step' : undefined}>
              {isDone && <Icon name="check" />}
              <b>
                {texts[step][0]}
                {isDone && <span className="visually-hidden"> ({firstSteps.done})</span>}
              </b>
              <span>{texts[step][1]}</span>
              {step === next && action && (
                <LinkButton
                  look={step === 'verify' && waits(status) ? 'secondary' : 'primary'}
                  className="mt-3"
                  to={action.to}
                >
                  {action.label}
                </LinkButton>
              )}
            </li>
          )
        })}
      </ol>
      <WalletTags wallet={wallet} />
    </>
  )
}
