import { useQueryClient } from '@tanstack/react-query'
import {
  createProtectionRule,
  editProtectionRule,
  type ProtectionKind,
  type ProtectionRule,
} from '@tern/contract/orders/protection-rules'
import { Refused } from '@tern/contract/protocol/client'
import type { Wallet } from '@tern/contract/wallets'
import { cryptoCodes, type CryptoCode } from '@tern/money/currency'
import { useRef, useState } from 'react'
import { protection as texts } from '#messages/exchange/protection.ts'
import { Form } from '../../../app/forms/Form.tsx'
import { parseAmount, plainAmount } from '../../../app/orders/amount.ts'
import { retrySameKey } from '../../../app/orders/orders.ts'
import { useKeyedCall } from '../../../app/orders/use-keyed-call.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { Segmented } from '../../../ui/forms/Segmented.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'
import type { RuleEdit } from './rules.ts'

const ruleForm = 'grid gap-5 mt-2 [&>.segmented]:flex [&>.segmented]:justify-self-stretch [&>.segmented_button]:flex-1'

interface DialogProps extends RuleEdit {
  userId: number
  wallet: Wallet
  onClose: () => void
}

interface Values {
  kind: ProtectionKind
  currency: CryptoCode
  share: string
  threshold: string
}

function initialValues(rule: ProtectionRule | undefined): Values {
  const { kind = 'keep_share', share_percent: share, threshold } = rule ?? {}
  const currency = cryptoCodes.find((code) => code === rule?.currency) ?? 'USDC'
  return { kind, currency, share: String(share ?? 30), threshold: threshold ?? '' }
}

export function RuleDialog({ userId, wallet, rule, part, onClose }: DialogProps) {
  const place = useRef<HTMLDivElement>(null)
  const [values, setValues] = useState(() => initialValues(rule))
  const [attempts, setAttempts] = useState(0)
  const change = (next: Partial<Values>) => setValues({ ...values, ...next })
  const { error, isBusy, save } = useSaving(userId, rule, onClose)
  const base = wallet.base_currency
  const terms = buildTerms(values, base)
  return (
    <Dialog
      open
      size="small"
      title={rule ? texts.editTitle : texts.newTitle}
      onClose={onClose}
      initialFocus={() => place.current?.querySelector<HTMLElement>(part === 'currency' ? 'select' : 'input')}
    >
      <div ref={place}>
        <Form
          className={ruleForm}
          submitCount={attempts}
          onSubmit={() => {
            setAttempts(attempts + 1)
            if (terms) save(values.kind, terms)
          }}
        >
          {!rule && (
            <Segmented
              label={texts.kind}
              choices={(['keep_share', 'convert_incoming'] as const).map((value) => ({
                value,
                label: texts.kinds[value],
              }))}
              value={values.kind}
              onChange={(kind) => change({ kind })}
            />
          )}
          <ValueField {...{ values, base, change }} isInvalid={attempts > 0 && !terms} />
          <SelectField
            label={texts.currency}
            choices={cryptoCodes.map((value) => ({ value, label: value }))}
            value={values.currency}
            onChange={(event) => change({ currency: event.target.value as CryptoCode })}
          />
          <p className="small muted">{texts.kindHints[values.kind](base)}</p>
          {error && <Note tone="error">{error}</Note>}
          <div className="form-actions">
            <Button big onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button look="primary" big className="grow" type="submit" processing={isBusy}>
              {rule ? texts.save : texts.create}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}

interface ValueProps {
  values: Values
  base: Wallet['base_currency']
  isInvalid: boolean
  change: (next: Partial<Values>) => void
}

function ValueField({ values, base, isInvalid, change }: ValueProps) {
  return values.kind === 'keep_share' ? (
    <TextField
      label={texts.share}
      inputMode="numeric"
      autoComplete="off"
      maxLength={3}
      value={values.share}
      onChange={(event) => change({ share: event.target.value })}
      error={isInvalid ? texts.enterShare : undefined}
      hint={texts.shareHint}
    />
  ) : (
    <MoneyField
      label={texts.threshold}
      currency={base}
      value={values.threshold}
      onValueChange={(threshold) => change({ threshold })}
      error={isInvalid ? texts.enterThreshold : undefined}
    />
  )
}

type Terms = { currency: CryptoCode; share_percent?: number; threshold?: string }

/** Terms from the form; undefined while a value is missing or invalid. */
function buildTerms({ kind, currency, share, threshold }: Values, base: Wallet['base_currency']): Terms | undefined {
  if (kind === 'convert_incoming') {
    return parseAmount(base, threshold) ? { currency, threshold: plainAmount(threshold) } : undefined
  }
  const percent = /^[1-9]\d?$/.test(share.trim()) ? Number(share) : undefined // not money: a percentage
  return percent === undefined ? undefined : { currency, share_percent: percent }
}

function useSaving(userId: number, rule: ProtectionRule | undefined, onClose: () => void) {
  const toast = useToast()
  const queryClient = useQueryClient()
  const create = useKeyedCall()
  const action = useAction({
    failed: (error) => (error instanceof Refused ? (error.errors[0]?.message ?? error.message) : texts.failed),
  })
  return {
    ...action,
    save: (kind: ProtectionKind, terms: Terms) =>
      action.run(async () => {
        const noop = () => {}
        if (rule) {
          const body = { ...terms, on: rule.on }
          await retrySameKey(() => callApi(editProtectionRule, { params: { id: rule.id }, body }), noop)
        } else {
          await create(createProtectionRule, { body: { kind, ...terms } })
        }
        await queryClient.invalidateQueries({ queryKey: ['protection', userId] })
        toast(rule ? texts.saved : texts.created)
        onClose()
      }),
  }
}
