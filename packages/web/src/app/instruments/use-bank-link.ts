import { Refused } from '@tern/contract/protocol/client'
import { linkBankAccount, type linkReturns } from '@tern/contract/banking'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { useState } from 'react'
import { paymentMethods } from '#messages/payment-methods.ts'
import { callWithStepUp, notConfirmed } from '../step-up/step-up.ts'
import { goToProvider, NoWebAddress, usePageRestore } from '../provider-page.ts'
import { useAction } from '../use-action.ts'
import { useIsCurrentPage } from '../use-is-current-page.ts'

type WithdrawalDetails = CallInput<typeof linkBankAccount>['body']['withdrawal']

/** Message for a failed link: a refusal states its reason; server and network errors share one text. */
function describeFailure(error: unknown): string {
  if (error instanceof NoWebAddress) return paymentMethods.noLinkUrl
  if (error instanceof Refused && withdrawalRefusals.has(error.code)) return error.message
  const isRefusal = error instanceof Refused && error.status < 500
  return isRefusal ? `${paymentMethods.linkFailed} ${error.message}` : paymentMethods.linkFailed
}

/** Refusals about the withdrawal that is confirmed with the link. */
const withdrawalRefusals: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'money_not_mature',
  'currency_not_supported',
])

/**
 * Links a bank account on the provider's page, from which the browser returns to `returnTo`. `beforeRedirect` runs just
 * before the redirect. `withdrawal` is confirmed together with the link.
 */
export function useBankLink(
  returnTo: (typeof linkReturns)[number],
  beforeRedirect?: () => void,
  withdrawal?: WithdrawalDetails,
) {
  const [isRedirecting, setIsRedirecting] = useState(false)
  const isCurrentPage = useIsCurrentPage()
  const { run, isBusy, error } = useAction({ failed: describeFailure })
  usePageRestore(() => setIsRedirecting(false))
  const link = () =>
    run(async () => {
      const linkStart = await callWithStepUp(linkBankAccount, { body: { returnTo, ...(withdrawal && { withdrawal }) } })
      // Do not redirect if the person has navigated away.
      if (linkStart === notConfirmed || !isCurrentPage()) return
      goToProvider(linkStart.redirectUrl, beforeRedirect)
      setIsRedirecting(true)
    })
  return { link, isRedirecting: isBusy || isRedirecting, problem: error }
}
