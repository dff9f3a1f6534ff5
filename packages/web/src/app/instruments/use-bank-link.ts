import { Refused } from '@tern/contract/protocol/client'
import { linkBankAccount, type linkReturns } from '@tern/contract/banking'
import { useState } from 'react'
import { paymentMethods } from '#messages/payment-methods.ts'
import { callWithStepUp, notConfirmed } from '../step-up/step-up.ts'
import { goToProvider, NoWebAddress, usePageBack } from '../provider-page.ts'
import { useAction } from '../use-action.ts'
import { useIsCurrentPage } from '../use-is-current-page.ts'

/** A refusal of what was asked says why; anything else is told in one sentence. */
function sentenceOf(error: unknown): string {
  if (error instanceof NoWebAddress) return paymentMethods.noLinkUrl
  const isPlain = error instanceof Refused && error.status < 500
  return isPlain ? `${paymentMethods.linkFailed} ${error.message}` : paymentMethods.linkFailed
}

/**
 * The way to the provider's page where a bank account is linked, after which the browser comes back to `returnTo`.
 * `beforeLeaving` runs when it is certain that the browser leaves.
 */
export function useBankLink(returnTo: (typeof linkReturns)[number], beforeLeaving?: () => void) {
  const [isLeaving, setIsLeaving] = useState(false)
  const isHere = useIsCurrentPage()
  const { run, isBusy, error } = useAction({ sentenceOf })
  usePageBack(() => setIsLeaving(false))
  const link = () =>
    run(async () => {
      const begun = await callWithStepUp(linkBankAccount, { body: { returnTo } })
      // Whoever has gone to another page meanwhile stays there.
      if (begun === notConfirmed || !isHere()) return
      goToProvider(begun.redirectUrl, beforeLeaving)
      setIsLeaving(true)
    })
  return { link, isLeaving: isBusy || isLeaving, problem: error }
}
