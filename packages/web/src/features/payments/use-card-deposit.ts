import { Refused } from '@tern/contract/client'
import { depositByCard } from '@tern/contract/payments'
import type { FiatCode } from '@tern/money/currency'
import { type FormEvent, useEffect, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { insist, useIdempotencyKeys } from '../../orders.ts'
import { callApi } from '../../session.ts'
import { depositAmount } from './deposit-amount.ts'

/** The amount to be paid in, and the way to the provider's page. One Idempotency-Key for each intended deposit. */
export function useCardDeposit(userId: number, currency: FiatCode) {
  const keys = useIdempotencyKeys()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isLeaving, setIsLeaving] = useState(false)
  const amount = depositAmount(currency, text)

  useEffect(() => {
    // Going back from the provider's page may bring this one back as it was left.
    const onReturn = () => setIsLeaving(false)
    addEventListener('pageshow', onReturn)
    return () => removeEventListener('pageshow', onReturn)
  }, [])

  function type(next: string): void {
    setText(next)
    setFault(undefined)
    setProblem(undefined)
  }

  async function leave(minor: bigint): Promise<void> {
    setIsLeaving(true)
    setProblem(undefined)
    // The call takes a JSON number; depositAmount has made sure that it is a whole one which a double holds exactly.
    const body = { amount: Number(minor), currency: currency.toLowerCase(), userId, depositToWallet: true }
    try {
      const idempotencyKey = keys.of(JSON.stringify(body))
      const { redirectUrl } = await insist(
        () => callApi(depositByCard, { body, idempotencyKey }),
        () => undefined,
      )
      if (redirectUrl === null || !/^https?:$/.test(new URL(redirectUrl).protocol))
        throw new Error('the provider gave no web address')
      keys.forget()
      location.assign(redirectUrl)
    } catch (error) {
      setIsLeaving(false)
      const onAmount = error instanceof Refused && error.errors.find(({ field }) => field === 'amount')
      if (onAmount) setFault(onAmount.message)
      else setProblem(error instanceof Refused ? `${payments.declined} ${error.message}` : payments.failed)
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isLeaving) return
    if (amount.status === 'right') void leave(amount.minor)
    else setFault(amount.status === 'wrong' ? amount.message : payments.enterAmount)
  }

  return { text, amount, fault, problem, isLeaving, type, submit }
}
