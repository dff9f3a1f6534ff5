import { useQueryClient } from '@tanstack/react-query'
import { type Limit, type Limits, type HolderLimit, setOwnLimit } from '@tern/contract/limits'
import { type HolderRate, convertDollars } from '@tern/contract/protocol/holder-rate'
import { type ReactNode, useRef, useState } from 'react'
import { limits as texts } from '#messages/identity/limits.ts'
import { Form } from '../../app/forms/Form.tsx'
import {
  cents,
  toCents,
  limitsQuery,
  fromCents,
  type FormatDollars,
  createFormatter,
  describeTime,
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
  productLimit: Limit | undefined
  own: Limit | undefined
  next: HolderLimit['next'] | undefined
  ownRate: HolderRate | null
  onClose: () => void
}

const raiseDelayMs = 24 * 3_600_000

/** Sets, lowers, raises or removes the user's own limit, and states in advance when the change takes effect. */
export function ChangeLimit(props: ChangeProps) {
  const { direction, period, productLimit, own, next, ownRate, onClose } = props
  const currency = ownRate?.currency ?? 'USD'
  const format = createFormatter(ownRate)
  const containerRef = useRef<HTMLDivElement>(null)
  const [text, setText] = useState(own?.max ? (ownRate ? convertDollars(ownRate, own.max) : own.max) : '')
  const [attempts, setAttempts] = useState(0)
  const edit = useLimitEdit(props)
  const enteredAmount = parseAmount(currency, text)
  const minor = enteredAmount && toCents(enteredAmount, ownRate)
  const now = own?.max ? cents(own.max) : undefined
  const problem = findProblem(minor, { now, productLimit, format })
  const isIncrease = minor !== undefined && now !== undefined && minor > now
  const validEdit = minor !== undefined && !problem ? { minor, isIncrease } : undefined
  return (
    <Dialog
      open={!edit.isConfirming}
      size="small"
      title={texts.dialogTitles[period]}
      onClose={onClose}
      initialFocus={() => containerRef.current?.querySelector('input')}
    >
      <div ref={containerRef}>
        <Form
          className="grid gap-5 mt-4"
          submitCount={attempts}
          onSubmit={() => {
            setAttempts(attempts + 1)
            if (validEdit) edit.save(fromCents(validEdit.minor), isIncrease)
          }}
        >
          <MoneyField
            label={texts.fields[direction][period]}
            currency={currency}
            value={text}
            onValueChange={setText}
            error={attempts > 0 || problem?.isShownAtOnce ? problem?.message : undefined}
            hint={texts.hint(
              own?.max ? format(own.max) : undefined,
              productLimit?.max ? format(productLimit.max) : undefined,
            )}
          />
          {validEdit && (
            <Effect
              minor={validEdit.minor}
              isIncrease={isIncrease}
              now={now}
              own={own}
              productLimit={productLimit}
              next={next}
              format={format}
            />
          )}
          {edit.error && <Note tone="error">{edit.error}</Note>}
          {edit.isUnconfirmed && <Note live>{texts.notConfirmed}</Note>}
          <div className="form-actions">
            <Button look="primary" big type="submit" processing={edit.isBusy}>
              {validEdit ? describeAction(format(fromCents(validEdit.minor)), now, isIncrease) : texts.save}
            </Button>
            <Button big onClick={onClose}>
              {texts.cancel}
            </Button>
          </div>
          {own && (
            <Button look="ghost" className="-ms-3 justify-self-start" onClick={() => edit.save(null, true)}>
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
function findProblem(
  minor: bigint | undefined,
  { now, productLimit, format }: Pick<EffectProps, 'now' | 'productLimit' | 'format'>,
) {
  if (minor === undefined) return { message: texts.enterAmount, isShownAtOnce: false }
  if (productLimit?.max && minor > cents(productLimit.max)) {
    return { message: texts.aboveOurs(format(productLimit.max)), isShownAtOnce: true }
  }
  return minor === now ? { message: texts.same(format(fromCents(minor))), isShownAtOnce: false } : undefined
}

interface EffectProps extends Pick<ChangeProps, 'productLimit' | 'own' | 'next'> {
  minor: bigint
  isIncrease: boolean
  now: bigint | undefined
  format: FormatDollars
}

/** Effect of the change: the time at which a higher limit applies, or the amount left under a lower one. */
function Effect({ minor, isIncrease, now, own, productLimit, next, format }: EffectProps) {
  if (isIncrease && now !== undefined) {
    const time = describeTime(new Date(Date.now() + raiseDelayMs).toISOString())
    const [before, emphasis, after] = texts.raising(time, format(fromCents(now)))
    return (
      <EffectLine icon="clock">
        {before}
        <b>{emphasis}</b>
        {after}
      </EffectLine>
    )
  }
  const limit = own ?? productLimit
  const used = cents(limit?.used ?? '0')
  const firstRelease = limit?.comes_back.at(0)
  const rest =
    used < minor
      ? texts.stillFree(format(fromCents(minor - used)))
      : texts.nothingLeft(format(fromCents(used)), firstRelease ? describeTime(firstRelease.at) : '')
  const [before, emphasis, after] = texts.lowering(rest)
  return (
    <EffectLine icon="check">
      {before}
      <b>{emphasis}</b>
      {after} {next && (next.max === null ? '' : texts.dropsRise(format(next.max)))}
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

/** Saves the limit. Hides the dialog while a step-up is open. */
function useLimitEdit({ userId, direction, period, ownRate, onClose }: ChangeProps) {
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
      toast(describeSaved(data, { direction, period, isIncrease, format: createFormatter(ownRate) }))
      onClose()
    })
  return { save, isConfirming, isUnconfirmed, isBusy: action.isBusy, error: action.error }
}

function describeSaved(
  { own }: Limits,
  {
    direction,
    period,
    isIncrease,
    format,
  }: Pick<HolderLimit, 'direction' | 'period'> & { isIncrease: boolean; format: FormatDollars },
): string {
  const saved = own.find((candidate) => candidate.direction === direction && candidate.period === period)
  if (!isIncrease || !saved?.next) return texts.lowered(format(saved?.max ?? '0'))
  const time = describeTime(saved.next.at)
  return saved.next.max === null ? texts.removed(time) : texts.raised(format(saved.next.max), time)
}
