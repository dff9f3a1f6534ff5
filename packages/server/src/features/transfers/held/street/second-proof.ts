import { money, type Money } from '@tern/money/money'
import type { Db } from '../../../../platform/database/db.ts'
import { amountText } from '../../../../platform/http/amount.ts'
import type { Caller } from '../../../../platform/http/serve.ts'
import { refuse } from '../../../../platform/refuse.ts'
import { readPrice } from '../../../exchange/exchange.ts'
import type { SensitiveAction } from '../../../identity/identity.ts'
import { readStreetPolicy } from '../../../risk/risk.ts'
import type { HeldContext } from '../context.ts'
import { computeConfirmFrom, type HeldTransfer } from '../held-rows.ts'

type ProofContext = Pick<HeldContext, 'identity' | 'wallets' | 'exchange' | 'now'>

const basisPoints = 10_000n

/**
 * Requires the sender's fresh confirmation of a transfer that street mode holds, between its confirmation time and its
 * deadline. Refuses `not_confirmable_yet`, `transfer_not_held`, `price_moved`, `rates_unavailable` and
 * `step_up_required`.
 */
export async function requireSecondProof(
  ctx: ProofContext,
  db: Db,
  { held, caller, confirmation }: { held: HeldTransfer; caller: Caller; confirmation: string | undefined },
): Promise<void> {
  const at = ctx.now()
  if (held.held_until <= at) refuse('transfer_not_held')
  const from = computeConfirmFrom(held)
  if (!from || at < from) refuse('not_confirmable_yet')
  await requirePrice(ctx, db, held)
  await ctx.identity.requireStepUp({ caller, act: await buildAction(ctx, db, held), confirmation })
}

/**
 * Refuses `price_moved` if the locked target is now worth more than the source, beyond the tolerance, so that senders
 * cannot gain by waiting.
 */
async function requirePrice({ exchange }: ProofContext, db: Db, { locked_price: locked }: HeldTransfer): Promise<void> {
  if (locked === null) return
  const { source, target } = readPrice(locked)
  if (source.currency === target.currency) return
  const tolerance = BigInt((await readStreetPolicy(db)).price_tolerance_basis_points)
  const toUsdMinor = (amount: Money) => exchange.usdMinorOf(amount)
  if (toUsdMinor(target) * basisPoints > toUsdMinor(source) * (basisPoints + tolerance)) refuse('price_moved')
}

async function buildAction({ wallets }: ProofContext, db: Db, heldTransfer: HeldTransfer): Promise<SensitiveAction> {
  const recipient =
    heldTransfer.recipient_id === null ? undefined : await wallets.findParty(db, heldTransfer.recipient_id)
  const { name = null, username } = recipient ?? {}
  const to = username === undefined ? undefined : name === null ? `@${username}` : `${name} (@${username})`
  return {
    action: 'confirm_held',
    subject: {
      ...(to === undefined ? {} : { to }),
      amount: amountText(money(heldTransfer.currency, heldTransfer.amount_minor)),
    },
    hidden: { transfer: heldTransfer.id },
  }
}
