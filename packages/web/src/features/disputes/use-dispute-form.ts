import { useQueryClient } from '@tanstack/react-query'
import {
  type DisputeKind,
  type DisputeOption,
  type disputeOptions,
  openDispute,
} from '@tern/contract/disputes/disputes'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { shell } from '#messages/shell.ts'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { paths } from '../../app/paths.ts'
import { callApi, refetchUser } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { computeTotal } from '../../ui/money/conversion.ts'
import { addFile } from './dispute-queries.ts'
import { collapseLines } from './TextArea.tsx'

interface Values {
  readonly kind: DisputeKind
  readonly statement: string
  readonly files: readonly File[]
  readonly freeze: boolean
  readonly wasAsked: 'yes' | 'no'
  readonly side: 'paid' | 'arrived'
  readonly expected: string
}

interface Options {
  options: Reply<typeof disputeOptions>
  userId: number
  first: DisputeKind
}

const kinds = ['unauthorized', 'not_received', 'wrong_amount'] as const

const stateNames: Readonly<Record<string, string>> = {
  COMPLETED: shell.completed,
  PENDING: shell.pending,
  FAILED: shell.failed,
}

/** Formatted fee within the claimable amount; undefined without a fee. */
const formatFee = (option: DisputeOption | undefined): string | undefined =>
  option && !isZero(option.claimable.fee) ? formatMoney(option.claimable.fee, option.claimable.currency) : undefined

export function useDisputeForm({ options: { transaction, options: allOptions }, userId, first }: Options) {
  // In display order.
  const options = kinds.flatMap((kind) => allOptions.filter((candidate) => candidate.kind === kind))
  const [values, setValues] = useState<Values>({
    ...{ kind: first, statement: '', files: [], freeze: false, wasAsked: 'no', side: 'arrived', expected: '' },
  })
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [now] = useState(() => new Date().toISOString())
  const formRef = useRef<HTMLFormElement>(null)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const action = useAction({ failed: texts.sendFailed })
  useEffect(() => {
    if (Object.keys(errors).length > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [errors])

  const { kind } = values
  const option = options.find((candidate) => candidate.kind === kind)

  function change(changes: Partial<Values>): void {
    setValues((before) => ({ ...before, ...changes }))
    setErrors({})
  }

  async function send(): Promise<void> {
    const body = {
      ...{ transaction_id: transaction.id, kind, statement: collapseLines(values.statement) },
      ...(kind === 'unauthorized' ? { was_asked: values.wasAsked === 'yes', freeze_account: values.freeze } : {}),
      ...(kind === 'wrong_amount' ? { expected_side: values.side, expected_amount: values.expected } : {}),
    }
    try {
      const { id } = await callApi(openDispute, { body })
      for (const file of values.files) await addFile(id, file).catch(() => toast(texts.notAdded(file.name)))
      if (body.freeze_account) await refetchUser()
      await queryClient.invalidateQueries({ queryKey: ['disputes', userId] })
      await navigate(`${paths.disputes}/${id}`, { replace: true })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const fieldErrors = (error.problem.errors ?? []).map(({ field, message }) => [field, message] as const)
      if (fieldErrors.length === 0) throw error
      setErrors(Object.fromEntries(fieldErrors))
    }
  }

  function submit(): void {
    const missingFields = {
      ...(collapseLines(values.statement) === '' ? { statement: texts.missing } : {}),
      ...(kind === 'wrong_amount' && values.expected === '' ? { expected_amount: texts.amountMissing } : {}),
    }
    setErrors(missingFields)
    if (Object.keys(missingFields).length === 0) action.run(send)
  }

  return {
    ...{
      kind,
      options,
      values,
      change,
      errors,
      option,
      now,
      place: formRef,
      submit,
      isBusy: action.isBusy,
      error: action.error,
    },
    claimed: option ? formatMoney(option.claimable.amount, option.claimable.currency) : '',
    fee: kind === 'wrong_amount' ? undefined : formatFee(option),
    paid: computeTotal(transaction) ?? transaction.source_amount,
    state: stateNames[transaction.status] ?? shell.unknown,
  }
}

export type DisputeForm = ReturnType<typeof useDisputeForm>
