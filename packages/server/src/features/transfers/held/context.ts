import type { Check } from '@tern/contract/compliance/checks'
import type { Leg } from '@tern/ledger/movement'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { SignedIds } from '../../../platform/keys/signed-ids.ts'
import type { Compliance, Counterparties, ListGate } from '../../compliance/compliance.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { TransfersContext } from '../context.ts'
import type { ReleaseReason } from '../decision/transitions.ts'
import type { OutsideTransfer, TransferView } from '../transfer-status.ts'
import type { HeldTransfer } from './held-rows.ts'

/** Dependencies of held transfers. */
export interface HeldContext extends Pick<TransfersContext, 'mover' | 'wallets' | 'exchange' | 'now'> {
  readonly identity: Pick<Identity, 'usersById' | 'requireStepUp'>
  readonly notifications: Pick<Notifications, 'mail' | 'markSubjectRead'>
  readonly counterparties: Pick<Counterparties, 'areStopped'>
  readonly lists: Pick<ListGate, 'hold' | 'areTooOld' | 'expectedBy'>
  readonly screenOutdated: Compliance['screenOutdated']
  readonly cases: { readonly ofTransfer: (userId: bigint, transferId: string) => Promise<Check | undefined> }
  readonly payments: HeldPayments
  /** Features whose transfers may be held, such as payment requests. */
  readonly purposes: readonly HeldPurpose[]
  readonly publicUrl: string
  readonly log: { error(details: object, message: string): void }
}

export interface OwnTransfer {
  readonly userId: bigint
  readonly id: string
}

/** Feature that updates its own rows when one of its held transfers ends. */
interface HeldPurpose {
  /** Runs before the money moves. Returns false if the transfer is not this feature's. */
  endHeld(tx: Tx, end: PurposeEnd): Promise<boolean>
}

interface PurposeEnd {
  readonly transactionId: string
  readonly event: 'settle' | 'release'
  readonly at: Date
}

/** Functions of payments. Those with a `tx` run in the transaction that ends a held payout or deposit. */
interface HeldPayments {
  orderHeldPayout(tx: Tx, end: { readonly payoutId: string; readonly at: Date }): Promise<void>
  failHeldPayout(tx: Tx, end: { readonly payoutId: string; reason: ReleaseReason | null; at: Date }): Promise<void>
  /** Legs that crediting a held deposit would post. */
  creditLegs(db: Db, held: HeldTransfer): Promise<readonly Leg[]>
  creditHeldDeposit(tx: Tx, end: { readonly held: HeldTransfer; readonly at: Date }): Promise<void>
  returnHeldDeposit(tx: Tx, end: { readonly held: HeldTransfer; readonly at: Date }): Promise<void>
  /** Finds the user's transfer by its own id or that of its payment or payout; may poll the provider first. */
  findTransfer(ownTransfer: OwnTransfer): Promise<OutsideTransfer | undefined>
}

/** Dependencies of links that cancel or track a transfer without a session. */
export interface LinkContext extends Pick<HeldContext, 'wallets' | 'publicUrl' | 'now'> {
  readonly identity: Pick<Identity, 'usersById'>
  readonly notifications: Pick<Notifications, 'notify' | 'mail'>
  readonly heldTransfers: {
    cancel(ownTransfer: OwnTransfer): Promise<void>
    status(ownTransfer: OwnTransfer): Promise<TransferView>
  }
  readonly cancelCodes: SignedIds
  readonly trackingCodes: SignedIds
}
