import { transfers } from '#messages/transfers.ts'
import type { SavedTransfer } from './pending-transfer.ts'
import type { Branch } from './return-branch.ts'
import type { TransferStatus } from './transfer-status.ts'

/** A sentence above the form that tells what became of what the person comes back from. */
export interface Notice {
  readonly tone: 'info' | 'warning' | 'error'
  readonly text: string
}

/** The form as it is met: empty, or as it was left, with what there is to say about that. */
export interface FormSignIn {
  readonly show: 'form'
  readonly restored?: SavedTransfer | undefined
  readonly notice?: Notice | undefined
  /** The linking of a bank account that the person comes back from. */
  readonly link?: { readonly id: string | undefined; readonly isCanceled: boolean } | undefined
}

/** Branches on which the server is asked before anything else is shown. */
export type AskingBranch = Extract<Branch, { kind: 'complete' | 'ask' | 'canceled' | 'left' }>

/** What /send shows at first. */
export type Arrival =
  | FormSignIn
  | { readonly show: 'standing'; readonly branch: AskingBranch; readonly known?: TransferStatus | undefined }

const atStep = (saved: SavedTransfer, activeStep: SavedTransfer['activeStep']): SavedTransfer => ({
  ...saved,
  activeStep,
})

/** The saved transfer as one that is still to be ordered, at a price that has to be asked for anew. */
export function asDraft({ idempotencyKey: _key, paymentId: _payment, priced, ...rest }: SavedTransfer): SavedTransfer {
  return { ...rest, priced: priced && { ...priced, holdsUntilMs: 0 } }
}

function withoutRecipient(saved: SavedTransfer): SavedTransfer {
  const formData = { ...saved.formData, recipient: undefined, recipientText: '' }
  return asDraft({ ...atStep(saved, 1), formData, recipientInfo: undefined })
}

/** What is shown on a branch of the return, before the server has said anything. */
export function arrivalOf(branch: Branch): Arrival {
  switch (branch.kind) {
    case 'begin':
      return { show: 'form' }
    case 'unanswered':
      return { show: 'form', restored: branch.saved }
    case 'complete':
    case 'ask':
    case 'left':
      return { show: 'standing', branch }
    case 'canceled':
      if (branch.paymentId) return { show: 'standing', branch }
      return { show: 'form', restored: branch.saved && atStep(branch.saved, 2), notice: canceledNotice(null) }
    case 'missing recipient':
      return {
        show: 'form',
        restored: withoutRecipient(branch.saved),
        notice: { tone: 'error', text: transfers.recipientLost },
      }
    case 'to oneself':
      return {
        show: 'form',
        restored: withoutRecipient(branch.saved),
        notice: { tone: 'error', text: transfers.paidForOneself },
      }
    case 'method added':
      return { show: 'form', restored: branch.saved, notice: { tone: 'info', text: transfers.methodAdded } }
    case 'unreadable':
      return { show: 'form', notice: { tone: 'error', text: transfers.returnFailed } }
    case 'linking':
      return {
        show: 'form',
        restored: branch.saved && { ...branch.saved, paymentSource: 'bank' },
        link: { id: branch.linkId, isCanceled: branch.isCanceled },
      }
  }
}

/** What is said when a payment was not made, with the provider's reason unless that only says the same. */
export const canceledNotice = (reason: string | null): Notice => ({
  tone: 'warning',
  text:
    reason === null || /\bcancell?ed\b/i.test(reason)
      ? transfers.paymentCanceled
      : `${transfers.paymentCanceled} ${reason}`,
})

/** The form that a settled question leads back to; undefined while there is nothing to go back for. */
export function formAfter(transferStatus: TransferStatus, saved: SavedTransfer | undefined): FormSignIn | undefined {
  const restored = saved && asDraft(atStep(saved, 2))
  if (transferStatus.status === 'unpaid')
    return { show: 'form', restored, notice: canceledNotice(transferStatus.reason) }
  if (transferStatus.status === 'refused') {
    return { show: 'form', restored, notice: { tone: 'error', text: transfers.failed(transferStatus.detail) } }
  }
  return undefined
}
