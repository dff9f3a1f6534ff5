import '../../../css/rule.css'
import { type ProtectionRule, removeProtectionRule } from '@tern/contract/orders/protection-rules'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { protection as texts } from '#messages/exchange/protection.ts'
import { retrySameKey } from '../../../app/orders/orders.ts'
import { paths } from '../../../app/paths.ts'
import { callApi } from '../../../app/session/session.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { formatDate, formatRelative } from '../../../ui/format/format.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { ShareGauge, ThresholdGauge } from './Gauge.tsx'
import { formatShare, type Part, describeRule, switchRule, formatValue } from './rules.ts'

const card =
  'py-6 border-t border-ink [&>p]:max-w-[68ch] [&>p]:mt-2 [&>p]:text-pretty [&>.note]:max-w-[68ch] ' +
  '[&>.note]:mt-2 [&>.note]:text-pretty [&_.note_b]:block'
const ruleHead = 'flex gap-5 items-start justify-between [&_.switch]:flex-none [&_.switch]:gap-0 [&_.switch]:-mt-1.25'

// Loaded lazily: opened on request.
const ConfirmDialog = lazyComponent(() => import('../../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

interface CardProps {
  userId: number
  rule: ProtectionRule
  wallet: Wallet
  onEdit: (part: Part) => void
}

const noop = () => {}

/** One rule: a sentence with clickable values, its state, and its last action. */
export function RuleCard({ userId, rule, wallet, onEdit }: CardProps) {
  const toast = useToast()
  const [isRemoving, setIsRemoving] = useState(false)
  const action = useApiMutation({
    failed: texts.failed,
    refetches: [['protection', userId]],
  })
  const switchRuleTo = (on: boolean) =>
    action.run(async () => {
      await switchRule(rule, on)
      toast(on ? texts.switchedOn : texts.switchedOff)
    })
  const remove = () => {
    setIsRemoving(false)
    action.run(async () => {
      await retrySameKey(() => callApi(removeProtectionRule, { params: { id: rule.id } }), noop)
      toast(texts.removed)
    })
  }
  return (
    <article className={card} aria-label={describeRule(rule)}>
      <div className={ruleHead}>
        <Sentence rule={rule} onEdit={onEdit} />
        <Switch
          checked={rule.on}
          disabled={action.isBusy}
          onChange={(event) => switchRuleTo(event.currentTarget.checked)}
        >
          <span className="visually-hidden">{texts.on}</span>
        </Switch>
      </div>
      {rule.kind === 'keep_share' ? <ShareGauge rule={rule} /> : <ThresholdGauge rule={rule} wallet={wallet} />}
      <RuleStatus rule={rule} />
      {action.error && <Note tone="error">{action.error}</Note>}
      <Button
        look="ghost"
        className="mt-1 -ms-3"
        aria-label={texts.removeNamed(describeRule(rule))}
        onClick={() => setIsRemoving(true)}
      >
        {texts.remove}
      </Button>
      {isRemoving && (
        <Suspense>
          <ConfirmDialog
            title={texts.removeTitle}
            text={`${describeRule(rule)} ${texts.removeText}`}
            action={texts.remove}
            cancel={texts.keepIt}
            onConfirm={remove}
            onClose={() => setIsRemoving(false)}
          />
        </Suspense>
      )}
    </article>
  )
}

function Sentence({ rule, onEdit }: Pick<CardProps, 'rule' | 'onEdit'>) {
  const title = texts[rule.kind === 'keep_share' ? 'keep' : 'convert']
  const value = (part: Part, text: string) => (
    <button type="button" aria-label={texts.change(text)} onClick={() => onEdit(part)}>
      {text}
    </button>
  )
  return (
    <h2 className="rule-sentence text-title/8.5 font-normal font-display tracking-[-0.008em] text-pretty max-md:text-[1.375rem]/8">
      {title.before}
      {value('value', formatValue(rule))}
      {title.between}
      {value('currency', rule.currency)}
      {title.after}
    </h2>
  )
}

/** Pending action of the rule and its last one. */
function RuleStatus({ rule }: { rule: ProtectionRule }) {
  const { last_action: lastAction, waiting } = rule
  return (
    <>
      {waiting && rule.on && (
        <Note tone="warning">
          <b>{texts.waiting(formatRelative(waiting.since))}</b> {waiting.reason_text}
        </Note>
      )}
      <p className="small muted">{describeNextAction(rule)}</p>
      {lastAction && (
        <p className="small muted">
          {texts.lastUsed(
            formatDate(lastAction.at),
            formatExact(lastAction.source_amount, lastAction.source_currency),
            formatExact(lastAction.target_amount, lastAction.target_currency),
            formatExact(lastAction.fee, lastAction.source_currency),
          )}{' '}
          {lastAction.incoming && describeTrigger(rule, lastAction.incoming)} {texts.undoing}{' '}
          <Link to={`${paths.transactions}?details=${lastAction.transaction_id}`}>{texts.seeExchange}</Link>
        </p>
      )}
    </>
  )
}

type IncomingMoney = NonNullable<NonNullable<ProtectionRule['last_action']>['incoming']>

function describeTrigger({ base_currency: base }: ProtectionRule, { amount, name }: IncomingMoney): string {
  const receivedText = formatExact(amount, base)
  return name === null ? texts.afterMoney(receivedText) : texts.after(receivedText, name)
}

function describeNextAction(rule: ProtectionRule): string {
  const { on, kind, share_percent: share, tolerance_percent: tolerance, share_now_percent: now } = rule
  if (!on) return texts.off
  if (kind === 'convert_incoming') return texts.waitsForMoney(rule.base_currency)
  if (now === null) return texts.shareUnknown
  const [low, high] = computeBand(share ?? 0, tolerance ?? 0)
  const [minShare, maxShare] = [formatShare(low), formatShare(high)]
  const isWithin = Number(now) >= low && Number(now) <= high // not money: a percentage
  const sentence = isWithin ? texts.nothingToDo(minShare, maxShare) : texts.dueSoon(minShare, maxShare)
  return rule.acts_from === null ? sentence : `${sentence} ${texts.actsFrom(formatRelative(rule.acts_from))}`
}

/** Range of shares within which the rule does nothing, in percent. */
export const computeBand = (share: number, tolerance: number): [number, number] => [
  Math.max(0, share - tolerance),
  Math.min(100, share + tolerance),
]
