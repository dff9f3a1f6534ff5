import { useQueryClient } from '@tanstack/react-query'
import { type Limit, type Limits, type HolderLimit, setOwnLimit } from '@tern/contract/limits'
import { type HolderRate, convertDollars } from '@tern/contract/protocol/own-worth'
import { type ReactNode, useRef, useState } from 'react'
import { limits as texts } from '#messages/identity/limits.ts'
import { Form } from '../../app/forms/Form.tsx'
import {
  cents,
  toCents,
  limitsQuery,
  ofCents,
  type FormatDollars,
  formatIn,
  whenAhead,
} from '../../app/limits/limit-queries.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import { callApi } from '../../app/session/session.ts'
import { notConfirmed, withStepUp } from '../../app/step-up/step-up.ts'
import { useAction } from '../../app/use-action.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'

interface ChangeProps {
  userId: number
  direction: Limit['direction']
  period: HolderLimit['period']
  ours: Limit | undefined
  own: Limit | undefined
  next: HolderLimit['next'] | undefined
  ownRate: HolderRate | null
  onClose: () => void
}

const raiseAfterMs = 24 * 3_600_000

/** Sets, lowers, raises or removes the user's own limit, and states in advance when the change takes effect. */
export function ChangeLimit(props: ChangeProps) {
  const { direction, period, ours, own, next, ownRate, onClose } = props
  const currency = ownRate?.currency ?? 'USD'
  const say = formatIn(ownRate)
  const place = useRef<HTMLDivElement>(null)
  const [text, setText] = useState(own?.max ? (ownRate ? convertDollars(ownRate, own.max) : own.max) : '')
  const [attempts, setAttempts] = useState(0)
  const saving = useSaving(props)
  const entered = parseAmount(currency, text)
  const minor = entered && toCents(entered, ownRate)
  const now = own?.max ? cents(own.max) : undefined
  const problem = findProblem(minor, { now, ours, say })
  const isIncrease = minor !== undefined && now !== undefined && minor > now
  const known = minor !== undefined && !problem ? { minor, isIncrease } : undefined
  return (
    <Dialog
      open={!saving.isConfirming}
      size="small"
      title={texts.dialogTitles[period]}
      onClose={onClose}
      initialFocus={() => place.current?.querySelector('input')}
    >
      <div ref={place}>
        <Form
          className="grid gap-5 mt-4"
          submitCount={attempts}
          onSubmit={() => {
            setAttempts(attempts + 1)
            if (known) saving.save(ofCents(known.minor), isIncrease)
          }}
        >
          <MoneyField
            label={texts.fields[direction][period]}
            currency={currency}
            value={text}
            onValueChange={setText}
            error={attempts > 0 || problem?.isShownAtOnce ? problem?.words : undefined}
            hint={texts.hint(own?.max ? say(own.max) : undefined, ours?.max ? say(ours.max) : undefined)}
          />
          {known && (
            <Effect minor={known.minor} isIncrease={isIncrease} now={now} own={own} ours={ours} next={next} say={say} />
          )}
          {saving.error && <Note tone="error">{saving.error}</Note>}
          {saving.isUnconfirmed && <Note live>{texts.notConfirmed}</Note>}
          <div className="form-actions">
            <Button look="primary" big type="submit" processing={saving.isBusy}>
              {known ? describeAction(say(ofCents(known.minor)), now, isIncrease) : texts.save}
            </Button>
            <Button big onClick={onClose}>
              {texts.cancel}
            </Button>
          </div>
          {own && (
            <Button look="ghost" className="-ms-3 justify-self-start" onClick={() => saving.save(null, true)}>
              {texts.remove}
            </Button>
          )}
        </Form>
      </div>
    </Dialog>
  )
}

function describeAction(amount: string, now: bigint | undefined, isIncrease: boolean): string {
  if (now === undefined) return texts.setTo(amount)
  return isIncrease ? texts.raiseTo(amount) : texts.lowerTo(amount)
}

/** Reason for refusing the amount. An excessive amount is reported during input. */
function findProblem(minor: bigint | undefined, { now, ours, say }: Pick<EffectProps, 'now' | 'ours' | 'say'>) {
  if (minor === undefined) return { words: texts.enterAmount, isShownAtOnce: false }
  if (ours?.max && minor > cents(ours.max)) {
    return { words: texts.aboveOurs(say(ours.max)), isShownAtOnce: true }
  }
  return minor === now ? { words: texts.same(say(ofCents(minor))), isShownAtOnce: false } : undefined
}

interface EffectProps extends Pick<ChangeProps, 'ours' | 'own' | 'next'> {
  minor: bigint
  isIncrease: boolean
  now: bigint | undefined
  say: FormatDollars
}

/** Time at which the new limit applies, and the amount left then. */
function Effect({ minor, isIncrease, now, own, ours, next, say }: EffectProps) {
  if (isIncrease && now !== undefined) {
    const when = whenAhead(new Date(Date.now() + raiseAfterMs).toISOString())
    const [before, strong, after] = texts.raising(when, say(ofCents(now)))
    return (
      <EffectLine icon="clock">
        {before}
        <b>{strong}</b>
        {after}
      </EffectLine>
    )
  }
  const known = own ?? ours
  const used = cents(known?.used ?? '0')
  const back = known?.comes_back.at(0)
  const rest =
    used < minor
      ? texts.stillFree(say(ofCents(minor - used)))
      : texts.nothingLeft(say(ofCents(used)), back ? whenAhead(back.at) : '')
  const [before, strong, after] = texts.lowering(rest)
  return (
    <EffectLine icon="check">
      {before}
      <b>{strong}</b>
      {after} {next && (next.max === null ? '' : texts.dropsRise(say(next.max)))}
    </EffectLine>
  )
}

function EffectLine({ icon, children }: { icon: 'clock' | 'check'; children: ReactNode }) {
  return (
    <div className="note small" role="status">
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  )
}

/** Saves the limit. Hides the dialog while the step-up for a rise is open. */
function useSaving({ userId, direction, period, ownRate, onClose }: ChangeProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [isConfirming, setIsConfirming] = useState(false)
  const [isUnconfirmed, setIsUnconfirmed] = useState(false)
  const action = useAction({ failed: texts.failed })
  const save = (max: string | null, isIncrease: boolean) =>
    action.run(async () => {
      setIsUnconfirmed(false)
      const body = { direction, period, max }
      const data = await withStepUp(
        (confirmation) => callApi(setOwnLimit, { body, confirmation }),
        () => setIsConfirming(true),
      ).finally(() => setIsConfirming(false))
      if (data === notConfirmed) return setIsUnconfirmed(true)
      queryClient.setQueryData(limitsQuery(userId).queryKey, data)
      toast(savedWords(data, { direction, period, isIncrease, say: formatIn(ownRate) }))
      onClose()
    })
  return { save, isConfirming, isUnconfirmed, isBusy: action.isBusy, error: action.error }
}

function savedWords(
  { own }: Limits,
  {
    direction,
    period,
    isIncrease,
    say,
  }: Pick<HolderLimit, 'direction' | 'period'> & { isIncrease: boolean; say: FormatDollars },
): string {
  const saved = own.find((one) => one.direction === direction && one.period === period)
  if (!isIncrease || !saved?.next) return texts.lowered(say(saved?.max ?? '0'))
  const when = whenAhead(saved.next.at)
  return saved.next.max === null ? texts.removed(when) : texts.raised(say(saved.next.max), when)
}
