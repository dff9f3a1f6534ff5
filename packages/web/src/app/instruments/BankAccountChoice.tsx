import type { linkReturns } from '@tern/contract/banking'
import type { ComponentProps } from 'react'
import { BankAccountList } from './PaymentMethodList.tsx'
import { useBankLink } from './use-bank-link.ts'

type BankAccountChoiceProps = Omit<ComponentProps<typeof BankAccountList>, 'onLink' | 'isLinking'> & {
  /** Page to which the browser returns after linking another account. */
  returnTo: (typeof linkReturns)[number]
  beforeLeaving: () => void
}

/** One of the linked bank accounts, or another, linked on the provider's page. */
export function BankAccountChoice({ returnTo, beforeLeaving, error, ...list }: BankAccountChoiceProps) {
  const { link, isLeaving, problem } = useBankLink(returnTo, beforeLeaving)
  return <BankAccountList {...list} onLink={link} isLinking={isLeaving} error={problem ?? error} />
}
