import { useState } from 'react'
import type { DatedQuote } from '../../app/orders/quotes.ts'
import { byWallet, type Means } from './review/payment-source.ts'
import type { SavedTransfer } from './receipt/pending-transfer.ts'
import { emptyForm, quoteRequestOf, type SendForm } from './send-form.ts'

/** What the person has put together so far. */
export interface Draft {
  readonly form: SendForm
  /** The price of just this form. */
  readonly priced: DatedQuote | undefined
  readonly means: Means
}

/** The form after a change: a price that was for something else is none. */
const changed = (draft: Draft, next: SendForm): Draft => {
  const isSame = JSON.stringify(quoteRequestOf(next)) === JSON.stringify(quoteRequestOf(draft.form))
  return { ...draft, form: next, priced: isSame ? draft.priced : undefined }
}

const draftOf = ({ formData, recipientInfo, priced, ...saved }: SavedTransfer): Draft => ({
  form: { ...formData, recipient: formData.recipient ?? recipientInfo ?? undefined },
  priced,
  means: {
    source: saved.paymentSource,
    cardId: saved.cardId,
    bankAccountId: saved.bankAccountId,
    keepsCard: saved.keepsCard ?? false,
  },
})

/** The draft of one transfer, begun from what was saved of it or with nothing but the balance that pays. */
export function useDraft(
  restored: SavedTransfer | undefined,
  begin: { cryptoPreSelected: boolean; source: SendForm['source'] },
) {
  const [draft, setDraft] = useState<Draft>(() =>
    restored
      ? draftOf(restored)
      : {
          form: { ...emptyForm(begin.cryptoPreSelected), source: begin.source },
          priced: undefined,
          means: byWallet,
        },
  )
  const [begun] = useState(draft.means)
  return {
    ...draft,
    setForm: (change: (form: SendForm) => SendForm) => setDraft((last) => changed(last, change(last.form))),
    set: (part: Partial<Omit<Draft, 'form'>>) => setDraft((last) => ({ ...last, ...part })),
    /** The bank account that was linked is to pay, unless the person has chosen something since. */
    payFrom: (bankAccountId: string) =>
      setDraft((last) =>
        last.means === begun ? { ...last, means: { ...begun, source: 'bank', bankAccountId } } : last,
      ),
  }
}
