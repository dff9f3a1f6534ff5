import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { DatedQuote } from '../../app/orders/dated-quote.ts'
import type { SavedTransfer } from './pending-transfer.ts'
import { byWallet, type FundingSource } from './review/payment-source.ts'
import { emptyForm, quoteRequestOf, type SendForm } from './send-form.ts'

const fundingOf = ({
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
const keyOf = (form: SendForm) => JSON.stringify(quoteRequestOf(form))

/** Draft of one transfer, restored or new with a preselected balance. */
export function useDraft(
  restored: SavedTransfer | undefined,
  begin: { cryptoPreSelected: boolean; source: SendForm['source']; again?: Partial<SendForm> | undefined },
) {
  const [start] = useState(() =>
    restored
      ? { ...restored.formData, recipient: restored.formData.recipient ?? restored.recipientInfo ?? undefined }
      : { ...emptyForm(begin.cryptoPreSelected), source: begin.source, ...begin.again },
  )
  const form = useForm<SendForm>({ defaultValues: start, reValidateMode: 'onSubmit' })
  const values = form.watch()
  const [priced, setPriced] = useState({ key: keyOf(start), quote: restored?.priced })
  const [begun] = useState(() => (restored ? fundingOf(restored) : byWallet))
  const [funding, setFunding] = useState(begun)
  return {
    form,
    values,
    /** Price of exactly this form; undefined after a change. */
    priced: priced.key === keyOf(values) ? priced.quote : undefined,
    funding,
    setFunding,
    setPriced: (quote: DatedQuote) => setPriced({ key: keyOf(form.getValues()), quote }),
    /** Selects the linked bank account, unless the user has chosen another method since. */
    payFrom: (bankAccountId: string) =>
      setFunding((last) => (last === begun ? { ...begun, source: 'bank', bankAccountId } : last)),
  }
}

export type Draft = ReturnType<typeof useDraft>
