import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { DatedQuote } from '../../app/orders/dated-quote.ts'
import type { SavedTransfer } from './pending-transfer.ts'
import { walletSource, type FundingSource } from './review/payment-source.ts'
import { emptyForm, buildQuoteRequest, type SendForm } from './send-form.ts'

const toFunding = ({
  paymentSource,
  cardId,
  bankAccountId,
  keepsCard = false,
  least,
}: SavedTransfer): FundingSource => ({
  source: paymentSource,
  cardId,
  bankAccountId,
  keepsCard,
  least,
})

/** Key of the form's price request. */
const quoteKey = (form: SendForm) => JSON.stringify(buildQuoteRequest(form))

/** Draft of one transfer, restored or new with a preselected balance. */
export function useDraft(
  restored: SavedTransfer | undefined,
  initial: { cryptoPreSelected: boolean; source: SendForm['source']; again?: Partial<SendForm> | undefined },
) {
  const [start] = useState(() =>
    restored
      ? { ...restored.formData, recipient: restored.formData.recipient ?? restored.recipientInfo ?? undefined }
      : { ...emptyForm(initial.cryptoPreSelected), source: initial.source, ...initial.again },
  )
  const form = useForm<SendForm>({ defaultValues: start, reValidateMode: 'onSubmit' })
  const values = form.watch()
  const [priced, setPriced] = useState({ key: quoteKey(start), quote: restored?.priced })
  const [initialFunding] = useState(() => (restored ? toFunding(restored) : walletSource))
  const [funding, setFunding] = useState(initialFunding)
  return {
    form,
    values,
    /** Price of exactly this form; undefined after a change. */
    priced: priced.key === quoteKey(values) ? priced.quote : undefined,
    funding,
    setFunding,
    setPriced: (quote: DatedQuote) => setPriced({ key: quoteKey(form.getValues()), quote }),
    /** Selects the linked bank account, unless the user has chosen another method since. */
    payFrom: (bankAccountId: string) =>
      setFunding((last) => (last === initialFunding ? { ...initialFunding, source: 'bank', bankAccountId } : last)),
  }
}

export type Draft = ReturnType<typeof useDraft>
