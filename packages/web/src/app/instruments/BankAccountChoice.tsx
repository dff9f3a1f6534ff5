import type { linkReturns } from '@tern/contract/banking'
import type { ComponentProps } from 'react'
import { BankAccountList } from './PaymentMethodList.tsx'
import { useBankLink } from './use-bank-link.ts'

type BankAccountChoiceProps = Omit<ComponentProps<typeof BankAccountList>, 'onLink' | 'isLinking'> & {
  /** Page to which the browser returns after linking another account. */
  returnTo: (typeof linkReturns)[number]
  beforeRedirect: () => void
}

/** Choice of a linked bank account; another can be linked on the provider's page. */
export function BankAccountChoice({ returnTo, beforeRedirect, error, ...list }: BankAccountChoiceProps) {
  const { link, isRedirecting, problem } = useBankLink(returnTo, beforeRedirect)
  return <BankAccountList {...list} onLink={link} isLinking={isRedirecting} error={problem ?? error} />
}
