import { Refused } from '@tern/contract/protocol/client'
import { linkBankAccount, type linkReturns } from '@tern/contract/banking'
import { useState } from 'react'
import { paymentMethods } from '#messages/payment-methods.ts'
import { callWithStepUp, notConfirmed } from '../step-up/step-up.ts'
import { goToProvider, isWebAddress, usePageBack } from '../provider-page.ts'
import { useIsCurrentPage } from '../use-is-current-page.ts'

/**
 * The way to the provider's page where a bank account is linked, after which the browser comes back to `returnTo`.
 * `beforeLeaving` runs when it is certain that the browser leaves.
 */
export function useBankLink(returnTo: (typeof linkReturns)[number], beforeLeaving?: () => void) {
  const [isLeaving, setIsLeaving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isHere = useIsCurrentPage()
  usePageBack(() => setIsLeaving(false))

  async function link(): Promise<void> {
    if (isLeaving) return
    setIsLeaving(true)
    setProblem(undefined)
    try {
      const begun = await callWithStepUp(linkBankAccount, { body: { returnTo } })
      if (begun === notConfirmed) return setIsLeaving(false)
      // Whoever has gone to another page meanwhile stays there.
      if (!isHere()) return
      if (!isWebAddress(begun.redirectUrl)) {
        setIsLeaving(false)
        return setProblem(paymentMethods.noLinkUrl)
      }
      beforeLeaving?.()
      goToProvider(begun.redirectUrl)
    } catch (error) {
      setIsLeaving(false)
      // A refusal of what was asked says why; anything else is told in one sentence.
      const isPlain = error instanceof Refused && error.status < 500
      setProblem(isPlain ? `${paymentMethods.linkFailed} ${error.message}` : paymentMethods.linkFailed)
    }
  }

  return { link: () => void link(), isLeaving, problem }
}
